import { sha256Of } from '@chiffchaff/acquire';
import type { AnalyzedRecording } from '@chiffchaff/analysis';
import { type PredictionFields, problems } from '@chiffchaff/contract';
import type { Kysely } from 'kysely';
import type { Database } from '../../database/database.ts';
import type { Tables } from '../../database/tables.ts';
import { HttpProblem } from '../../http/http-problem.ts';
import type { PendingUpload } from '../incoming/incoming-uploads.ts';
import type { Upload } from '../incoming/receive-upload.ts';
import { list, listed } from '../stored/listing.ts';
import { FOR_GOOD, type StoredRow } from '../stored/prediction-store.ts';
import { JOB_COLUMNS, type Job, type JobFailure, type JobProblem } from './job.ts';

/** A recording that has fully arrived, with its form fields. */
export interface NewJob {
  readonly pending: Pick<
    PendingUpload,
    'id' | 'sender' | 'accountId' | 'idempotencyKey' | 'apiTokenId' | 'uploadName' | 'refusal'
  >;
  readonly upload: Upload;
  readonly fields: PredictionFields;
}

/** An upload whose answer is stored but whose audio may still have to be kept. */
export type AnsweredUpload = Pick<Job, 'id' | 'accountId' | 'uploadName' | 'fields'>;

/** Work of a queue that has more than these rows, in the transactions that change them. */
export interface JobHooks {
  accepted(job: Job, query: Kysely<Tables>): Promise<void>;
  /** The job was answered or failed. @returns false when another worker has taken the job: then nothing is stored */
  ended(id: string, query: Kysely<Tables>): Promise<boolean>;
  discarded(id: string, query: Kysely<Tables>): Promise<void>;
}

/** Another worker has taken the job, or it no longer exists. */
export class JobTakenAway extends Error {
  override readonly name = 'JobTakenAway';
}

/** For cleanup: a power cut may undo it, because it is repeated. */
const TIDYING = { patient: true, freesRoom: true, light: true, ownRows: true } as const;
/** How long an outcome without account or key can still be read on another machine. */
const UNREAD_MS = 600_000;

export type JobStore = ReturnType<typeof createJobStore>;

/**
 * The rows of the queue: recordings that have fully arrived and have no answer yet. Accepting, answering, failing and discarding are on
 * disk when their promises resolve.
 */
