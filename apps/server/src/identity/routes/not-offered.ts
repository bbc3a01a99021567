import { RequestRefusal, refusals } from './error-envelope.ts';
import type { MethodScope } from './method-routes.ts';

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
