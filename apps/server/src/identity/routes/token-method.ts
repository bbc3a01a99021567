import { tokenAnswerSchema, tokenBodySchema } from '@chiffchaff/contract';
import type { EmbeddedIdentity } from '../create-identity.ts';
import { IdentityError } from '../identity-error.ts';
import { projectNumberOf } from '../project-number.ts';
import { clientOf, type ServeMethod, TOKEN_PREFIX, withoutNulls } from './method-routes.ts';

/** The token service: a new ID token for a refresh token. Takes a form, as OAuth has it, or JSON. */
export function serveTokenMethod(serve: ServeMethod, { signIn, options }: EmbeddedIdentity): void {
  const projectNumber = projectNumberOf(options.projectId);
  serve({
    prefix: TOKEN_PREFIX,
    path: '/v1/token',
    verb: 'POST',
    tag: 'Identity',
    summary: 'Renew an ID token (form or JSON body)',
    signsOutOnJsonError: true,
    body: tokenBodySchema,
    answer: tokenAnswerSchema,
    handle: async (body, request) => {
      const { grant_type: grantType, refresh_token: refreshToken } = withoutNulls(body);
      if (!grantType) throw new IdentityError('MISSING_GRANT_TYPE');
      if (grantType !== 'refresh_token') throw new IdentityError('INVALID_GRANT_TYPE');
      if (!refreshToken) throw new IdentityError('MISSING_REFRESH_TOKEN');
      const { account, tokens } = await signIn.refresh(refreshToken, clientOf(request));
      return {
        access_token: tokens.idToken,
        id_token: tokens.idToken,
        expires_in: tokens.expiresIn,
        refresh_token: tokens.refreshToken,
        token_type: 'Bearer',
        user_id: account.id,
        project_id: projectNumber,
      };
    },
  });
}
