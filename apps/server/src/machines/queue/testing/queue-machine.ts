import { randomUUID } from 'node:crypto';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAnalysisService } from '@chiffchaff/analysis';
import { pino } from 'pino';
import { openPostgres } from '../../../database/postgres/open-postgres.ts';
import { createMetrics } from '../../../operation/metrics.ts';
import type { PendingUpload } from '../../../prediction/incoming/incoming-uploads.ts';
import { openUploads } from '../../../prediction/incoming/uploads.ts';
import { createModelLoader } from '../../../prediction/model-loader.ts';
import { createPredictionStore } from '../../../prediction/stored/prediction-store.ts';
import { createReviewStore } from '../../../prediction/stored/review-store.ts';
import { createStoredAnswers } from '../../../prediction/stored/stored-answers.ts';
import { openFolderStorage } from '../../../storage/folder-storage.ts';
import { createFakeAnalyzer } from '../../../testing/fake-analyzer.ts';
import { openPostgresQueue } from '../postgres-queue.ts';

export interface QueueMachineOptions {
  /** of the database */
  readonly url: string;
  /** shared by all machines of a test: uploads, and files through which they signal each other */
  readonly folder: string;
  readonly works: boolean;
  readonly running?: number;
  readonly retryLimit?: number;
}

export interface NewRecording {
  readonly id: string;
  readonly name: string;
  readonly accountId?: string | null;
  readonly idempotencyKey?: string | null;
  /** how long it is */
  readonly bytes?: number;
}

const LOOK_EVERY_MS = 20;

/** What workers have done, one line each: what, process ID, recording. */
export const deedsIn = async (folder: string): Promise<readonly string[]> =>
  (await readFile(join(folder, 'deeds'), 'utf8').catch(() => '')).split('\n').filter(Boolean);

/** Lets a recording that waits for this be answered. */
export const letGo = (folder: string, name: string): Promise<void> => writeFile(join(folder, `let-go-${name}`), '');

/** Opens the queue of one machine with a fake analysis: a recording whose name begins with `slow` is answered after `letGo`. */
export async function openQueueMachine({ url, folder, works, running = 1, ...rest }: QueueMachineOptions) {
  const log = pino({ level: 'silent' });
  const database = await openPostgres(url, { log });
  const analyzer = createFakeAnalyzer();
  const deed = (what: string, name: string | null): Promise<void> =>
    appendFile(join(folder, 'deeds'), `${what} ${process.pid} ${name}\n`);

  const service = createAnalysisService({
    openInstalled: async () => ({
      ...analyzer,
      async analyze(request, options) {
        const { fileName } = request;
        await deed('began', fileName);
        options.onProgress?.({ fraction: 0.5, analysedSeconds: 1.5, detectionsSoFar: () => [] });
        try {
          while (fileName?.startsWith('slow') && !(await isThere(join(folder, `let-go-${fileName}`)))) {
            await sleep(LOOK_EVERY_MS, undefined, { signal: options.signal });
          }
        } catch (error) {
          await deed('stopped', fileName);
          throw error;
        }
        return analyzer.analyze(request, options);
      },
    }),
    findFfmpeg: async () => '/nowhere',
    modelFolderPath: '/nowhere',
  });
  const uploads = await openUploads({ storage: openFolderStorage(folder), dataDir: folder, log });
  const answers = createStoredAnswers({
    store: createPredictionStore(database),
    reviews: createReviewStore(database),
    service,
    tables: { path: folder, minFreeBytes: 0 },
  });
  const createQueue = await openPostgresQueue({ database, log, works, ...rest });
  const queue = createQueue({
    modelLoader: createModelLoader({ service, log, recheckMs: 5000 }),
    answers,
    uploads,
    log,
    running,
    waiting: 100,
    counts: createMetrics(),
    sounds: { keepSound: async () => {}, forget: async () => {} },
  });
  await queue.start();

  return {
    database,
    queue,
    async send({ id, name, accountId = 'ann', idempotencyKey = name, bytes = 5 }: NewRecording) {
      const uploadName = randomUUID();
      await writeFile(uploads.receivePathOf(uploadName), 'sound'.padEnd(bytes));
      await uploads.store(uploadName);
      const sender = { accountId, network: null };
      const pending = { id, sender, accountId, idempotencyKey, uploadName, refusal: null, keep() {} } as unknown as PendingUpload;
      return queue.add({ pending, fields: {}, upload: { fileName: name, sha256: 'abc', bytes, fields: {} } });
    },
    async close() {
      await queue.close();
      await database.close();
    },
  };
}

const isThere = (path: string): Promise<boolean> =>
  readFile(path).then(
    () => true,
    () => false,
  );
