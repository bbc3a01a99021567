import { identityLimits } from '@chiffchaff/contract';
import { z } from 'zod';
import type { EmbeddedIdentity } from '../create-identity.ts';
import { projectNumberOf } from '../project-number.ts';
import { IDENTITY_PREFIX, type ServeMethod } from './method-routes.ts';

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
const common = { prefix: IDENTITY_PREFIX, verb: 'GET', tag: 'Identity' } as const;

/** What the SDK may ask about a project. None of it is asked in ordinary use. */
export function serveSmallReads(serve: ServeMethod, { options }: EmbeddedIdentity): void {
  const projectNumber = projectNumberOf(options.projectId);

  serve({
    ...common,
    path: '/v1/projects',
    summary: 'Number and domains of the project',
    answer: projectsAnswerSchema,
    handle: async () => {
      const domains = [options.publicUrl(), ...options.continueOrigins].map((origin) => new URL(origin).hostname);
      return { projectId: projectNumber, authorizedDomains: [...new Set(['localhost', ...domains])] };
    },
  });

  serve({
    ...common,
    path: '/v2/passwordPolicy',
    summary: 'What passwords must be like',
    answer: passwordPolicyAnswerSchema,
    handle: async () => ({
      customStrengthOptions: {
        minPasswordLength: identityLimits.passwordMinLength,
        maxPasswordLength: identityLimits.passwordMaxLength,
      },
      allowedNonAlphanumericCharacters: punctuation,
      enforcementState: 'OFF',
      forceUpgradeOnSignin: false,
      schemaVersion: 1,
    }),
  });

  serve({
    ...common,
    path: '/v2/recaptchaConfig',
    summary: 'reCAPTCHA is not used',
    answer: recaptchaConfigAnswerSchema,
    handle: async () => ({
      // The SDK takes a key apart even when nothing is enforced.
      recaptchaKey: `projects/${projectNumber}/keys/none`,
      recaptchaEnforcementState: [{ provider: 'EMAIL_PASSWORD_PROVIDER', enforcementState: 'OFF' }],
    }),
  });
}
