import { apiTokenLimits, hasHiddenCharacters, identityLimits, isEmailAddress } from '@chiffchaff/contract';
import { type FormEvent, useState } from 'react';
import { type Translate, useTranslation } from '../../languages/i18n.ts';
import { checkField, type FieldRules } from '../../platform/format/check-field.ts';
import { toIdentityFailure } from '../../platform/identity/identity-failure.ts';
import { identitySentence } from '../../platform/identity/identity-sentence.ts';

/** The sentence for a fault in a text, or null. The server checks the same bounds again. */
type Check = (text: string, t: Translate) => string | null;

const follows =
  (rules: FieldRules): Check =>
  (text, t) => {
    const fault = checkField(text, rules);
    return fault && t(`field.${fault.rule}`, { ...fault });
  };
const { emailMaxLength, passwordMinLength, passwordMaxLength, displayNameMaxLength } = identityLimits;
const followsEmailRules = follows({ required: true, maxLength: emailMaxLength });

export const emailFault: Check = (text, t) =>
  followsEmailRules(text, t) ?? (isEmailAddress(text.trim()) ? null : t('identity.invalidEmail'));

const isName =
  (rules: FieldRules): Check =>
  (text, t) =>
    follows(rules)(text, t) ?? (hasHiddenCharacters(text.trim()) ? t('identity.invalidDisplayName') : null);
export const displayNameFault = isName({ maxLength: displayNameMaxLength });
export const tokenNameFault = isName({ required: true, maxLength: apiTokenLimits.nameMaxLength });

/** For a new password. Not trimmed: its spaces count. */
export const newPasswordFault = follows({
  required: true,
  untrimmed: true,
  minLength: passwordMinLength,
  maxLength: passwordMaxLength,
});

/** For an existing password: it may have been chosen under other rules. */
export const passwordFault = follows({ required: true, untrimmed: true, maxLength: passwordMaxLength });

/** The codes of the identity service that are about each field, likelier fields first. */
const codesByField: readonly (readonly [field: string, codes: readonly (string | null)[]])[] = [
  ['email', ['EMAIL_EXISTS', 'INVALID_EMAIL', 'MISSING_EMAIL', 'INVALID_NEW_EMAIL', 'MISSING_NEW_EMAIL']],
  ['newPassword', ['WEAK_PASSWORD', 'PASSWORD_DOES_NOT_MEET_REQUIREMENTS']],
  ['password', ['MISSING_PASSWORD', 'WRONG_PASSWORD', 'WEAK_PASSWORD', 'PASSWORD_DOES_NOT_MEET_REQUIREMENTS']],
  ['displayName', ['INVALID_DISPLAY_NAME']],
];

type Values<Name extends string> = { readonly [Field in Name]: string };

/**
 * Text fields that are validated together, from the first submission on, and sent to the identity service. The first invalid one gets the
 * focus.
 *
 * @param initial the fields in their order on the screen
 * @param send rejects when the form is refused; the reason appears next to the field that it is about, else above the button
 */
export function useAccountForm<Name extends string>(
  initial: Values<Name>,
  checks: { readonly [Field in Name]: Check },
  send: (values: Values<Name>) => Promise<unknown>,
) {
  const { t } = useTranslation();
  const [values, setValues] = useState(initial);
  const [accepted, setAccepted] = useState<Values<Name> | null>(null);
  const [isChecked, setIsChecked] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const [refusal, setRefusal] = useState<{ readonly field: Name | null; readonly sentence: string } | null>(null);
  // To the compiler, keys of an object type are plain strings; these are exactly the names.
  const names = Object.keys(initial) as Name[];
  const faultOf = (name: Name) => checks[name](values[name], t);

  async function submit(form: HTMLFormElement): Promise<void> {
    const focus = (name: Name | null) => {
      const input = name === null ? null : form.elements.namedItem(name);
      if (input instanceof HTMLElement) input.focus();
    };
    if (isBusy) return;
    setIsChecked(true);
    setRefusal(null);
    const faulty = names.find((name) => faultOf(name) !== null);
    if (faulty !== undefined) {
      focus(faulty);
      return;
    }
    setIsBusy(true);
    try {
      await send(values);
      setIsChecked(false);
      setAccepted(values);
    } catch (thrown) {
      const { message, code } = toIdentityFailure(thrown);
      const about = codesByField.filter(([, codes]) => codes.includes(code));
      const field = about.flatMap(([wanted]) => names.filter((name) => name === wanted))[0] ?? null;
      setRefusal({ field, sentence: identitySentence(message, t) });
      focus(field);
    } finally {
      setIsBusy(false);
    }
  }

  return {
    /** The last accepted values; null again once something changes. */
    accepted,
    isBusy,
    refusal: refusal?.field === null ? refusal.sentence : null,
    field: (name: Name) => ({
      name,
      value: values[name],
      fault: refusal?.field === name ? refusal.sentence : isChecked ? faultOf(name) : null,
      onChange: (value: string) => {
        setValues((before) => ({ ...before, [name]: value }));
        setAccepted(null);
        setRefusal((before) => (before?.field === name ? null : before));
      },
    }),
    onSubmit: (event: FormEvent<HTMLFormElement>) => {
      event.preventDefault();
      void submit(event.currentTarget);
    },
  };
}
