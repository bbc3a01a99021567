import type { TFunction } from 'i18next';
import { toIdentityFailure } from '../../platform/identity/identity-failure.ts';
import { identitySentence } from '../../platform/identity/identity-sentence.ts';
import type { Refusal } from '../../ui/form/use-form.ts';

export type AccountField = 'email' | 'password' | 'newPassword' | 'displayName';

/** Which field a code speaks about, the likelier first. */
const fieldsByCode: { readonly [code: string]: readonly AccountField[] } = {
  EMAIL_EXISTS: ['email'],
  INVALID_EMAIL: ['email'],
  MISSING_EMAIL: ['email'],
  INVALID_NEW_EMAIL: ['email'],
  MISSING_NEW_EMAIL: ['email'],
  MISSING_PASSWORD: ['password'],
  WEAK_PASSWORD: ['newPassword', 'password'],
  PASSWORD_DOES_NOT_MEET_REQUIREMENTS: ['newPassword', 'password'],
  INVALID_DISPLAY_NAME: ['displayName'],
};

/** How a form shows that the identity service refused it: beside the field, where the form has that field. */
export function refusalOf<Name extends string>(
  thrown: unknown,
  fields: readonly (Name & AccountField)[],
  t: TFunction,
): Refusal<Name> {
  const { message, code } = toIdentityFailure(thrown);
  const about = code !== null && Object.hasOwn(fieldsByCode, code) ? (fieldsByCode[code] ?? []) : [];
  const field = about.flatMap((name) => fields.filter((own) => own === name))[0] ?? null;
  return { field, sentence: identitySentence(message, t) };
}
