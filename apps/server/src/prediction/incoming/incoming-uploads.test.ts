import { type ProblemCode, problems } from '@chiffchaff/contract';
import { eventually } from '@chiffchaff/testing';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../config/config.ts';
import { HttpProblem } from '../../http/http-problem.ts';
import { StorageError } from '../../storage/storage-error.ts';
import { createQuotaCounter } from './daily-quotas.ts';
import { createDiskGuard } from './disk-guard.ts';
import { createIncomingUploads } from './incoming-uploads.ts';
import type { Uploads } from './uploads.ts';

const MEGABYTE = 1_000_000;
const nobody = { accountId: null, network: null };
const defaults = readConfig({}).config;
const ann = { accountId: 'ann', network: '192.0.2.1' };
const full = { code: 'STORAGE_FULL' };
/** No recording is written here. */
const uploads = {
  receivePathOf: () => '/nowhere',
  remove: async () => {},
} as Partial<Uploads> as Uploads;

/** Bodies for a disk with this much room and a quota, and how much they take of the quota. */
function receiving({ roomBytes = Number.MAX_SAFE_INTEGER, quotaMegabytes = 1000 } = {}) {
  const disk = { roomBytes };
  const diskGuard = createDiskGuard('/', 0, async () => disk.roomBytes);
  const limit = { points: quotaMegabytes, windowSeconds: 60 };
  const quotas = createQuotaCounter({ ...defaults, megabytesPerAccount: limit });
  const taken = { quota: 0, steps: 0 };
  const counted: typeof quotas = {
    ...quotas,
    async takeBytes(sender, bytes) {
      await quotas.takeBytes(sender, bytes);
      taken.quota += bytes;
      taken.steps += 1;
    },
  };
  return { disk, taken, quotas, ...createIncomingUploads({ quotas: counted, diskGuard, uploads, arrivals: null }) };
}
const soon = () => new Promise((resolve) => setImmediate(resolve));

describe('An incoming upload', () => {
  it('takes quota for its announced size a megabyte at a time, each before its bytes arrive', async () => {
    const { taken, beginBody } = receiving();
    const body = await beginBody(ann, 2_500_000);
    expect(taken.quota).toBe(MEGABYTE);
    body.count(MEGABYTE + 1);
    await eventually(() => expect(taken.quota).toBe(2 * MEGABYTE));
    body.count(2_500_000 - MEGABYTE - 1);
    await eventually(() => expect(taken).toEqual({ quota: 2_500_000, steps: 3 }));
  });

  it('gives back all that it took of the quota if it fails', async () => {
    const { quotas, beginBody } = receiving({ quotaMegabytes: 5 });
    const body = await beginBody(ann, null);
    body.count(4 * MEGABYTE);
    await soon();
    await expect(quotas.checkBytes(ann, MEGABYTE + 1)).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
    await quotas.checkBytes(ann, MEGABYTE);
    await body.giveBack();
    await quotas.checkBytes(ann, 5 * MEGABYTE);
    await expect(quotas.checkBytes(ann, 5 * MEGABYTE + 1)).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
  });

  it('is refused if the disk has no space for its announced size, or for a first megabyte if none is announced', async () => {
    const { beginBody } = receiving({ roomBytes: MEGABYTE / 2 });
    await expect(beginBody(nobody, 6 * MEGABYTE)).rejects.toMatchObject(full);
    await expect(beginBody(nobody, null)).rejects.toMatchObject(full);
  });

  it('ends when the disk has no space for its next megabyte', async () => {
    const { disk, beginBody } = receiving({ roomBytes: MEGABYTE });
    const body = await beginBody(nobody, null);
    body.count(MEGABYTE);
    await soon();
    expect(body.signal.aborted).toBe(false);
    disk.roomBytes -= 1;
    body.count(1);
    await eventually(() => expect(body.signal.reason).toMatchObject(full));
  });

  it('ends when the quota of its account is used up', async () => {
    const { beginBody } = receiving({ quotaMegabytes: 1 });
    const body = await beginBody(ann, null);
    body.count(MEGABYTE + 1);
    await eventually(() => expect(body.signal.reason).toMatchObject({ code: 'QUOTA_EXCEEDED' }));
  });
});

describe('An incoming upload that becomes no prediction', () => {
  const lost = new DOMException('The connection was lost', 'AbortError');
  const begin = () => receiving().begin({ sender: ann, idempotencyKey: 'key', announcedBytes: 1, isRepeated: false });

  it.each([
    ['a lost connection', lost, 'UPLOAD_INTERRUPTED'],
    ['an error of the server', new TypeError('broken'), 'UPLOAD_INTERRUPTED'],
    ['a full disk', Object.assign(new Error('full'), { code: 'ENOSPC' }), 'STORAGE_FULL'],
    ['storage that is out of reach', new StorageError('AWAY', 'away'), 'SERVER_BUSY'],
    ['a sender that is too slow', new HttpProblem('UPLOAD_TIMEOUT', {}), 'UPLOAD_TIMEOUT'],
  ])('because of %s may be sent again', async (_why, error, code) => {
    await using pending = await begin();
    await expect(pending.becomes(() => Promise.reject(error))).rejects.toBe(error);
    expect(await pending.become()).toMatchObject({ problem: { code } });
    expect(problems[code as ProblemCode].retryable).toBe(true);
  });

  it('because its owner cancelled it is reported as cancelled, even if its connection is then lost', async () => {
    await using pending = await begin();
    const cancelled = pending.cancel();
    await expect(pending.becomes(() => Promise.reject(lost))).rejects.toBe(lost);
    expect(await cancelled).toMatchObject({ problem: { code: 'PREDICTION_CANCELLED' } });
  });
});

describe('Simultaneous incoming uploads', () => {
  it('are limited by account, by network, and in total', async () => {
    const { beginBody } = receiving();
    const of = (accountId: string | null, network: string | null) => ({ accountId, network });
    const begin = (times: number, sender: (n: number) => Parameters<typeof beginBody>[0]) =>
      Promise.all(Array.from({ length: times }, (_, n) => beginBody(sender(n), 0)));
    const busy = (details: object) => ({ code: 'SERVER_BUSY', details: { retryAfterSeconds: 5, ...details } });
    const [first] = await begin(8, (n) => of('ann', `network ${n}`));
    await expect(beginBody(of('ann', 'any'), 0)).rejects.toMatchObject(busy({ by: 'account' }));
    first?.[Symbol.dispose]();
    await begin(1, () => of('ann', 'any'));
    await begin(64, (n) => of(`account ${n}`, '192.0.2.1'));
    await expect(beginBody(of('bob', '192.0.2.1'), 0)).rejects.toMatchObject(busy({ by: 'network' }));
    await begin(256 - 8 - 64, (n) => of(null, `other network ${n}`));
    const refused: unknown = await beginBody(of('bob', '192.0.2.2'), 0).catch((error: unknown) => error);
    expect(refused).toMatchObject(busy({}));
    expect(refused).not.toHaveProperty('details.by');
  });
});
