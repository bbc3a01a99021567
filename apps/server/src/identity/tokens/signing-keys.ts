import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject, randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { DatabaseError } from '../../database/database-error.ts';
import { issueCertificate } from './certificate.ts';

/** Where in the data folder the keys are. */
export const KEYS_FOLDER_NAME = 'keys';
/** How long readers may keep the published keys. */
export const KEYS_MAX_AGE_SECONDS = 3600;
/** A rotation by another process is noticed within this time. */
const RELOAD_AFTER_MS = 1000;
const CERTIFICATE_YEARS = 20;

export interface SigningKey {
  readonly kid: string;
  readonly createdAtMs: number;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** PEM */
  readonly certificate: string;
}

export type SigningKeys = Awaited<ReturnType<typeof createSigningKeys>>;

interface SigningKeyOptions {
  /** a folder for keys alone */
  readonly folder: string;
  readonly idTokenTtlSeconds: number;
  /** milliseconds since 1970 */
  readonly now: () => number;
}

const keyFileSchema = z.object({ kid: z.string(), createdAt: z.iso.datetime(), privateKey: z.string(), certificate: z.string() });

/**
 * The RSA keys that ID tokens are signed with, one file each, readable for their owner only. They outlive the process: a new
 * key at every start would end all sessions.
 *
 * A key follows the one before it once its list has been public for `keysMaxAgeSeconds`, and the one before stays listed until the
 * last token it signed has expired. Removing a key's file by hand and starting again voids its tokens at once.
 */
export async function createSigningKeys({ folder, idTokenTtlSeconds, now }: SigningKeyOptions) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if ((statSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700);
  removeHalfWritten(folder);
  let changedAtMs = changeOf(folder);
  let keys = readKeys(folder);
  if (keys.length === 0) keys = [await createKey(folder, now())];
  let lookedAtMs = now();

  function refresh(): readonly SigningKey[] {
    if (Math.abs(now() - lookedAtMs) < RELOAD_AFTER_MS) return keys;
    lookedAtMs = now();
    const foundMs = changeOf(folder);
    if (foundMs === changedAtMs) return keys;
    changedAtMs = foundMs;
    keys = readKeysOr(folder, keys);
    return keys;
  }

  const usedFromMs = (key: SigningKey) => (key === keys[0] ? 0 : key.createdAtMs + KEYS_MAX_AGE_SECONDS * 1000);

  /** Every key whose tokens are still good, or will be; to be published. */
  function published(): readonly SigningKey[] {
    const all = refresh();
    return all.filter((_, index) => {
      const successor = all[index + 1];
      const overlapMs = (idTokenTtlSeconds + KEYS_MAX_AGE_SECONDS) * 1000 + RELOAD_AFTER_MS;
      return successor === undefined || now() < usedFromMs(successor) + overlapMs;
    });
  }

  return {
    /** The key that new tokens are signed with. */
    current: (): SigningKey => {
      const key = refresh().findLast((each) => usedFromMs(each) <= now());
      if (key === undefined) throw new Error('There is no signing key');
      return key;
    },
    published,
    find: (kid: string): SigningKey | undefined => published().find((key) => key.kid === kid),
    /** Adds a key. It is published at once and used as soon as no reader's copy of the list can lack it. */
    rotate: async (): Promise<SigningKey> => {
      const key = await createKey(folder, now());
      keys = readKeys(folder);
      return key;
    },
  };
}

/** Adding or removing a file changes the folder. */
const changeOf = (folder: string): number => statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** An emptied or unreadable folder takes effect at the next start; until then people stay signed in. */
function readKeysOr(folder: string, fallback: readonly SigningKey[]): readonly SigningKey[] {
  try {
    const found = readKeys(folder);
    return found.length > 0 ? found : fallback;
  } catch {
    return fallback;
  }
}

/** What a killed process left of a key that nothing was signed with yet. */
function removeHalfWritten(folder: string): void {
  for (const name of readdirSync(folder))
    if (/^signing-[0-9a-f]+\.json\.part$/.test(name)) rmSync(join(folder, name), { force: true });
}

/** All keys of a folder, oldest first. */
function readKeys(folder: string): readonly SigningKey[] {
  return readdirSync(folder)
    .filter((name) => /^signing-[0-9a-f]+\.json$/.test(name))
    .map((name) => {
      const path = join(folder, name);
      if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
      return readKey(path);
    })
    .sort((a, b) => a.createdAtMs - b.createdAtMs || a.kid.localeCompare(b.kid));
}

/** @throws DatabaseError FILE_DAMAGED */
function readKey(path: string): SigningKey {
  const text = readFileSync(path, 'utf8');
  try {
    const { kid, createdAt, privateKey, certificate } = keyFileSchema.parse(JSON.parse(text));
    const key = createPrivateKey(privateKey);
    return { kid, createdAtMs: Date.parse(createdAt), privateKey: key, publicKey: createPublicKey(key), certificate };
  } catch (cause) {
    const found = text.trim() === '' ? 'empty' : 'damaged';
    throw new DatabaseError(
      'FILE_DAMAGED',
      `The signing key ${path} is ${found}. Put it back from a backup; or remove the file, which voids the tokens that were signed with it.`,
      { cause },
    );
  }
}

async function createKey(folder: string, createdAtMs: number): Promise<SigningKey> {
  const { privateKey, publicKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const kid = randomBytes(20).toString('hex');
  const notBefore = new Date(createdAtMs);
  const notAfter = new Date(createdAtMs);
  notAfter.setUTCFullYear(notAfter.getUTCFullYear() + CERTIFICATE_YEARS);
  const certificate = issueCertificate(privateKey, 'securetoken.chiffchaff', notBefore, notAfter);
  const file: z.infer<typeof keyFileSchema> = {
    kid,
    createdAt: notBefore.toISOString(),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate,
  };
  const path = join(folder, `signing-${kid}.json`);
  writeFileSync(`${path}.part`, JSON.stringify(file), { mode: 0o600, flush: true });
  renameSync(`${path}.part`, path);
  return { kid, createdAtMs, privateKey, publicKey, certificate };
}
