import { describe, expect, it } from 'vitest';
import { readConfig } from '../../config/config.ts';
import { createQuotaCounter } from './daily-quotas.ts';

const defaults = readConfig({}).config;
const ann = { accountId: 'ann', network: '192.0.2.1' };
const bob = { accountId: 'bob', network: '192.0.2.1' };
const nobody = { accountId: null, network: '192.0.2.2' };
const exceeded = (of: string, by: string) => ({
  code: 'QUOTA_EXCEEDED',
  details: { of, by, retryAfterSeconds: expect.any(Number) },
});

describe('Daily quotas of uploads', () => {
  it('apply to an account, from whatever network address, and say when to come again', async () => {
    const quotas = createQuotaCounter({ ...defaults, recordingsPerAccount: { points: 2, windowSeconds: 60 } });
    await quotas.takeRecording(ann);
    await quotas.takeRecording({ ...ann, network: '192.0.2.9' });
    const refused = await quotas.takeRecording(ann).catch((error: unknown) => error);
    expect(refused).toMatchObject(exceeded('recordings', 'account'));
    expect(refused).toMatchObject({ details: { retryAfterSeconds: 60 } });
    await quotas.takeRecording(bob);
  });

  it('apply to a network address, whatever account uses it, and do not count refused uploads', async () => {
    const quotas = createQuotaCounter({
      ...defaults,
      recordingsPerAccount: { points: 2, windowSeconds: 60 },
      recordingsPerClient: { points: 2, windowSeconds: 60 },
    });
    await quotas.takeRecording(ann);
    await quotas.takeRecording(bob);
    for (let n = 0; n < 3; n += 1)
      await expect(quotas.takeRecording(bob)).rejects.toMatchObject(exceeded('recordings', 'network'));
    await quotas.takeRecording({ ...bob, network: '192.0.2.3' });
    await quotas.takeRecording(nobody);
  });

  it('apply to megabytes as well as to recordings', async () => {
    const quotas = createQuotaCounter({ ...defaults, megabytesPerAccount: { points: 100, windowSeconds: 60 } });
    await quotas.takeBytes(ann, 90_000_000);
    await expect(quotas.takeBytes(ann, 20_000_000)).rejects.toMatchObject(exceeded('megabytes', 'account'));
    await quotas.takeBytes(ann, 10_000_000);
    await quotas.takeBytes(ann, 0);
  });

  it('can be compared with an upload without counting it, and return what an upload did not use', async () => {
    const quotas = createQuotaCounter({
      ...defaults,
      recordingsPerAccount: { points: 1, windowSeconds: 60 },
      megabytesPerClient: { points: 100, windowSeconds: 60 },
    });
    await expect(quotas.checkBytes(ann, 100_000_001)).rejects.toMatchObject(exceeded('megabytes', 'network'));
    await quotas.checkBytes(ann, 100_000_000);
    await quotas.takeBytes(bob, 60_000_000);
    await expect(quotas.checkBytes(ann, 50_000_000)).rejects.toMatchObject(exceeded('megabytes', 'network'));
    await quotas.giveBytesBack(bob, 60_000_000);
    await quotas.checkBytes(ann, 100_000_000);
    await quotas.takeRecording(ann);
    await quotas.giveRecordingBack(ann);
    await quotas.takeRecording(ann);
    await expect(quotas.takeRecording(ann)).rejects.toMatchObject(exceeded('recordings', 'account'));
  });
});
