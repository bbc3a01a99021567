import { z } from 'zod';
import { flag, type Kind, limit, oneOf, origins, text, variable, wholeNumber } from './config-variable.ts';
import { defaultWrongSecretLimit } from './http/limits/wrong-secrets.ts';
import { defaultAttemptLimits } from './identity/accounts/attempt-limits.ts';

const baseUrl: Kind<string> = {
  schema: z.url({ protocol: /^https?$/ }).regex(/[^/?#]$/),
  rule: 'an http or https address without a slash at its end',
};
const smtpAddress: Kind<string> = { schema: z.url({ protocol: /^smtps?$/ }), rule: 'an smtp or smtps address' };
const mailbox: Kind<string> = {
  schema: z
    .string()
    .max(320)
    .regex(/^[^\r\n]+@[^\r\n]+$/),
  rule: 'an e-mail address, a name before it allowed',
};

/** The rows of the configuration that concern accounts; part of `variables`. */
export const identityVariables = {
  identityMode: variable('IDENTITY_MODE', oneOf('embedded', 'firebase', 'emulator'), {
    fallback: 'embedded',
    example: 'firebase',
    about: 'Who keeps the accounts: this server, Google/Firebase, or the Firebase Auth emulator (never in production).',
  }),
  identityProjectId: variable('IDENTITY_PROJECT_ID', text('lower-case letters, digits and dashes', /^[a-z0-9][a-z0-9-]{0,62}$/), {
    fallback: 'chiffchaff',
    example: 'my-birds-1234',
    about: 'Project that ID tokens are for. With firebase, the id of the Firebase project.',
  }),
  identityApiKey: variable('IDENTITY_API_KEY', text('letters, digits, dashes and underscores', /^[\w-]{1,200}$/), {
    fallback: null,
    fallbackText: 'any key is accepted',
    example: 'AIzaSyExampleExampleExample',
    about: 'Key that identity calls carry; the page is told it. Needed with firebase. It is no secret.',
  }),
  identityBaseUrl: variable('IDENTITY_BASE_URL', baseUrl, {
    fallback: null,
    fallbackText: "this server; with firebase, Google's address",
    example: 'http://127.0.0.1:9099/identitytoolkit.googleapis.com',
    about: 'Where the page sends identity calls. Needed with emulator.',
  }),
  identityTokenBaseUrl: variable('IDENTITY_TOKEN_BASE_URL', baseUrl, {
    fallback: null,
    fallbackText: "as IDENTITY_BASE_URL; with firebase, Google's address",
    example: 'http://127.0.0.1:9099/securetoken.googleapis.com',
    about: 'Where the page renews tokens.',
  }),
  idTokenTtlSeconds: variable('ID_TOKEN_TTL_SECONDS', wholeNumber(5, 86_400, 'a whole number of seconds from 5 to 86400'), {
    fallback: 3600,
    fallbackText: '3600 (an hour)',
    example: '3600',
    about: 'How long an ID token holds. The page signs out when it ends, unless it is renewed.',
  }),
  sessionIdleDays: variable('SESSION_IDLE_DAYS', wholeNumber(1, 3650, 'a whole number of days from 1 to 3650'), {
    fallback: 180,
    example: '30',
    about: 'A session that was not used for so long is over.',
  }),
  refreshRotation: variable('REFRESH_ROTATION', flag, {
    fallback: false,
    example: 'true',
    about:
      'Whether a refresh token is replaced when it is used. One that is used again after two minutes ends its session, for the thief and for the owner. Without it a token stays the same, as at Google.',
  }),
  emailEnumerationProtection: variable('EMAIL_ENUMERATION_PROTECTION', flag, {
    fallback: true,
    example: 'true',
    about: 'Whether answers keep to themselves which e-mail addresses have an account.',
  }),
  signUpOpen: variable('SIGN_UP_OPEN', flag, {
    fallback: true,
    example: 'false',
    about: 'Whether everybody may create an account.',
  }),
  continueOrigins: variable('CONTINUE_ORIGINS', origins, {
    fallback: [],
    fallbackText: 'the own origin only',
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
  mailFrom: variable('MAIL_FROM', mailbox, {
    fallback: 'Chiffchaff <no-reply@localhost>',
    example: 'Chiffchaff <no-reply@birds.example.org>',
    about: 'Whom mails come from.',
  }),
  devMailbox: variable(
    'DEV_MAILBOX',
    { ...flag, rule: 'true or false, and false in production' },
    {
      fallback: false,
      example: 'false',
      about: 'For tests: mails are listed at /dev/oob-codes instead of sent.',
    },
  ),
  smtpUrl: variable('SMTP_URL', smtpAddress, {
    fallback: null,
    fallbackText: 'resetting passwords and verifying addresses are not offered',
    example: 'smtps://user:password@mail.example.org',
    about: 'Server that sends mails. Secret.',
  }),
  identityAdminSecret: variable('IDENTITY_ADMIN_SECRET', text('at least 24 characters', /^.{24,}$/s), {
    fallback: null,
    fallbackText: "operators' calls are not offered",
    example: 'a-long-random-text-of-your-own',
    about: "Bearer secret of the operators' calls (projects/…/accounts). Secret.",
  }),
};