export function createJobStore(database: Database, hooks: JobHooks | null = null) {
  const { query } = database;
  const ended = () => ({ finishedAtMs: Date.now(), network: null, progress: null });

  /** Comes after the change of the row: `discard` locks both in this order, too. */
  async function end(id: string, transaction: Kysely<Tables>): Promise<void> {
    if (hooks !== null && !(await hooks.ended(id, transaction))) throw new JobTakenAway();
  }

  /**
   * Deletes a row that no account or key refers to. With several machines, the waiting request may be at another one, so the row stays
   * readable for a while.
   */
  async function leave(id: string, transaction: Kysely<Tables>): Promise<void> {
    if (hooks === null) await transaction.deleteFrom('predictions').where('id', '=', id).execute();
    else
      await transaction
        .updateTable('predictions')
        .set({ deletedAtMs: Date.now() + UNREAD_MS })
        .where('id', '=', id)
        .execute();
  }

  return {
    /**
     * @returns the new job, or the id of the prediction that the idempotency key already stands for
     * @throws HttpProblem IDEMPOTENCY_KEY_REUSED when the key stands for another request, UPLOAD_NOT_FOUND when another job has taken the
     *   resumable upload, SESSION_EXPIRED when the account was disabled while the recording arrived
     * @throws the pending upload's `refusal` if this would be a new job
     */
    accept: ({ pending, upload, fields }: NewJob): Promise<{ readonly job: Job } | { readonly known: string }> =>
      database.change({ ownRows: true }, async (transaction) => {
        const { id, accountId, idempotencyKey, apiTokenId, uploadName, refusal } = pending;
        const { network } = pending.sender;
        const { fileName, sha256, bytes } = upload;
        const requestHash = hashRequest(upload, fields);
        const known = await findByKey(transaction, accountId, idempotencyKey);
        const isGone = upload.isGone || (await upload.take?.(transaction)) === false;
        if (known) {
          if (known.requestHash !== requestHash) throw new HttpProblem('IDEMPOTENCY_KEY_REUSED', {});
          if (isGone || !mayBeAskedAgain(known.problem)) return { known: known.id };
          await transaction.deleteFrom('predictions').where('id', '=', known.id).execute();
        }
        if (isGone) throw new HttpProblem('UPLOAD_NOT_FOUND', {});
        if (await isDisabled(database, transaction, accountId)) throw new HttpProblem('SESSION_EXPIRED', {});
        if (refusal) throw refusal;
        const row = {
          id,
          accountId,
          network,
          idempotencyKey,
          createdAtMs: Date.now(),
          fileName,
          sha256,
          bytes,
          attempts: 0,
          uploadName,
        };
        await transaction
          .insertInto('predictions')
          .values({ ...row, apiTokenId, requestHash, state: 'queued', fields: JSON.stringify(fields) })
          .execute();
        const job = { ...row, fields };
        await hooks?.accepted(job, transaction);
        return { job };
      }),

    /**
     * Stores an answer with the parts of its evidence, and the recording's overview unless nothing of its audio is to be kept.
     *
     * @returns false when the job has been removed: then nothing is stored
     * @throws JobTakenAway
     */
    finish: (
      job: Job,
      { answer, overview, prediction, species }: AnalyzedRecording,
      evidence: readonly Uint8Array[],
    ): Promise<boolean> =>
      database.change({ patient: true, ownRows: true }, async (transaction) => {
        const picture = (await keepsNothing(transaction, job)) ? null : overview;
        const done = { state: 'done', ...ended(), answer, overview: picture, ...listed(prediction, species) } as const;
        const { numUpdatedRows } = await transaction
          .updateTable('predictions')
          .set(done)
          .where('id', '=', job.id)
          .where('state', '=', 'queued')
          .executeTakeFirst();
        await end(job.id, transaction);
        if (numUpdatedRows === 0n) return false;
        if (job.accountId === null) {
          await leave(job.id, transaction);
          return true;
        }
        for (const [part, bytes] of evidence.entries()) {
          await transaction.insertInto('predictionEvidence').values({ predictionId: job.id, part, bytes }).execute();
        }
        await list(transaction, database.expressions, job.id);
        return true;
      }),

    /** @returns false when the job has been removed. @throws JobTakenAway */
    fail: ({ id, idempotencyKey }: Job, problem: JobProblem): Promise<boolean> =>
      database.change({ patient: true, freesRoom: true, ownRows: true }, async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('predictions')
          .set({ state: 'failed', ...ended(), problem: JSON.stringify(problem), uploadName: null })
          .where('id', '=', id)
          .where('state', '=', 'queued')
          .executeTakeFirst();
        await end(id, transaction);
        // Without a key, no client can ask for it.
        if (idempotencyKey === null) await leave(id, transaction);
        return numUpdatedRows === 1n;
      }),

    /** Sets how often the analysis process certainly died because of a job. */
    async setAttempts(id: string, attempts: number): Promise<void> {
      await database.change({ patient: true, freesRoom: true, ownRows: true }, (transaction) =>
        transaction.updateTable('predictions').set({ attempts }).where('id', '=', id).execute(),
      );
    },

    /** Deletes a row whose outcome has reached the only request that could ask for it. */
    async forget(id: string): Promise<void> {
      await database.change(TIDYING, (connection) =>
        connection.deleteFrom('predictions').where('id', '=', id).where('deletedAtMs', 'is not', null).execute(),
      );
    },

    /** Removes an unanswered job. @returns its upload; null when there is no such job */
    discard: (id: string): Promise<{ readonly uploadName: string | null } | null> =>
      database.change({ freesRoom: true, ownRows: true }, async (transaction) => {
        const removed = await transaction
          .deleteFrom('predictions')
          .where('id', '=', id)
          .where('state', '=', 'queued')
          .returning('uploadName')
          .executeTakeFirst();
        if (removed === undefined) return null;
        await hooks?.discarded(id, transaction);
        return removed;
      }),

    /** The outcome, `inWork` while there is none, or null when there is no such prediction. */
    async outcomeOf(id: string): Promise<{ readonly state: 'done'; readonly row: StoredRow } | JobFailure | 'inWork' | null> {
      const row = await query
        .selectFrom('predictions')
        .select(({ fn }) => ['accountId', 'problem', fn<number | null>('length', ['answer']).as('answerBytes')])
        .where('id', '=', id)
        .executeTakeFirst();
      if (!row) return null;
      const { accountId, answerBytes } = row;
      if (answerBytes !== null) return { state: 'done', row: { id, accountId, answerBytes } };
      if (row.problem !== null) return { state: 'failed', problem: readProblem(row.problem) };
      return 'inWork';
    },

    /** Notes that an upload has been removed. @returns false when its prediction has been removed */
    async forgetUpload({ id, accountId }: Pick<Job, 'id' | 'accountId'>): Promise<boolean> {
      // Its row was deleted when it was answered.
      if (accountId === null && hooks === null) return true;
      const { numUpdatedRows } = await database.change(TIDYING, (connection) =>
        connection
          .updateTable('predictions')
          .set({ uploadName: null })
          .where('id', '=', id)
          .where('deletedAtMs', 'is distinct from', FOR_GOOD)
          .executeTakeFirst(),
      );
      return numUpdatedRows === 1n;
    },

    /** An unanswered job; null when there is none. */
    async find(id: string): Promise<Job | null> {
      const row = await selectQueued(query).where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : readRow(row);
    },

    /** Answers stored before that time whose uploads are not finalized: their workers must have died. */
    async notFinalized(finishedBeforeMs: number): Promise<readonly AnsweredUpload[]> {
      const rows = await query
        .selectFrom('predictions')
        .select(['id', 'accountId', 'uploadName', 'fields'])
        .where('uploadName', 'is not', null)
        .where('state', '=', 'done')
        .where('finishedAtMs', '<', finishedBeforeMs)
        .execute();
      return rows.map(readRow);
    },

    /**
     * Jobs with an idempotency key that an earlier run of the server left, oldest first. Removes jobs without a key, because the connections
     * that requested them are closed.
     */
    loadLeftovers: (): Promise<readonly Job[]> =>
      database.change({ freesRoom: true }, async (transaction) => {
        await transaction.deleteFrom('predictions').where('state', '=', 'queued').where('idempotencyKey', 'is', null).execute();
        return (await selectQueued(transaction).orderBy('createdAtMs').execute()).map(readRow);
      }),
  };
}

