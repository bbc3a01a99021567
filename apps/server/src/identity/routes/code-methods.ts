import {
  resetPassformatAnswerSchema,
  resetPasswordBodySchema,
  sendOobCodeAnswerSchema,
  sendOobCodeBodySchema,
} from '@chiffchaff/contract';
import type { EmbeddedIdentity } from '../create-identity.ts';
import { IdentityError } from '../identity-error.ts';
import { clientOf, IDENTITY_PREFIX, localeOf, type ServeMethod, withoutNulls } from './method-routes.ts';

const common = { prefix: IDENTITY_PREFIX, verb: 'POST', tag: 'Identity' } as const;

/** Asking for mails with codes, and using password reset codes. */
export function serveCodeMethods(serve: ServeMethod, { codeMails, codeActions }: EmbeddedIdentity): void {
  serve({
    ...common,
    path: '/v1/accounts:sendOobCode',
    summary: 'Ask for a mail to reset a password or to verify an address',
    body: sendOobCodeBodySchema,
    answer: sendOobCodeAnswerSchema,
    handle: async (body, request) => {
      const { returnOobLink, ...given } = withoutNulls(body);
      if (returnOobLink) throw new IdentityError('INSUFFICIENT_PERMISSION');
      const email = await codeMails.send({ ...given, locale: localeOf(request) }, clientOf(request));
      return { kind: 'identitytoolkit#GetOobConfirmationCodeResponse', email };
    },
  });

  serve({
    ...common,
    path: '/v1/accounts:resetPassword',
    summary: 'Look at a code, or set a new password with it',
    body: resetPasswordBodySchema,
    answer: resetPassformatAnswerSchema,
    handle: async (body, request) => {
      const { oobCode, newPassword } = withoutNulls(body);
      const client = clientOf(request);
      const code =
        newPassword === undefined
          ? await codeActions.check(oobCode, client)
          : await codeActions.resetPassword(oobCode, newPassword, client);
      const { email, requestType, newEmail } = code;
      return { kind: 'identitytoolkit#ResetPasswordResponse', email, requestType, ...(newEmail === null ? {} : { newEmail }) };
    },
  });
}
