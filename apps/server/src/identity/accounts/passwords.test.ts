import { describe, expect, it } from 'vitest';
import {
  argon2Hasher,
  createPasswords,
  defaultPasswordCost,
  type PasswordCost,
  type PasswordHasher,
  readCost,
} from './passwords.ts';

const cheap: PasswordCost = { memoryKib: 64, passes: 1, lanes: 1 };

describe('The hasher of passwords (`createPasswords`)', () => {
  it('hashes with argon2id, 19 MiB, two passes and one lane', async () => {
    const passwords = await createPasswords();
    expect(readCost(await passwords.hash('correct horse'))).toEqual({ memoryKib: 19_456, passes: 2, lanes: 1 });
    expect(defaultPasswordCost).toEqual({ memoryKib: 19_456, passes: 2, lanes: 1 });
  });

  it('distinguishes the right password from a wrong one', async () => {
    const passwords = await createPasswords({ cost: cheap });
    const stored = await passwords.hash('correct horse');
    expect(await passwords.matches(stored, 'correct horse')).toBe(true);
    expect(await passwords.matches(stored, 'correct horse ')).toBe(false);
  });

  it('treats composed and decomposed letters as the same', async () => {
    const passwords = await createPasswords({ cost: cheap });
    expect(await passwords.matches(await passwords.hash('cafe\u0301-zilpzalp'), 'caf\u00e9-zilpzalp')).toBe(true);
  });

  it('does the same work for an account that does not exist as for a wrong password', async () => {
    const seen: (PasswordCost | null)[] = [];
    const hasher: PasswordHasher = {
      ...argon2Hasher,
      verify: (passwordHash, password) => {
        seen.push(readCost(passwordHash));
        return argon2Hasher.verify(passwordHash, password);
      },
    };
    const passwords = await createPasswords({ cost: cheap, hasher });
    await passwords.matches(await passwords.hash('correct horse'), 'wrong');
    expect(await passwords.matches(null, 'wrong')).toBe(false);
    expect(seen).toEqual([cheap, cheap]);
  });

  it('refuses to hash when too many hashes are waiting', async () => {
    let finish = (_: string) => {};
    const blocked = new Promise<string>((resolve) => {
      finish = resolve;
    });
    let isFirst = true;
    const hasher: PasswordHasher = {
      verify: async () => false,
      hash: () => {
        if (!isFirst) return blocked;
        isFirst = false;
        return Promise.resolve('hash of nobody');
      },
    };
    const passwords = await createPasswords({ hasher, concurrency: 1, maxWaiting: 2 });
    const running = passwords.hash('one');
    const waiting = [passwords.hash('two'), passwords.hash('three')];
    await new Promise(setImmediate);
    await expect(passwords.hash('four')).rejects.toMatchObject({ code: 'TOO_MANY_ATTEMPTS_TRY_LATER' });
    finish('hash');
    expect(await Promise.all([running, ...waiting])).toEqual(['hash', 'hash', 'hash']);
  });

  it('recognises a hash that was made with lower cost', async () => {
    const before = await createPasswords({ cost: cheap });
    const now = await createPasswords({ cost: { ...cheap, passes: 2 } });
    const stored = await before.hash('correct horse');
    expect(before.isOutdated(stored)).toBe(false);
    expect(now.isOutdated(stored)).toBe(true);
    expect(now.isOutdated('$2b$10$something')).toBe(true);
  });
});
