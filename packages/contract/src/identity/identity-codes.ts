/**
 * The error codes of the identity service: those of Identity Toolkit, and a few of our own.
 *
 * A code is the left part of `error.message`, before ` : `; clients branch on that part alone. Other services may send codes that are not
 * listed here.
 */
export const identityErrorCodes = [
  'EMAIL_EXISTS',
  'INVALID_EMAIL',
  'MISSING_EMAIL',
  'MISSING_PASSWORD',
  'WEAK_PASSWORD',
  'PASSWORD_DOES_NOT_MEET_REQUIREMENTS',
  'EMAIL_NOT_FOUND',
  'INVALID_PASSWORD',
  'INVALID_LOGIN_CREDENTIALS',
  'USER_DISABLED',
  'TOO_MANY_ATTEMPTS_TRY_LATER',
  'RESET_PASSWORD_EXCEED_LIMIT',
  'OPERATION_NOT_ALLOWED',
  'ADMIN_ONLY_OPERATION',
  'INVITATION_NEEDED',
  'INVALID_INVITATION',
  'EXPIRED_INVITATION',
  'USED_INVITATION',
  'INVITATION_FOR_ANOTHER_ADDRESS',
  'MISSING_ID_TOKEN',
  'INVALID_ID_TOKEN',
  'TOKEN_EXPIRED',
  'USER_NOT_FOUND',
  'CREDENTIAL_TOO_OLD_LOGIN_AGAIN',
  'INVALID_REQ_TYPE',
  'MISSING_REQ_TYPE',
  'MISSING_NEW_EMAIL',
  'INVALID_NEW_EMAIL',
  'INVALID_CONTINUE_URI',
  'UNAUTHORIZED_DOMAIN',
  'INSUFFICIENT_PERMISSION',
  'MISSING_OOB_CODE',
  'INVALID_OOB_CODE',
  'EXPIRED_OOB_CODE',
  'MISSING_GRANT_TYPE',
  'INVALID_GRANT_TYPE',
  'MISSING_REFRESH_TOKEN',
  'INVALID_REFRESH_TOKEN',
  'PROJECT_NUMBER_MISMATCH',
  'MISSING_IDENTIFIER',
  'INVALID_IDENTIFIER',
  'MISSING_CONTINUE_URI',
  'INVALID_DISPLAY_NAME',
  'INVALID_PHOTO_URL',
  'MISSING_LOCAL_ID',
  'INVALID_LOCAL_ID',
  'DUPLICATE_LOCAL_ID',
  'INVALID_CLAIMS',
  'CLAIMS_TOO_LARGE',
  'FORBIDDEN_CLAIM',
] as const;
export type IdentityErrorCode = (typeof identityErrorCodes)[number];

/** Limits that the page checks before sending and the server checks again. Lengths count UTF-16 units, as browsers do. */
export const identityLimits = {
  emailMaxLength: 320,
  passwordMinLength: 6,
  passwordMaxLength: 4096,
  displayNameMaxLength: 100,
} as const;

const domainLabel = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const emailAddress = new RegExp(`^[A-Za-z0-9.!#$%&'*+/=?^_\`{|}~-]{1,64}@${domainLabel}(?:\\.${domainLabel})+$`);

/**
 * Whether a text has the shape of an e-mail address: what browsers accept in an e-mail field (HTML, "valid e-mail address"),
 * with at least one dot in the domain. Quoted local parts and comments are refused.
 */
export const isEmailAddress = (text: string): boolean => text.length <= identityLimits.emailMaxLength && emailAddress.test(text);
