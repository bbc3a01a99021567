import type { IdentityErrorCode, ProblemCode } from '@chiffchaff/contract';
import type { TFunction } from 'i18next';
import type { Strings } from '../../languages/i18n.ts';
import { codeOfMessage } from './identity-failure.ts';

type Sentence = keyof Strings['identity'];

/** Google's codes that our own service never sends. */
type ForeignCode = 'PASSWORD_LOGIN_DISABLED' | 'CONFIGURATION_NOT_FOUND';

/** The code that `passwordRefused` throws. */
type OwnCode = 'WRONG_PASSWORD';

/** Disk problems of our own server, from the problem catalogue. */
type StorageCode = Extract<ProblemCode, 'SERVER_BUSY' | `STORAGE_${string}`>;

/**
 * The sentence for each code. Only a bug in this page or in the deployment causes the missing ones. All codes for wrong credentials share a
 * sentence, so that none reveals whether an account exists.
 */
const sentences: { readonly [Code in IdentityErrorCode | ForeignCode | OwnCode | StorageCode]?: Sentence } = {
  EMAIL_EXISTS: 'emailExists',
  INVALID_EMAIL: 'invalidEmail',
  MISSING_EMAIL: 'invalidEmail',
  INVALID_NEW_EMAIL: 'invalidEmail',
  MISSING_NEW_EMAIL: 'invalidEmail',
  MISSING_PASSWORD: 'missingPassword',
  WEAK_PASSWORD: 'weakPassword',
  PASSWORD_DOES_NOT_MEET_REQUIREMENTS: 'otherPassword',
  EMAIL_NOT_FOUND: 'wrongCredentials',
  INVALID_PASSWORD: 'wrongCredentials',
  INVALID_LOGIN_CREDENTIALS: 'wrongCredentials',
  WRONG_PASSWORD: 'wrongPassword',
  USER_DISABLED: 'disabled',
  TOO_MANY_ATTEMPTS_TRY_LATER: 'tooManyAttempts',
  RESET_PASSWORD_EXCEED_LIMIT: 'tooManyMails',
  OPERATION_NOT_ALLOWED: 'notOffered',
  PASSWORD_LOGIN_DISABLED: 'notOffered',
  CONFIGURATION_NOT_FOUND: 'notOffered',
  ADMIN_ONLY_OPERATION: 'signUpClosed',
  INVITATION_NEEDED: 'invitationNeeded',
  INVALID_INVITATION: 'invalidInvitation',
  EXPIRED_INVITATION: 'expiredInvitation',
  USED_INVITATION: 'usedInvitation',
  INVITATION_FOR_ANOTHER_ADDRESS: 'otherInvitation',
  MISSING_ID_TOKEN: 'sessionOver',
  INVALID_ID_TOKEN: 'sessionOver',
  TOKEN_EXPIRED: 'sessionOver',
  USER_NOT_FOUND: 'sessionOver',
  MISSING_REFRESH_TOKEN: 'sessionOver',
  INVALID_REFRESH_TOKEN: 'sessionOver',
  CREDENTIAL_TOO_OLD_LOGIN_AGAIN: 'tooOld',
  MISSING_OOB_CODE: 'invalidCode',
  INVALID_OOB_CODE: 'invalidCode',
  EXPIRED_OOB_CODE: 'expiredCode',
  INVALID_DISPLAY_NAME: 'invalidDisplayName',
  STORAGE_FULL: 'noRoom',
  STORAGE_UNAVAILABLE: 'outOfOrder',
};

const isKnown = (code: string): code is keyof typeof sentences => Object.hasOwn(sentences, code);

/**
 * The sentence that people read for the raw message of a failed call, such as `WEAK_PASSWORD : Password should be at least 6 characters`.
 */
export function identitySentence(message: string, t: TFunction): string {
  if (message === 'Network Error') return t('failure.network');
  if (message === 'Request aborted') return t('failure.aborted');
  if (/^timeout of \d+ ms exceeded$/.test(message)) return t('failure.timeout');
  const code = codeOfMessage(message);
  return t(`identity.${(isKnown(code) && sentences[code]) || 'other'}`);
}
