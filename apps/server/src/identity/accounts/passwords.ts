import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { type Algorithm, hash, verify } from '@node-rs/argon2';
import pLimit from 'p-limit';
import { IdentityError } from '../identity-error.ts';

/** Cost of one argon2id hash: OWASP's first choice for 19 MiB. */
export const defaultPasswordCost = { memoryKib: 19_456, passes: 2, lanes: 1 };
export type PasswordCost = Readonly<typeof defaultPasswordCost>;

// The package's `Algorithm` is an ambient const enum, which type stripping does not support; 2 is Argon2id.
const ARGON2ID = 2 as Algorithm;

/** argon2id in the thread pool, never on the event loop. */
export const argon2Hasher = {
  hash: (password: string, { memoryKib, passes, lanes }: PasswordCost): Promise<string> =>
    hash(password, { algorithm: ARGON2ID, memoryCost: memoryKib, timeCost: passes, parallelism: lanes }),
  verify: (passwordHash: string, password: string): Promise<boolean> => verify(passwordHash, password),
};

/** The hash function, replaceable so that tests can observe it. */
export type PasswordHasher = typeof argon2Hasher;

export interface PasswordOptions {
  readonly cost?: PasswordCost;
  /** Concurrent hashes; by default one less than the number of cores, at least 1 and at most 4. */
  readonly concurrency?: number;
  /** How many calls may wait before further ones are refused. */
  readonly maxWaiting?: number;
  readonly hasher?: PasswordHasher;
}

export type Passwords = Awaited<ReturnType<typeof createPasswords>>;

/**
 * Hashes and verifies passwords, a limited number at a time.
 *
 * @throws IdentityError TOO_MANY_ATTEMPTS_TRY_LATER from `hash` and `matches` when too many calls are waiting
 */
export async function createPasswords(options: PasswordOptions = {}) {
  const { cost = defaultPasswordCost, maxWaiting = 64, hasher = argon2Hasher } = options;
  const limit = pLimit(options.concurrency ?? Math.max(1, Math.min(4, availableParallelism() - 1)));
  const hashOfUnknown = await hasher.hash(randomBytes(32).toString('base64'), cost);

  function queue<Result>(work: () => Promise<Result>): Promise<Result> {
    if (limit.pendingCount >= maxWaiting) {
      throw new IdentityError('TOO_MANY_ATTEMPTS_TRY_LATER', 'The server is busy signing people in. Try again in a moment.');
    }
    return limit(work);
  }

  return {
    hash: async (password: string): Promise<string> => queue(() => hasher.hash(normalise(password), cost)),
    /** null stands for an unknown account: the same work is done, and the result is false. */
    matches: async (passwordHash: string | null, password: string): Promise<boolean> => {
      const isMatch = await queue(() => hasher.verify(passwordHash ?? hashOfUnknown, normalise(password)));
      return isMatch && passwordHash !== null;
    },
    /** Whether a hash was made at a lower cost than the current one. */
    isOutdated: (passwordHash: string): boolean => {
      const found = readCost(passwordHash);
      return found === null || found.memoryKib < cost.memoryKib || found.passes < cost.passes || found.lanes < cost.lanes;
    },
  };
}

/** Keyboards encode the same letter in different ways (é as one character or two); NIST SP 800-63B asks for one form. */
const normalise = (password: string): string => password.normalize('NFKC');

/** The cost in a PHC string, or null if it is not argon2id. */
export function readCost(passwordHash: string): PasswordCost | null {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$/.exec(passwordHash);
  return match === null ? null : { memoryKib: Number(match[1]), passes: Number(match[2]), lanes: Number(match[3]) };
}
