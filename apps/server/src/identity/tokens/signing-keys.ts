import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import type { SigningKeysTable } from '../../database/tables.ts';
import { issueCertificate } from './certificate.ts';

const CERTIFICATE_YEARS = 20;

/** An RSA key that signs ID tokens. */
export interface SigningKey {
  readonly kid: string;
  readonly createdAtMs: number;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** PEM */
  readonly certificate: string;
}

/** A key as it is stored. */
export type StoredKey = Readonly<SigningKeysTable>;

/** Stores keys beyond the process: a new key at every start would invalidate all ID tokens. */
export interface KeyStore {
  /** All keys, oldest first; at least one. A key added by another process appears within a second. */
  list(): readonly SigningKey[];
  /** The key is in `list` once this resolves. */
  add(key: StoredKey): Promise<void>;
  close(): Promise<void>;
}

export async function generateKey(createdAtMs: number): Promise<StoredKey> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const notBefore = new Date(createdAtMs);
  const notAfter = new Date(createdAtMs);
  notAfter.setUTCFullYear(notAfter.getUTCFullYear() + CERTIFICATE_YEARS);
  return {
    kid: randomBytes(20).toString('hex'),
    createdAtMs,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: issueCertificate(privateKey, 'securetoken.chiffchaff', notBefore, notAfter),
  };
}

/** @throws Error if it is not a key */
export function openKey({ kid, createdAtMs, privateKey, certificate }: StoredKey): SigningKey {
  const key = createPrivateKey(privateKey);
  return { kid, createdAtMs, privateKey: key, publicKey: createPublicKey(key), certificate };
}

export const byAge = (a: SigningKey, b: SigningKey): number => a.createdAtMs - b.createdAtMs || a.kid.localeCompare(b.kid);

/** How long clients may cache the published keys. */
export const KEYS_MAX_AGE_SECONDS = 3600;
/** How long another process may take to notice a new key. */
const NOTICED_AFTER_MS = 1000;

export type SigningKeys = ReturnType<typeof createSigningKeys>;

/**
 * A new key replaces the previous one once it has been published for `KEYS_MAX_AGE_SECONDS`. The previous one stays published until the
 * last token it signed has expired.
 */
export function createSigningKeys(store: Pick<KeyStore, 'list' | 'add'>, idTokenTtlSeconds: number) {
  const usedFromMs = (key: SigningKey, first: SigningKey | undefined) =>
    key === first ? 0 : key.createdAtMs + KEYS_MAX_AGE_SECONDS * 1000;

  /** The keys to publish: those whose tokens are valid now or will be. */
  function published(): readonly SigningKey[] {
    const all = store.list();
    return all.filter((_, index) => {
      const successor = all[index + 1];
      const overlapMs = (idTokenTtlSeconds + KEYS_MAX_AGE_SECONDS) * 1000 + NOTICED_AFTER_MS;
      return successor === undefined || Date.now() < usedFromMs(successor, all[0]) + overlapMs;
    });
  }

  return {
    /** The key that signs new tokens. */
    current: (): SigningKey => {
      const all = store.list();
      const key = all.findLast((each) => usedFromMs(each, all[0]) <= Date.now());
      if (key === undefined) throw new Error('There is no signing key');
      return key;
    },
    published,
    find: (kid: string): SigningKey | undefined => published().find((key) => key.kid === kid),
    /** Adds a key. It is published at once and used as soon as no client's cached list can lack it. @returns its `kid` */
    rotate: async (): Promise<string> => {
      const key = await generateKey(Date.now());
      await store.add(key);
      return key.kid;
    },
  };
}
