import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { programVersion } from '@chiffchaff/analysis/program-version';
import { livenessSchema, readinessSchema } from '@chiffchaff/contract';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Database } from '../database/database.ts';
import type { DatabaseErrorCode } from '../database/database-error.ts';
import { routeFor } from '../http/access.ts';
import { HttpProblem } from '../http/http-problem.ts';
import { FULL_BELOW_BYTES, freeBytesOf } from '../prediction/incoming/disk-guard.ts';
import type { Missing, ModelLoader } from '../prediction/model-loader.ts';
import { type ObjectStorage, STORAGE_ID } from '../storage/object-storage.ts';

/** How long the check waits for the storage of recordings. */
const REACHED_WITHIN_MS = 3000;

export interface HealthRoutesOptions {
  readonly modelLoader: ModelLoader;
  readonly dataDir: string;
  /** below it, recordings are refused */
  readonly minFreeDiskBytes: number;
  readonly database: Pick<Database, 'findFault'>;
  readonly storage: ReachableStorage;
  /** for tests */
  readonly freeBytes?: typeof freeBytesOf;
}

/** The storage of recordings. */
export type ReachableStorage = Pick<ObjectStorage, 'bytesOf'>;

/**
 * `GET /healthz`: the process is alive. `GET /readyz`: recordings can be analysed, or what is missing; and whether new ones are accepted, which
 * needs more room on the disk than analysing those that have arrived.
 */
export const healthRoutes: FastifyPluginAsyncZod<HealthRoutesOptions> = async (
  app,
  { modelLoader, dataDir, minFreeDiskBytes, database, storage: recordings, freeBytes = freeBytesOf },
) => {
  let looking: ReturnType<typeof look> | null = null;

  async function look() {
    const [fault, isReachable] = await Promise.all([database.findFault(), canBeReached(recordings)]);
    const isWritable = fault === null && (await canBeWritten(dataDir));
    const free = isWritable ? await freeBytes(dataDir) : 0;
    const sentence = isWritable ? 'the disk is full' : 'the storage is not writable';
    await modelLoader.get().catch(() => {});
    const absent = [
      ...modelLoader.missing.map(({ code, reason = code }) => MISSING_SENTENCES[reason]),
      ...(free >= FULL_BELOW_BYTES ? [] : [(fault && STORAGE_SENTENCES[fault.code]) ?? sentence]),
      ...(isReachable ? [] : ['the storage cannot be reached']),
    ];
    const refusals = free < minFreeDiskBytes ? ['the disk is nearly full'] : [];
    return { absent, fault, refusals };
  }

  app.addHook('onSend', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
  });

  app.get(
    '/healthz',
    routeFor(
      'public',
      { summary: 'Check that the process is alive, and which version it is', response: { 200: livenessSchema } },
      { requestLimit: false },
    ),
    async () => ({ status: 'ok' as const, ...programVersion }),
  );

  app.get(
    '/readyz',
    routeFor(
      'public',
      { summary: 'Check that recordings can be analysed', response: { 200: readinessSchema } },
      { requestLimit: false },
    ),
    async () => {
      // Concurrent requests share one check, because this route is not rate-limited.
      looking ??= look().finally(() => {
        looking = null;
      });
      const { absent, fault, refusals } = await looking;
      if (absent.length > 0) throw new HttpProblem('NOT_READY', { missing: absent.join(', ') }, { cause: fault ?? undefined });
      const parts = { model: true, decoder: true, storage: true } as const;
      return { status: 'ready' as const, ...parts, accepts: refusals.length === 0, refusals };
    },
  );
};

const MISSING_SENTENCES: Readonly<Record<Missing, string>> = {
  MODEL_NOT_INSTALLED: 'the model is not installed',
  MODEL_DAMAGED: 'the files of the model have changed since it was installed',
  MODEL_EXCHANGED: 'another model was installed while the server was running, so it must be restarted',
  OTHER_MODEL: 'another machine of this database uses another model',
  DECODER_NOT_INSTALLED: 'the decoder (ffmpeg) is not installed',
};

const STORAGE_SENTENCES: Partial<Readonly<Record<DatabaseErrorCode, string>>> = {
  FILE_LOST: 'the database file was removed or replaced',
  FILE_DAMAGED: 'the database is damaged',
  UNREACHABLE: 'the database cannot be reached',
  BUSY: 'another program is writing to the database',
};

const succeeds = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  );

/** Whether a folder exists and is writable. */
const canBeWritten = (folder: string): Promise<boolean> => succeeds(access(folder, constants.W_OK));

const canBeReached = (storage: ReachableStorage): Promise<boolean> =>
  Promise.race([succeeds(storage.bytesOf(STORAGE_ID)), sleep(REACHED_WITHIN_MS, false, { ref: false })]);
