import type { IdentityErrorCode, ProblemCode } from '@chiffchaff/contract';
import type { Strings, Translate } from '../../languages/i18n.ts';
import { codeOfMessage } from './identity-failure.ts';

type Sentence = keyof Strings['identity'];

/** Google's codes that our own service never sends. */
type ForeignCode = 'PASSWORD_LOGIN_DISABLED' | 'CONFIGURATION_NOT_FOUND';

/** The code that `passwordRefused` throws. */
type OwnCode = 'WRONG_PASSWORD';

/** Disk problems of our own server, from the problem catalogue. */
type StorageCode = Extract<ProblemCode, 'SERVER_BUSY' | `STORAGE_${string}`>;

/**
 * The codes that have a sentence. Only a bug in this page or in the deployment causes the missing ones. All codes for wrong credentials share
 * a sentence, so that none reveals whether an account exists.
 */
const codes: { readonly [Name in Sentence]?: readonly (IdentityErrorCode | ForeignCode | OwnCode | StorageCode)[] } = {
  emailExists: ['EMAIL_EXISTS'],
  invalidEmail: ['INVALID_EMAIL', 'MISSING_EMAIL', 'INVALID_NEW_EMAIL', 'MISSING_NEW_EMAIL'],
  missingPassword: ['MISSING_PASSWORD'],
  weakPassword: ['WEAK_PASSWORD'],
  otherPassword: ['PASSWORD_DOES_NOT_MEET_REQUIREMENTS'],
  wrongCredentials: ['EMAIL_NOT_FOUND', 'INVALID_PASSWORD', 'INVALID_LOGIN_CREDENTIALS'],
  wrongPassword: ['WRONG_PASSWORD'],
  disabled: ['USER_DISABLED'],
  tooManyAttempts: ['TOO_MANY_ATTEMPTS_TRY_LATER'],
  tooManyMails: ['RESET_PASSWORD_EXCEED_LIMIT'],
  notOffered: ['OPERATION_NOT_ALLOWED', 'PASSWORD_LOGIN_DISABLED', 'CONFIGURATION_NOT_FOUND'],
  signUpClosed: ['ADMIN_ONLY_OPERATION'],
  invitationNeeded: ['INVITATION_NEEDED'],
  invalidInvitation: ['INVALID_INVITATION'],
  expiredInvitation: ['EXPIRED_INVITATION'],
  usedInvitation: ['USED_INVITATION'],
  otherInvitation: ['INVITATION_FOR_ANOTHER_ADDRESS'],
  // biome-ignore format: one sentence in two lines
  sessionOver: [
    'MISSING_ID_TOKEN', 'INVALID_ID_TOKEN', 'TOKEN_EXPIRED', 'USER_NOT_FOUND', 'MISSING_REFRESH_TOKEN', 'INVALID_REFRESH_TOKEN',
  ],
  tooOld: ['CREDENTIAL_TOO_OLD_LOGIN_AGAIN'],
  invalidCode: ['MISSING_OOB_CODE', 'INVALID_OOB_CODE'],
  expiredCode: ['EXPIRED_OOB_CODE'],
  invalidDisplayName: ['INVALID_DISPLAY_NAME'],
  noRoom: ['STORAGE_FULL'],
  outOfOrder: ['STORAGE_UNAVAILABLE'],
};
const sentences = new Map<string, Sentence>(
  Object.entries(codes).flatMap(([sentence, all]) => all.map((code) => [code, sentence as Sentence] as const)),
);

/**
 * The sentence that people read for the raw message of a failed call, such as `WEAK_PASSWORD : Password should be at least 6 characters`.
 */
export function identitySentence(message: string, t: Translate): string {
  if (message === 'Network Error') return t('failure.network');
  if (message === 'Request aborted') return t('failure.aborted');
  if (/^timeout of \d+ ms exceeded$/.test(message)) return t('failure.timeout');
  return t(`identity.${sentences.get(codeOfMessage(message)) ?? 'other'}`);
}
