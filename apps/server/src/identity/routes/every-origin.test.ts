import { expect, it } from 'vitest';
import { isIdentityAddress } from './every-origin.ts';

it.each([
  '/v1/accounts:signUp?key=k',
  '/v1/token?key=k',
  '/v1/projects',
  '/v1/projects/chiffchaff/accounts:lookup',
  '/v2/passwordPolicy?key=k',
  '/v2/recaptchaConfig',
  '/v2/accounts/mfaSignIn:start',
  '/identitytoolkit.googleapis.com/anything',
  '/securetoken.googleapis.com/v1/token',
  '/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com',
  '/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com',
])('%s belongs to the identity service', (url) => expect(isIdentityAddress(url)).toBe(true));

it.each([
  '/',
  '/get_prediction',
  '/v1/account',
  '/v1/account/terms',
  '/v1/predictions',
  '/v1/tokens',
  '/healthz?x=/v1/token',
  '/a/v1/token',
])('%s does not', (url) => expect(isIdentityAddress(url)).toBe(false));
