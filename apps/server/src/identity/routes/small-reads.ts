import { identityLimits } from '@chiffchaff/contract';
import { z } from 'zod';
import type { AccountParts } from '../embedded-parts.ts';
import { RequestRefusal, refusals } from './error-envelope.ts';
import { type MethodScope, projectNumberOf } from './method-routes.ts';

const projectsAnswerSchema = z.object({ projectId: z.string(), authorizedDomains: z.array(z.string()) });

const passwordPolicyAnswerSchema = z.object({
  customStrengthOptions: z.object({ minPasswordLength: z.int(), maxPasswordLength: z.int() }),
  allowedNonAlphanumericCharacters: z.array(z.string()),
  enforcementState: z.literal('OFF'),
  forceUpgradeOnSignin: z.literal(false),
  schemaVersion: z.literal(1),
});

const recaptchaConfigAnswerSchema = z.object({
  recaptchaKey: z.string(),
  recaptchaEnforcementState: z.array(z.object({ provider: z.string(), enforcementState: z.literal('OFF') })),
});

const punctuation = [...'^$*.[]{}()?"!@#%&/\\,><\':;|_~'];

/** Requests about the project that the SDK can make. It makes none of them in ordinary use. */
export function serveSmallReads(app: MethodScope, parts: AccountParts): void {
  const projectNumber = projectNumberOf(parts.projectId);

  app.get(
    '/v1/projects',
    { schema: { summary: 'Get the number and domains of the project', response: { 200: projectsAnswerSchema } } },
    async () => {
      const domains = [parts.publicUrl(), ...parts.continueOrigins].map((origin) => new URL(origin).hostname);
      return { projectId: projectNumber, authorizedDomains: [...new Set(['localhost', ...domains])] };
    },
  );

  const { passwordMinLength: minPasswordLength, passwordMaxLength: maxPasswordLength } = identityLimits;
  app.get(
    '/v2/passwordPolicy',
    { schema: { summary: 'Get the password policy', response: { 200: passwordPolicyAnswerSchema } } },
    async () => ({
      customStrengthOptions: { minPasswordLength, maxPasswordLength },
      allowedNonAlphanumericCharacters: punctuation,
      enforcementState: 'OFF' as const,
      forceUpgradeOnSignin: false as const,
      schemaVersion: 1 as const,
    }),
  );

  app.get(
    '/v2/recaptchaConfig',
    { schema: { summary: 'reCAPTCHA is not used', response: { 200: recaptchaConfigAnswerSchema } } },
    async () => ({
      // The SDK parses the key even if nothing is enforced.
      recaptchaKey: `projects/${projectNumber}/keys/none`,
      recaptchaEnforcementState: [{ provider: 'EMAIL_PASSWORD_PROVIDER', enforcementState: 'OFF' as const }],
    }),
  );
}

/** Identity Toolkit methods that this server does not offer. They get a refusal of their own, not a 404. */
const paths = [
  '/v1/accounts::signInWithIdp',
  '/v1/accounts::signInWithCustomToken',
  '/v1/accounts::signInWithPhoneNumber',
  '/v1/accounts::signInWithEmailLink',
  '/v1/accounts::signInWithGameCenter',
  '/v1/accounts::sendVerificationCode',
  '/v1/accounts::verifyIosClient',
  '/v2/accounts::revokeToken',
  '/v2/accounts/mfaEnrollment::start',
  '/v2/accounts/mfaEnrollment::finalize',
  '/v2/accounts/mfaEnrollment::withdraw',
  '/v2/accounts/mfaSignIn::start',
  '/v2/accounts/mfaSignIn::finalize',
];

export function refuseWhatIsNotOffered(app: MethodScope): void {
  for (const path of paths) {
    app.post(path, { schema: { hide: true } }, async () => {
      throw new RequestRefusal(refusals.notOffered);
    });
  }
}