const selectQueued = (query: Kysely<Tables>) =>
  query
    .selectFrom('predictions')
    .select([...JOB_COLUMNS, 'uploadName', 'fields'])
    .where('state', '=', 'queued');

/** Parses a problem that `fail` stored. */
export function readProblem(stored: string): JobProblem {
  return JSON.parse(stored) as JobProblem;
}

/** The row of a recording that is still there, with the fields that `accept` stored. */
const readRow = <Row extends { readonly uploadName: string | null; readonly fields: string }>(row: Row) => ({
  ...row,
  uploadName: row.uploadName ?? '',
  fields: JSON.parse(row.fields) as PredictionFields,
});

/** Whether a stored problem is temporary, so that the same request is analysed again. */
export function mayBeAskedAgain(problem: string | null): boolean {
  return problem !== null && problems[readProblem(problem).code].retryable;
}

/** The account stays as it is until the transaction ends, so that disabling it later finds the new row. */
async function isDisabled(database: Database, transaction: Kysely<Tables>, accountId: string | null): Promise<boolean> {
  if (accountId === null) return false;
  const account = await transaction
    .selectFrom('accounts')
    .select('disabled')
    .where('id', '=', accountId)
    .$if(database.kind === 'postgres', (query) => query.forShare())
    .executeTakeFirst();
  return account?.disabled === 1;
}

/** Whether this recording, or else its account, is to leave nothing of its audio. */
async function keepsNothing(transaction: Kysely<Tables>, { accountId, fields }: Job): Promise<boolean> {
  if (accountId === null || fields.keepAudio !== undefined) return accountId === null || fields.keepAudio === 'nothing';
  const account = transaction.selectFrom('accountSettings').select('accountId').where('accountId', '=', accountId);
  return (await account.where('keepAudio', '=', 'nothing').executeTakeFirst()) !== undefined;
}

async function findByKey(transaction: Kysely<Tables>, accountId: string | null, idempotencyKey: string | null) {
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
  return sha256Of(JSON.stringify([sha256, fileName, sorted]));
}
