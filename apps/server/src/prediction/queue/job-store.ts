import { createHash } from 'node:crypto';
import type { Analysis } from '@chiffchaff/analysis';
import { type PredictionFields, problems } from '@chiffchaff/contract';
import { sql, type Transaction } from 'kysely';
import type { Database } from '../../database/open-database.ts';
import type { Tables } from '../../database/tables.ts';
import { HttpProblem } from '../../http/http-problem.ts';
import type { PendingUpload } from '../incoming/incoming-uploads.ts';
import type { Upload } from '../incoming/receive-upload.ts';
import type { StoredRow } from '../stored/answers.ts';
import { FOR_GOOD, listed } from '../stored/prediction-store.ts';
import type { Job, JobFailure, JobProblem } from './job.ts';

/** A recording that has arrived whole, with what its form says. */
export interface NewJob {
  readonly pending: Pick<PendingUpload, 'id' | 'accountId' | 'idempotencyKey' | 'uploadName' | 'refusal'>;
  readonly upload: Upload;
  readonly fields: PredictionFields;
}

/** An upload whose answer is stored while its sound may still have to be kept. */
export interface AnsweredUpload {
  readonly id: string;
  readonly accountId: string | null;
  readonly uploadName: string;
  readonly fields: PredictionFields;
}

/** What only tidies up: a power cut may undo it, and it is done again. */
const TIDYING = { patient: true, freesRoom: true, light: true } as const;
const COLUMNS = ['id', 'accountId', 'idempotencyKey', 'createdAtMs', 'fileName', 'sha256', 'bytes', 'attempts'] as const;

export type JobStore = ReturnType<typeof createJobStore>;

/**
 * The rows of the queue: recordings that have arrived whole and have no answer yet. What is accepted, answered, failed or discarded is on disk
 * when its promise resolves.
 */
