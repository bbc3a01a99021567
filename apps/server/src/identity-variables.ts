import { z } from 'zod';
import { flag, listOf, origin, text, variable, wholeNumber } from './config-variable.ts';
import { defaultWrongSecretLimit } from './http/limits/wrong-secrets.ts';
import { type AttemptLimit, defaultAttemptLimits } from './identity/accounts/attempt-limits.ts';

/** Who keeps the accounts: this server, Google/Firebase, or the Firebase Auth emulator. */
export type IdentityMode = 'embedded' | 'firebase' | 'emulator';

/** An http or https address without a slash at its end, a path allowed. */
const base = z
  .string()
  .refine((value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol) && !/[/?#]$/.test(value));

const attemptLimit: z.ZodType<AttemptLimit, string> = z
  .string()
  .regex(/^[1-9]\d{0,6}\/[1-9]\d{0,6}$/)
  .transform((value) => {
    const [attempts = 0, windowSeconds = 0] = value.split('/').map(Number);
    return { attempts, windowSeconds };
  });

export const limit = (name: string, fallback: AttemptLimit, about: string) =>
  variable<AttemptLimit>({
    name,
    schema: attemptLimit,
    fallback,
    fallbackText: `${fallback.attempts}/${fallback.windowSeconds}`,
    rule: 'a number of attempts, a slash, and a number of seconds',
    example: `${fallback.attempts}/${fallback.windowSeconds}`,
    about,
  });

/** The rows of the configuration that concern accounts; part of `variables`. */
export const identityVariables = {
  identityMode: variable<IdentityMode>({
    name: 'IDENTITY_MODE',
    schema: z.enum(['embedded', 'firebase', 'emulator']),
    fallback: 'embedded',
    fallbackText: 'embedded',
    rule: 'embedded, firebase or emulator',
    example: 'firebase',
    about: 'Who keeps the accounts: this server, Google/Firebase, or the Firebase Auth emulator (never in production).',
  }),
  identityProjectId: variable<string>({
    name: 'IDENTITY_PROJECT_ID',
    schema: z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/),
    fallback: 'chiffchaff',
    fallbackText: 'chiffchaff',
    rule: 'lower-case letters, digits and dashes',
    example: 'my-birds-1234',
    about: 'Project that ID tokens are for. With firebase, the id of the Firebase project.',
  }),
  identityApiKey: variable<string | null>({
    name: 'IDENTITY_API_KEY',
    schema: z.string().regex(/^[\w-]{1,200}$/),
    fallback: null,
    fallbackText: 'any key is accepted',
    rule: 'letters, digits, dashes and underscores',
    example: 'AIzaSyExampleExampleExample',
    about: 'Key that identity calls carry; the page is told it. Needed with firebase. It is no secret.',
  }),
  identityBaseUrl: variable<string | null>({
    name: 'IDENTITY_BASE_URL',
    schema: base,
    fallback: null,
    fallbackText: "this server; with firebase, Google's address",
    rule: 'an http or https address without a slash at its end',
    example: 'http://127.0.0.1:9099/identitytoolkit.googleapis.com',
    about: 'Where the page sends identity calls. Needed with emulator.',
  }),
  identityTokenBaseUrl: variable<string | null>({
    name: 'IDENTITY_TOKEN_BASE_URL',
    schema: base,
    fallback: null,
    fallbackText: "as IDENTITY_BASE_URL; with firebase, Google's address",
    rule: 'an http or https address without a slash at its end',
    example: 'http://127.0.0.1:9099/securetoken.googleapis.com',
    about: 'Where the page renews tokens.',
  }),
  idTokenTtlSeconds: variable<number>({
    name: 'ID_TOKEN_TTL_SECONDS',
    schema: wholeNumber(5, 86_400),
    fallback: 3600,
    fallbackText: '3600 (an hour)',
    rule: 'a whole number of seconds from 5 to 86400',
    example: '3600',
    about: 'How long an ID token holds. The page signs out when it ends, unless it is renewed.',
  }),
  sessionIdleDays: variable<number>({
    name: 'SESSION_IDLE_DAYS',
    schema: wholeNumber(1, 3650),
    fallback: 180,
    fallbackText: '180',
    rule: 'a whole number of days from 1 to 3650',
    example: '30',
    about: 'A session that was not used for so long is over.',
  }),
  refreshRotation: variable<boolean>({
    name: 'REFRESH_ROTATION',
    schema: flag,
    fallback: false,
    fallbackText: 'false',
    rule: 'true or false',
    example: 'true',
    about:
      'Whether a refresh token is replaced when it is used. One that is used again after two minutes ends its session, for the thief and for the owner. Without it a token stays the same, as at Google.',
  }),
  emailEnumerationProtection: variable<boolean>({
    name: 'EMAIL_ENUMERATION_PROTECTION',
    schema: flag,
    fallback: true,
    fallbackText: 'true',
    rule: 'true or false',
    example: 'true',
    about: 'Whether answers keep to themselves which e-mail addresses have an account.',
  }),
  signUpOpen: variable<boolean>({
    name: 'SIGN_UP_OPEN',
    schema: flag,
    fallback: true,
    fallbackText: 'true',
    rule: 'true or false',
    example: 'false',
    about: 'Whether everybody may create an account.',
  }),
  continueOrigins: variable<readonly string[]>({
    name: 'CONTINUE_ORIGINS',
    schema: listOf(origin),
    fallback: [],
    fallbackText: 'the own origin only',
    rule: 'http or https origins without a path, separated by commas',
    example: 'https://birds.example.org',
    about: 'Further origins that links in mails may lead on to.',
  }),
  signInPerAddress: limit(
    'SIGN_IN_LIMIT_PER_ADDRESS',
    defaultAttemptLimits.signInPerAddress,
    'Failed sign-ins for one e-mail address.',
  ),
  signInPerClient: limit(
    'SIGN_IN_LIMIT_PER_CLIENT',
    defaultAttemptLimits.signInPerClient,
    'Failed sign-ins from one network address.',
  ),
  signUpPerClient: limit(
    'SIGN_UP_LIMIT_PER_CLIENT',
    defaultAttemptLimits.signUpPerClient,
    'New accounts from one network address.',
  ),
  codeMailPerAddress: limit(
    'CODE_MAIL_LIMIT_PER_ADDRESS',
    defaultAttemptLimits.codeMailPerAddress,
    'Mails with a code to one e-mail address.',
  ),
  codeMailPerClient: limit(
    'CODE_MAIL_LIMIT_PER_CLIENT',
    defaultAttemptLimits.codeMailPerClient,
    'Mails with a code asked for from one network address.',
  ),
  wrongCodePerClient: limit(
    'WRONG_CODE_LIMIT_PER_CLIENT',
    defaultAttemptLimits.wrongCodePerClient,
    'Codes from mails that are unknown, used up or too old, from one network address.',
  ),
  refreshPerClient: limit(
    'REFRESH_LIMIT_PER_CLIENT',
    defaultAttemptLimits.refreshPerClient,
    'Renewals of ID tokens from one network address; beyond it nobody is signed out, they wait.',
  ),
  wrongSecretPerClient: limit(
    'WRONG_SECRET_LIMIT_PER_CLIENT',
    defaultWrongSecretLimit,
    "Wrong operators' secrets (IDENTITY_ADMIN_SECRET, METRICS_TOKEN) from one network address; beyond it none from there is looked at.",
  ),
  mailFrom: variable<string>({
    name: 'MAIL_FROM',
    schema: text.max(320).regex(/^[^\r\n]+@[^\r\n]+$/),
    fallback: 'Chiffchaff <no-reply@localhost>',
    fallbackText: 'Chiffchaff <no-reply@localhost>',
    rule: 'an e-mail address, a name before it allowed',
    example: 'Chiffchaff <no-reply@birds.example.org>',
    about: 'Whom mails come from.',
  }),
  devMailbox: variable<boolean>({
    name: 'DEV_MAILBOX',
    schema: flag,
    fallback: false,
    fallbackText: 'false',
    rule: 'true or false, and false in production',
    example: 'false',
    about: 'For tests: mails are listed at /dev/oob-codes instead of sent.',
  }),
  smtpUrl: variable<string | null>({
    name: 'SMTP_URL',
    schema: z.string().refine((value) => URL.canParse(value) && /^smtps?:$/.test(new URL(value).protocol)),
    fallback: null,
    fallbackText: 'resetting passwords and verifying addresses are not offered',
    rule: 'an smtp or smtps address',
    example: 'smtps://user:password@mail.example.org',
    about: 'Server that sends mails. Secret.',
  }),
  identityAdminSecret: variable<string | null>({
    name: 'IDENTITY_ADMIN_SECRET',
    schema: z.string().min(24),
    fallback: null,
    fallbackText: "operators' calls are not offered",
    rule: 'at least 24 characters',
    example: 'a-long-random-text-that-nobody-knows',
    about: "Bearer secret of the operators' calls (projects/…/accounts). Secret.",
  }),
};
