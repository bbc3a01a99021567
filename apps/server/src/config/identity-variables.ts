import { z } from 'zod';
import { emailAddress, flag, type Kind, limit, oneOf, origins, serviceAddress, text, variable, wholeNumber } from './variable.ts';

const smtpAddress: Kind<string> = { schema: z.url({ protocol: /^smtps?$/ }), rule: 'an smtp or smtps address' };
const mailbox: Kind<string> = {
  schema: z
    .string()
    .max(320)
    .regex(/^[^\r\n]+@[^\r\n]+$/),
  rule: 'an email address, optionally with a name before it',
};

/** The variables that concern accounts; part of `variables`. */
export const identityVariables = {
  identityMode: variable('IDENTITY_MODE', oneOf('embedded', 'firebase', 'emulator'), {
    fallback: 'embedded',
    example: 'firebase',
    about: 'What manages the accounts: this server, Google’s Firebase, or the Firebase Auth emulator (never in production).',
  }),
  identityProjectId: variable('IDENTITY_PROJECT_ID', text('lower-case letters, digits and dashes', /^[a-z0-9][a-z0-9-]{0,62}$/), {
    fallback: 'chiffchaff',
    example: 'my-birds-1234',
    about: 'Project id in ID tokens. With firebase, the id of the Firebase project.',
  }),
  identityApiKey: variable('IDENTITY_API_KEY', text('letters, digits, dashes and underscores', /^[\w-]{1,200}$/), {
    fallbackText: 'any key is accepted',
    example: 'AIzaSyExampleExampleExample',
    about: 'API key for identity calls; the page gets it from the server. Needed with firebase. Not secret.',
  }),
  identityBaseUrl: variable('IDENTITY_BASE_URL', serviceAddress, {
    fallbackText: "this server; with firebase, Google's address",
    example: 'http://127.0.0.1:9099/identitytoolkit.googleapis.com',
    about: 'Where the page sends identity calls. Needed with emulator.',
  }),
  identityTokenBaseUrl: variable('IDENTITY_TOKEN_BASE_URL', serviceAddress, {
    fallbackText: "as IDENTITY_BASE_URL; with firebase, Google's address",
    example: 'http://127.0.0.1:9099/securetoken.googleapis.com',
    about: 'Where the page renews tokens.',
  }),
  idTokenTtlSeconds: variable('ID_TOKEN_TTL_SECONDS', wholeNumber(5, 86_400, 'a whole number of seconds from 5 to 86400'), {
    fallback: 3600,
    fallbackText: '3600 (an hour)',
    about: 'How long an ID token is valid. The page signs out when it expires, unless it is renewed.',
  }),
  sessionIdleDays: variable('SESSION_IDLE_DAYS', wholeNumber(1, 3650, 'a whole number of days from 1 to 3650'), {
    fallback: 180,
    example: '30',
    about: 'A session that has not been used for this long ends.',
  }),
  enumerationProtection: variable('EMAIL_ENUMERATION_PROTECTION', flag, {
    fallback: true,
    about: 'Whether responses hide which email addresses have an account.',
  }),
  signUp: variable('SIGN_UP', oneOf('open', 'invite', 'closed'), {
    fallback: 'open',
    about:
      'Who can create an account: anyone, those whom an operator invites with `./chiffchaff admin invite`, or nobody. With another identity service, set this there.',
  }),
  continueOrigins: variable('CONTINUE_ORIGINS', origins, {
    fallback: [],
    fallbackText: 'only the server’s own origin',
    example: 'https://birds.example.org',
    about: 'Other origins that links in emails may lead to.',
  }),
  signInPerAddress: limit('SIGN_IN_LIMIT_PER_ADDRESS', '20/900', 'Failed sign-ins for one email address.'),
  signInPerClient: limit('SIGN_IN_LIMIT_PER_CLIENT', '100/900', 'Failed sign-ins from one network address.'),
  signUpPerClient: limit('SIGN_UP_LIMIT_PER_CLIENT', '100/3600', 'New accounts from one network address.'),
  codeMailPerAddress: limit('CODE_MAIL_LIMIT_PER_ADDRESS', '5/3600', 'Emails with a code to one email address.'),
  codeMailPerClient: limit('CODE_MAIL_LIMIT_PER_CLIENT', '30/3600', 'Emails with a code requested from one network address.'),
  wrongCodePerClient: limit(
    'WRONG_CODE_LIMIT_PER_CLIENT',
    '100/900',
    'Unknown, used or expired email codes from one network address.',
  ),
  // A page refreshes when it opens and then once an hour: enough for about a thousand people behind one address.
  refreshPerClient: limit(
    'REFRESH_LIMIT_PER_CLIENT',
    '1000/900',
    'Renewals of ID tokens from one network address. Beyond this, clients wait; they are not signed out.',
  ),
  wrongSecretPerClient: limit(
    'WRONG_SECRET_LIMIT_PER_CLIENT',
    '20/900',
    'Wrong operator secrets (IDENTITY_ADMIN_SECRET, METRICS_TOKEN) from one network address. Beyond this, wrong ones are told to wait; the right one is always accepted.',
  ),
  mailFrom: variable('MAIL_FROM', mailbox, {
    fallback: 'Chiffchaff <no-reply@localhost>',
    example: 'Chiffchaff <no-reply@birds.example.org>',
    about: 'Sender of emails.',
  }),
  operatorEmail: variable('OPERATOR_EMAIL', emailAddress, {
    fallbackText: 'contactEmail of /setup',
    example: 'operator@example.org',
    about:
      'Who is told by email when the disk is nearly full, the model is damaged or there is no recent backup. Needs SMTP_URL.',
  }),
  devMailbox: variable(
    'DEV_MAILBOX',
    { ...flag, rule: 'true or false, and false in production' },
    {
      fallback: false,
      about: 'For tests: emails are listed at /dev/oob-codes instead of being sent.',
    },
  ),
  smtpUrl: variable('SMTP_URL', smtpAddress, {
    fallbackText: 'passwords cannot be reset and addresses cannot be verified',
    example: 'smtps://user:password@mail.example.org',
    about: 'Mail server that sends emails. Secret.',
  }),
  identityAdminSecret: variable('IDENTITY_ADMIN_SECRET', text('at least 24 characters', /^.{24,}$/s), {
    fallbackText: 'there are no operator calls',
    example: 'a-long-random-text-of-your-own',
    about: 'Bearer token for operator calls (projects/…/accounts). Secret.',
  }),
};
