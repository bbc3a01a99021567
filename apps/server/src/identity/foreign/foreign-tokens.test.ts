import fastify, { type FastifyInstance } from 'fastify';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createFirebaseTokenReader } from './foreign-tokens.ts';

type Key = Awaited<ReturnType<typeof createKey>>;

let app: FastifyInstance;
let keysUrl: string;
let published: readonly Key[] = [];
let fetched = 0;
let keys: readonly [Key, Key];

async function createKey(kid: string) {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' } };
}

const nowSeconds = () => Math.floor(Date.now() / 1000);
const sign = ({ kid, privateKey }: Key, { authTime = nowSeconds(), issuedAt = nowSeconds() } = {}) =>
  new SignJWT({ auth_time: authTime })
    .setProtectedHeader({ alg: 'RS256', kid })
    .setIssuer('https://securetoken.google.com/chiffchaff')
    .setAudience('chiffchaff')
    .setSubject('somebody')
    .setIssuedAt(issuedAt)
    .setExpirationTime('1h')
    .sign(privateKey);

beforeAll(async () => {
  keys = [await createKey('first'), await createKey('second')];
  app = fastify();
  app.get('/keys', async () => {
    fetched += 1;
    return { keys: published.map(({ jwk }) => jwk) };
  });
  keysUrl = `${await app.listen({ host: '127.0.0.1', port: 0 })}/keys`;
});
afterAll(() => app.close());
beforeEach(() => {
  fetched = 0;
});

const reader = (keysCooldownMs?: number) =>
  createFirebaseTokenReader({
    projectId: 'chiffchaff',
    keysUrl,
    ...(keysCooldownMs === undefined ? {} : { keysCooldownMs }),
  });

it('The reader of Firebase’s ID tokens fetches the public keys once for many tokens', async () => {
  published = [keys[0]];
  const read = reader();
  const tokens = await Promise.all(Array.from({ length: 5 }, () => sign(keys[0])));
  for (const token of tokens) await expect(read(token)).resolves.toMatchObject({ accountId: 'somebody' });
  expect(fetched).toBe(1);
});

it('The reader of Firebase’s ID tokens fetches the public keys again when Firebase signs with a new one', async () => {
  published = [keys[0]];
  const read = reader(0);
  await read(await sign(keys[0]));
  published = keys;
  await expect(read(await sign(keys[1]))).resolves.toMatchObject({ accountId: 'somebody' });
  await expect(read(await sign(keys[0]))).resolves.toMatchObject({ accountId: 'somebody' });
  expect(fetched).toBe(2);
});

it('The reader of Firebase’s ID tokens does not fetch keys for each invented key id', async () => {
  published = [keys[0]];
  const read = reader();
  await read(await sign(keys[0]));
  const forger = await createKey('made-up');
  for (let attempt = 0; attempt < 5; attempt++) {
    await expect(read(await sign({ ...forger, kid: `made-up-${attempt}` }))).rejects.toMatchObject({ code: 'INVALID_ID_TOKEN' });
  }
  expect(fetched).toBe(1);
});

it('The reader of Firebase’s ID tokens refuses a token of another key under a known id', async () => {
  published = [keys[0]];
  await expect(reader()(await sign({ ...keys[1], kid: 'first' }))).rejects.toMatchObject({ code: 'INVALID_ID_TOKEN' });
});

it('The reader of Firebase’s ID tokens refuses a token that was issued, or whose user signed in, in the future', async () => {
  published = [keys[0]];
  const read = reader();
  await expect(read(await sign(keys[0], { issuedAt: nowSeconds() + 2 }))).resolves.toMatchObject({ accountId: 'somebody' });
  for (const times of [{ issuedAt: nowSeconds() + 60 }, { authTime: nowSeconds() + 60 }]) {
    await expect(read(await sign(keys[0], times))).rejects.toMatchObject({ code: 'INVALID_ID_TOKEN' });
  }
});
