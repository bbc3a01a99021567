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
