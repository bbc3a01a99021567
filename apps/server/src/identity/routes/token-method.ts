import { tokenAnswerSchema, tokenBodySchema } from '@chiffchaff/contract';
import { IdentityError } from '../identity-error.ts';
import type { EmbeddedIdentity } from '../open-embedded-identity.ts';
import { clientOf, type MethodScope, projectNumberOf } from './method-routes.ts';

/** The token service: issues a new ID token for a refresh token. Accepts a form, as in OAuth, or JSON. */
export function serveTokenMethod(app: MethodScope, { methods: { signIn, options } }: EmbeddedIdentity): void {
  const projectNumber = projectNumberOf(options.projectId);
  app.post(
    '/v1/token',
    {
      config: { signsOutOnJsonError: true },
      schema: { summary: 'Renew an ID token (form or JSON body)', body: tokenBodySchema, response: { 200: tokenAnswerSchema } },
    },
    async (request) => {
      const { grant_type: grantType, refresh_token: refreshToken } = request.body;
      if (!grantType) throw new IdentityError('MISSING_GRANT_TYPE');
      if (grantType !== 'refresh_token') throw new IdentityError('INVALID_GRANT_TYPE');
      if (!refreshToken) throw new IdentityError('MISSING_REFRESH_TOKEN');
      const { account, tokens } = await signIn.refresh(refreshToken, clientOf(request));
      return {
        access_token: tokens.idToken,
        id_token: tokens.idToken,
        expires_in: tokens.expiresIn,
        refresh_token: tokens.refreshToken,
        token_type: 'Bearer' as const,
        user_id: account.id,
        project_id: projectNumber,
      };
    },
  );
}
