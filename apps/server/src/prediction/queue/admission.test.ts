import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../database/database.ts';
import { HttpProblem } from '../../http/http-problem.ts';
import { dropTestDatabase, openTestDatabase } from '../../testing/test-database.ts';
import type { Sender } from '../incoming/owners.ts';
import { createAdmission } from './admission.ts';

let dataDir: string;
let database: Database;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'chiffchaff-admission-'));
  database = await openTestDatabase(dataDir);
});
afterEach(async () => {
  await database.close();
  await dropTestDatabase(dataDir);
  await rm(dataDir, { recursive: true, force: true });
});

let count = 0;
/** A different sender each time. */
const newSender = (): Sender => {
  count += 1;
  return { accountId: `account ${count}`, network: `network ${count}` };
};
const senders = (length: number, sender: () => Sender = newSender): readonly Sender[] => Array.from({ length }, sender);
const busy = (by?: 'account' | 'network') => ({
  code: 'SERVER_BUSY',
  details: { retryAfterSeconds: expect.any(Number), ...(by && { by }) },
});
const ann = { accountId: 'ann', network: '192.0.2.1' };
const atHerAddress = { accountId: 'bob', network: '192.0.2.1' };

const open = (places: number, waiting: number, jobSeconds = 1) =>
  createAdmission({ query: database.query, waiting, workers: () => ({ places, jobSeconds }) });

/** Adds recordings that have arrived and have no answer yet. */
async function queue(from: readonly Sender[]): Promise<void> {
  const rows = from.map(({ accountId, network }) => {
    count += 1;
    const job = { id: `prediction ${count}`, accountId, network, createdAtMs: count, requestHash: '', state: 'queued' } as const;
    return { ...job, fields: '{}', sha256: '', bytes: 1, attempts: 0 };
  });
  await database.change({}, (query) => query.insertInto('predictions').values(rows).execute());
}

const fail = (sender: Sender) =>
  database.change({}, (query) =>
    query.updateTable('predictions').set({ state: 'failed' }).where('accountId', '=', sender.accountId).execute(),
  );

describe('Admission of recordings', () => {
  it('admits as many recordings as can run and wait, and one more when one of them has ended', async () => {
    const admission = open(1, 2);
    const [first, ...others] = [newSender(), newSender(), newSender()];
    await queue([first, ...others]);
    await expect(admission.check(newSender())).rejects.toMatchObject(busy());
    await fail(first);
    await admission.check(newSender());
    await queue([newSender()]);
    await expect(admission.check(newSender())).rejects.toMatchObject(busy());
  });

  it('does not count recordings that have not arrived', async () => {
    const admission = open(1, 0);
    for (let n = 0; n < 10; n += 1) await admission.check(newSender());
  });

  it('tells refused clients to wait longer, within limits, the longer jobs take and the more of them wait', async () => {
    const retryAfter = async (waiting: number, jobSeconds: number): Promise<number> => {
      await database.change({}, (query) => query.deleteFrom('predictions').execute());
      await queue(senders(waiting + 1));
      const error: unknown = await open(1, waiting, jobSeconds)
        .check(newSender())
        .catch((reason: unknown) => reason);
      if (error instanceof HttpProblem && 'retryAfterSeconds' in error.details) return error.details.retryAfterSeconds;
      return Number.NaN;
    };
    expect(await retryAfter(0, 0.1)).toBe(2);
    expect(await retryAfter(4, 2)).toBe(10);
    expect(await retryAfter(4, 4)).toBe(20);
    expect(await retryAfter(1000, 2)).toBe(120);
  });

  it('refuses every recording when it is closed', async () => {
    const admission = open(1, 1);
    admission.close();
    await expect(admission.check(newSender())).rejects.toMatchObject(busy());
  });

  it('limits one account to a quarter of all permits, and not other accounts at its network address', async () => {
    const admission = open(4, 32);
    await queue(senders(8, () => ann));
    await admission.check(ann);
    await queue([ann]);
    await expect(admission.check(ann)).rejects.toMatchObject(busy('account'));
    await admission.check(atHerAddress);
  });

  it.each([
    ['no account is signed in', () => ({ accountId: null, network: '192.0.2.1' })],
    ['there are many accounts', () => ({ ...newSender(), network: '192.0.2.1' })],
  ])('limits one network address to three quarters of all permits when %s', async (_who, sender) => {
    const admission = open(4, 32);
    await queue(senders(27, sender));
    await expect(admission.check(sender())).rejects.toMatchObject(busy('network'));
    await admission.check({ accountId: null, network: '192.0.2.2' });
  });

  it.each([
    ['a network’s', () => ({ ...newSender(), network: '192.0.2.1' }), 27],
    ['an account’s', () => ann, 9],
  ])(
    'lets recordings that arrive together in excess of %s share wait without permits of other accounts and networks',
    async (_whose, sender, share) => {
      const admission = open(4, 32);
      await queue(senders(60, sender));
      await queue(senders(36 - share - 1));
      await admission.check(newSender());
      await queue([newSender()]);
      await expect(admission.check(newSender())).rejects.toMatchObject(busy());
    },
  );

  it('lets every requester send a few recordings at once, however few permits there are', async () => {
    const admission = open(1, 4);
    for (let n = 0; n < 4; n += 1) {
      await admission.check(ann);
      await queue([ann]);
    }
  });
});
