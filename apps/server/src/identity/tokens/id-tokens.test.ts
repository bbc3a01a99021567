import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, exportJWK, exportSPKI, importSPKI, jwtVerify, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createIdTokens, type IdTokens } from './id-tokens.ts';
import { openKeyFolder } from './key-folder.ts';
import { createSigningKeys, type SigningKeys } from './signing-keys.ts';

const subject = {
  id: 'abc',
  email: 'ada@example.org',
  emailVerified: true,
  displayName: 'Ada',
  photoUrl: null,
  customAttributes: '{"plan":"club"}',
};
const nowMs = Date.parse('2026-05-01T12:00:00Z');
const nowSeconds = nowMs / 1000;
const session = { id: 'session', authTimeSeconds: nowSeconds - 600 };
let folder: string;
let keys: SigningKeys;
let tokens: IdTokens;
const projectId = 'chiffchaff';

beforeAll(async () => {
  vi.spyOn(Date, 'now').mockReturnValue(nowMs);
  folder = mkdtempSync(join(tmpdir(), 'chiffchaff-tokens-'));
  const store = await openKeyFolder(folder);
  keys = createSigningKeys(store, 3600);
  tokens = createIdTokens({ keys, projectId, ttlSeconds: 3600 });
});
afterAll(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

const good = {
  auth_time: nowSeconds - 600,
  iat: nowSeconds,
  exp: nowSeconds + 3600,
  iss: 'https://securetoken.google.com/chiffchaff',
  aud: projectId,
  sub: 'abc',
};
const header = () => ({ alg: 'RS256', kid: keys.current().kid, typ: 'JWT' });
const sign = (claims: Record<string, unknown>, protectedHeader = header()) =>
  new SignJWT(claims).setProtectedHeader(protectedHeader).sign(keys.current().privateKey);
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('The issuer and verifier of ID tokens (`createIdTokens`)', () => {
  it('issues tokens with the documented fields', async () => {
    const token = await tokens.issue(subject, session);
    expect(decodeProtectedHeader(token)).toEqual(header());
    expect(decodeJwt(token)).toEqual({
      ...good,
      user_id: 'abc',
      sid: 'session',
      name: 'Ada',
      plan: 'club',
      email: 'ada@example.org',
      email_verified: true,
      firebase: { identities: { email: ['ada@example.org'] }, sign_in_provider: 'password' },
    });
    await expect(tokens.read(token)).resolves.toMatchObject({ accountId: 'abc', sessionId: 'session', emailVerified: true });
  });

  it('issues tokens that any JOSE library verifies with the published key', async () => {
    const { publicKey, kid } = keys.current();
    const list = createLocalJWKSet({ keys: [{ ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' }] });
    const { payload } = await jwtVerify(await tokens.issue(subject, session), list, {
      currentDate: new Date(nowMs),
      audience: projectId,
    });
    expect(payload.sub).toBe('abc');
  });

  const refused = async (token: string, code = 'INVALID_ID_TOKEN') => {
    await expect(tokens.read(token)).rejects.toMatchObject({ code });
  };

  it('accepts an ID token that is unchanged and has not expired', async () => {
    await expect(tokens.read(await sign(good))).resolves.toMatchObject({ accountId: 'abc' });
  });
  it('accepts tokens issued in the future, because the clock may have been ahead', async () => {
    const ahead = { auth_time: nowSeconds + 7200, iat: nowSeconds + 7200, exp: nowSeconds + 10_800 };
    await expect(tokens.read(await sign({ ...good, ...ahead }))).resolves.toMatchObject({ accountId: 'abc' });
  });
  it('refuses a token with alg none, with and without a signature', async () => {
    await refused(`${base64({ alg: 'none', typ: 'JWT' })}.${base64(good)}.`);
    await refused(`${base64({ ...header(), alg: 'none' })}.${base64(good)}.c2ln`);
    await refused(`${base64({ ...header(), alg: 'None' })}.${base64(good)}.`);
  });
  it('refuses a token with HS256 that is signed with the public key', async () => {
    const pem = await exportSPKI(
      await importSPKI(keys.current().publicKey.export({ type: 'spki', format: 'pem' }).toString(), 'RS256', {
        extractable: true,
      }),
    );
    for (const secret of [pem, keys.current().certificate]) {
      await refused(await new SignJWT(good).setProtectedHeader({ ...header(), alg: 'HS256' }).sign(Buffer.from(secret)));
    }
  });
  it('refuses a token with another algorithm of the same key', async () => {
    await refused(await sign(good, { ...header(), alg: 'RS512' }));
    await refused(await sign(good, { ...header(), alg: 'PS256' }));
  });
  it('refuses a token with an unknown key id, or with none', async () => {
    await refused(await sign(good, { ...header(), kid: 'unknown' }));
    await refused(await new SignJWT(good).setProtectedHeader({ alg: 'RS256' }).sign(keys.current().privateKey));
  });
  it('refuses a token whose contents were changed', async () => {
    const [head, , signature] = (await sign(good)).split('.');
    await refused(`${head}.${base64({ ...good, sub: 'somebody else' })}.${signature}`);
  });
  it('refuses an expired token', async () => {
    await refused(await sign({ ...good, exp: nowSeconds - 1 }), 'TOKEN_EXPIRED');
    await refused(await sign({ ...good, exp: nowSeconds }), 'TOKEN_EXPIRED');
  });
  it.each([
    ['another audience', { aud: 'other-project' }],
    ['another issuer', { iss: 'https://securetoken.google.com/other-project' }],
    ['an empty subject', { sub: '' }],
    ['a subject of more than 128 characters', { sub: 'x'.repeat(129) }],
    ['no expiry', { exp: undefined }],
    ['no sign-in time', { auth_time: undefined }],
  ])('refuses an ID token with %s', async (_, claims) => refused(await sign({ ...good, ...claims })));
  it.each(['', 'x', 'a.b.c', '....', 'ey.ey.ey', '💥', `${'a'.repeat(5000)}.b.c`])(
    'refuses the text %j as an ID token',
    async (token) => refused(token),
  );
});
