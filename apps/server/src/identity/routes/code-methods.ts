import {
  resetPasswordAnswerSchema,
  resetPasswordBodySchema,
  sendOobCodeAnswerSchema,
  sendOobCodeBodySchema,
} from '@chiffchaff/contract';
import { IdentityError } from '../identity-error.ts';
import type { EmbeddedIdentity } from '../open-embedded-identity.ts';
import { clientOf, type MethodScope } from './method-routes.ts';

/** Methods that request mails with codes and that use password reset codes. */
export function serveCodeMethods(app: MethodScope, { methods: { codeMails, codeRedemption } }: EmbeddedIdentity): void {
  const sending = 'Request an email to reset a password or verify an address';
  app.post(
    '/v1/accounts::sendOobCode',
    { schema: { summary: sending, body: sendOobCodeBodySchema, response: { 200: sendOobCodeAnswerSchema } } },
    async (request) => {
      if (request.body.returnOobLink) throw new IdentityError('INSUFFICIENT_PERMISSION');
      const email = await codeMails.send(request.body, clientOf(request));
      return { kind: 'identitytoolkit#GetOobConfirmationCodeResponse' as const, email };
    },
  );

  const resetting = 'Check a code, or set a new password with it';
  app.post(
    '/v1/accounts::resetPassword',
    { schema: { summary: resetting, body: resetPasswordBodySchema, response: { 200: resetPasswordAnswerSchema } } },
    async (request) => {
      const { oobCode, newPassword } = request.body;
      const client = clientOf(request);
      const { email, requestType, newEmail } =
        newPassword === undefined
          ? await codeRedemption.check(oobCode, client)
          : await codeRedemption.resetPassword(oobCode, newPassword, client);
      const kind = 'identitytoolkit#ResetPasswordResponse' as const;
      return { kind, email, requestType, ...(newEmail === null ? {} : { newEmail }) };
    },
  );
}
