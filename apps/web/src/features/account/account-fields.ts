import { hasHiddenCharacters, identityLimits, isEmailAddress } from '@chiffchaff/contract';
import type { TFunction } from 'i18next';
import { checkField, type FieldRules } from '../../platform/format/check-field.ts';

const { emailMaxLength, passwordMinLength, passwordMaxLength, displayNameMaxLength } = identityLimits;

function sentenceFor(text: string, rules: FieldRules, t: TFunction): string | null {
  const fault = checkField(text, rules);
  return fault && t(`field.${fault.rule}`, { ...fault });
}

/** The sentence for what is wrong with an e-mail address, or null. The server applies the same bounds again. */
export function emailFault(text: string, t: TFunction): string | null {
  const fault = sentenceFor(text, { required: true, maxLength: emailMaxLength }, t);
  return fault ?? (isEmailAddress(text.trim()) ? null : t('identity.invalidEmail'));
}

/** For a password that is to be set. Not trimmed: its spaces count. */
export function newPasswordFault(text: string, t: TFunction): string | null {
  return sentenceFor(text, { required: true, untrimmed: true, minLength: passwordMinLength, maxLength: passwordMaxLength }, t);
}

/** For a password that exists: its rules may have been others when it was chosen. */
export function passwordFault(text: string, t: TFunction): string | null {
  return sentenceFor(text, { required: true, untrimmed: true, maxLength: passwordMaxLength }, t);
}

export function displayNameFault(text: string, t: TFunction): string | null {
  const fault = sentenceFor(text, { maxLength: displayNameMaxLength }, t);
  return fault ?? (hasHiddenCharacters(text.trim()) ? t('identity.invalidDisplayName') : null);
}