export function createJobStore(database: Database, now: () => number = Date.now) {
  const { query } = database;

  return {
    /**
     * @returns the new job, or the id that the idempotency key stands for already
     * @throws HttpProblem IDEMPOTENCY_KEY_REUSED when the key stands for another request
     * @throws the pending upload's refusal unless the key is known
     */
    accept: ({ pending, upload, fields }: NewJob): Promise<{ readonly job: Job } | { readonly known: string }> =>
      query.transaction().execute(async (transaction) => {
        const { id, accountId, idempotencyKey, uploadName, refusal } = pending;
        const { fileName, sha256, bytes } = upload;
        const requestHash = hashRequest(upload, fields);
        const known = await findByKey(transaction, accountId, idempotencyKey);
        if (known) {
          if (known.requestHash !== requestHash) throw new HttpProblem('IDEMPOTENCY_KEY_REUSED', {});
          if (upload.isGone || !mayBeAskedAgain(known.problem)) return { known: known.id };
          await transaction.deleteFrom('predictions').where('id', '=', known.id).execute();
        }
        if (upload.isGone) throw new HttpProblem('UPLOAD_NOT_FOUND', {});
        if (refusal) throw refusal;
        const row = { id, accountId, idempotencyKey, createdAtMs: now(), fileName, sha256, bytes, attempts: 0, uploadName };
        await transaction
          .insertInto('predictions')
          .values({ ...row, requestHash, state: 'queued', fields: JSON.stringify(fields), receiver: '' })
          .execute();
        return { job: { ...row, fields } };
      }),

    /** Stores an answer with the parts of its evidence. @returns false when the job has been removed meanwhile: nothing is stored then */
    finish: (job: Job, { answer, prediction, species }: Analysis, evidence: readonly Uint8Array[]): Promise<boolean> =>
      database.change({ patient: true }, async (transaction) => {
        const done = { state: 'done', finishedAtMs: now(), answer, ...listed(prediction, species) } as const;
        const { numUpdatedRows } = await transaction
          .updateTable('predictions')
          .set(done)
          .where('id', '=', job.id)
          .where('state', '=', 'queued')
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return false;
        if (job.accountId === null) {
          await transaction.deleteFrom('predictions').where('id', '=', job.id).execute();
          return true;
        }
        for (const [part, bytes] of evidence.entries()) {
          await transaction.insertInto('predictionEvidence').values({ predictionId: job.id, part, bytes }).execute();
        }
        if (species.length > 0) {
          const named = species.map((one) => ({ predictionId: job.id, ...one }));
          await transaction.insertInto('predictionSpecies').values(named).execute();
        }
        return true;
      }),

    /** @returns false when the job has been removed meanwhile */
    fail: ({ id, idempotencyKey }: Job, problem: JobProblem): Promise<boolean> =>
      database.change({ patient: true, freesRoom: true }, async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('predictions')
          .set({ state: 'failed', finishedAtMs: now(), problem: JSON.stringify(problem), uploadName: null })
          .where('id', '=', id)
          .where('state', '=', 'queued')
          .executeTakeFirst();
        // Without a key there is no client that could ask for it.
        if (idempotencyKey === null) await transaction.deleteFrom('predictions').where('id', '=', id).execute();
        return numUpdatedRows === 1n;
      }),

    /** Sets how often the analysis process died of a job. */
    async setAttempts(id: string, attempts: number): Promise<void> {
      await database.change({ patient: true, freesRoom: true }, (transaction) =>
        transaction.updateTable('predictions').set({ attempts }).where('id', '=', id).execute(),
      );
    },

    /** Removes a job that has no answer yet. @returns false when there was no such job */
    async discard(id: string): Promise<boolean> {
      const removed = await database.change({ freesRoom: true }, (transaction) =>
        transaction.deleteFrom('predictions').where('id', '=', id).where('state', '=', 'queued').returning('id').execute(),
      );
      return removed.length > 0;
    },

    /** `inWork`, what came of it, or null when there is no such prediction. */
    async outcomeOf(id: string): Promise<{ readonly state: 'done'; readonly row: StoredRow } | JobFailure | 'inWork' | null> {
      const row = await query
        .selectFrom('predictions')
        .select(['accountId', 'problem', sql<number | null>`length(answer)`.as('answerBytes')])
        .where('id', '=', id)
        .executeTakeFirst();
      if (!row) return null;
      const { accountId, answerBytes } = row;
      if (answerBytes !== null) return { state: 'done', row: { id, accountId, answerBytes } };
      if (row.problem !== null) return { state: 'failed', problem: readProblem(row.problem) };
      return 'inWork';
    },

    /** Nothing is left of an upload. @returns false when its prediction has been removed meanwhile */
    async forgetUpload(id: string): Promise<boolean> {
      const { numUpdatedRows } = await database.change(TIDYING, (connection) =>
        connection
          .updateTable('predictions')
          .set({ uploadName: null })
          .where('id', '=', id)
          .where(sql<boolean>`deletedAtMs IS NOT ${FOR_GOOD}`)
          .executeTakeFirst(),
      );
      return numUpdatedRows === 1n;
    },

    /**
     * What an earlier run of the server left: jobs with an idempotency key, oldest first, and answers whose uploads are not finalized. Jobs without
     * a key are removed, because the connections that asked for them are gone.
     */
    takeUpLeftovers: (): Promise<{ readonly jobs: readonly Job[]; readonly answered: readonly AnsweredUpload[] }> =>
      database.change({ freesRoom: true }, async (transaction) => {
        await transaction.deleteFrom('predictions').where('state', '=', 'queued').where('idempotencyKey', 'is', null).execute();
        const rows = await transaction
          .selectFrom('predictions')
          .select([...COLUMNS, 'state', 'uploadName', 'fields'])
          .where('uploadName', 'is not', null)
          .orderBy('createdAtMs')
          .execute();
        const left = rows.map((row) => ({ ...row, uploadName: row.uploadName ?? '', fields: readFields(row.fields) }));
        return {
          jobs: left.filter(({ state }) => state === 'queued'),
          answered: left.filter(({ state }) => state === 'done'),
        };
      }),
  };
}

/** A problem as a row holds it; what is read back was written by `fail`. */
export function readProblem(stored: string): JobProblem {
  return JSON.parse(stored) as JobProblem;
}

/** Fields as `accept` wrote them. */
function readFields(stored: string): PredictionFields {
  return JSON.parse(stored) as PredictionFields;
}

/** Whether a problem, as a row holds it, passes: the same request is analysed anew then. */
export function mayBeAskedAgain(problem: string | null): boolean {
  return problem !== null && problems[readProblem(problem).code].retryable;
}

async function findByKey(transaction: Transaction<Tables>, accountId: string | null, idempotencyKey: string | null) {
  if (accountId === null || idempotencyKey === null) return undefined;
  return transaction
    .selectFrom('predictions')
    .select(['id', 'requestHash', 'problem'])
    .where('accountId', '=', accountId)
    .where('idempotencyKey', '=', idempotencyKey)
    .where('deletedAtMs', 'is', null)
    .executeTakeFirst();
}

function hashRequest({ sha256, fileName }: Upload, fields: PredictionFields): string {
  const sorted = Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([sha256, fileName, sorted]))
    .digest('hex');
}
