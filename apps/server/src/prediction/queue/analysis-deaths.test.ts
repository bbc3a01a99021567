import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
// biome-ignore lint/plugin: sleeps; to become a gate
import { setTimeout as sleep } from 'node:timers/promises';
import { AnalysisInterrupted, type AnalysisService } from '@chiffchaff/analysis';
import { eventually } from '@chiffchaff/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { writeObject } from '../../storage/object-storage.ts';
import { file } from '../../testing/multipart.ts';
import { type SignedInUser, signUp } from '../../testing/signed-in.ts';
import { createTestServer, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
let walker: SignedInUser;
let dataDir: string | undefined;
afterEach(async () => {
  await server.close();
  if (dataDir !== undefined) await rm(dataDir, { recursive: true, force: true });
  dataDir = undefined;
});

/** What an analysis process does with a recording, by file name. `die` ends the process, with all that it works on. */
type Deed = (content: string, process: { die(fromOutside?: boolean): void; save(): void }) => Promise<void>;

/** Starts a server whose analysis process is this one. */
async function start(deed: Deed) {
  const inWork = new Set<(error: Error) => void>();
  const begun: string[] = [];
  let mostAtOnce = 0;
  const beside = new Map<string, number>();
  const killable =
    (analyze: AnalysisService['analyze']): AnalysisService['analyze'] =>
    async (request, options) => {
      const killed = Promise.withResolvers<never>();
      killed.promise.catch(() => {});
      inWork.add(killed.reject);
      mostAtOnce = Math.max(mostAtOnce, inWork.size);
      const name = request.fileName ?? '';
      begun.push(name);
      beside.set(name, inWork.size - 1);
      const process = {
        die(fromOutside = false) {
          for (const reject of inWork) reject(new AnalysisInterrupted(fromOutside));
        },
        save: () => options.checkpoint?.onSaved?.(),
      };
      try {
        await Promise.race([deed(name, process), killed.promise]);
        return await analyze(request, options);
      } finally {
        inWork.delete(killed.reject);
      }
    };
  const changeService = (service: AnalysisService) => ({ ...service, analyze: killable(service.analyze) });
  server = await createTestServer({ limits: { jobsPerWorker: 6 }, changeService, ...(dataDir && { dataDir }) });
  walker = await signUp(server, `walker-${randomUUID()}@example.org`);
  return { begun, beside, mostAtOnce: () => mostAtOnce };
}

const send = (name: string) => walker.predict([file(name, name)], name);
const attemptsOf = async (): Promise<readonly number[]> =>
  (await server.database.query.selectFrom('predictions').select('attempts').execute()).map(({ attempts }) => attempts);

describe('When the analysis process dies,', () => {
  it('a recording that crashes it fails alone, and five others analysed beside it are answered', async () => {
    const names = ['good-1', 'good-2', 'poison', 'good-3', 'good-4', 'good-5'];
    let arrived = 0;
    const all = Promise.withResolvers<void>();
    const { begun, beside, mostAtOnce } = await start(async (name, process) => {
      arrived += 1;
      if (arrived === names.length) all.resolve();
      await all.promise;
      if (name === 'poison') process.die();
      await sleep(20);
    });
    const answers = await Promise.all(names.map(send));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 500, 200, 200, 200]);
    expect(answers[2]?.body).toMatchObject({ code: 'ANALYSIS_ABANDONED', retryable: false });
    expect(mostAtOnce()).toBe(6);
    expect(begun.filter((name) => name === 'poison')).toHaveLength(5);
    expect(beside.get('poison')).toBe(0);
    // With several machines, the answer is sent before the upload is removed.
    await eventually(async () => expect(await server.uploadedFiles()).toEqual([]));
  });

  it('no recording fails or has to run alone, even if the process is killed a hundred times from outside', async () => {
    let deaths = 0;
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const { mostAtOnce } = await start(async (_name, process) => {
      await sleep(1);
      if (deaths === 100) return;
      deaths += 1;
      process.die(true);
      await sleep(1000);
    });
    const answers = await Promise.all(names.map(send));
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
    expect(deaths).toBe(100);
    expect(mostAtOnce()).toBeGreaterThan(1);
    expect(await attemptsOf()).toEqual(names.map(() => 0));
  });

  it('a recording that makes progress in between does not fail, even after a hundred deaths of the process', async () => {
    let deaths = 0;
    await start(async (_name, process) => {
      if (deaths === 100) return;
      deaths += 1;
      // Every third time it makes no progress.
      if (deaths % 3 > 0) process.save();
      process.die();
      await sleep(1000);
    });
    expect(await send('long')).toMatchObject({ status: 200 });
    expect(deaths).toBe(100);
    expect(await attemptsOf()).toEqual([0]);
  });

  it('the server still knows after a restart how often a recording has crashed the process', async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'chiffchaff-deaths-'));
    await start(async () => {});
    const left = { id: randomUUID(), accountId: walker.accountId, idempotencyKey: 'key', state: 'queued', attempts: 2 } as const;
    const about = { requestHash: '', createdAtMs: 1, fields: '{}', sha256: '', bytes: 5, uploadName: 'left' };
    await server.database.change({}, (query) =>
      query
        .insertInto('predictions')
        .values({ ...left, ...about })
        .execute(),
    );
    await writeObject(server.storage, 'uploads/left', (path) => writeFile(path, 'sound'));
    await server.close();
    const { begun } = await start(async (_name, process) => {
      process.die();
      await sleep(1000);
    });
    await eventually(async () => {
      const row = await server.database.query.selectFrom('predictions').select(['state', 'attempts']).executeTakeFirst();
      expect(row).toEqual({ state: 'failed', attempts: 3 });
    });
    expect(begun).toHaveLength(1);
  });
});
