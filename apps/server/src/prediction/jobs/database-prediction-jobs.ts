import { createHash } from 'node:crypto';
import { type PredictionFields, problems } from '@chiffchaff/contract';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Database } from '../../database/open-database.ts';
import type { Tables } from '../../database/tables/tables.ts';
import { HttpProblem } from '../../http/http-problem.ts';
import { listed } from '../stored/listed.ts';
import { FOR_GOOD } from '../stored/prediction-store.ts';
import type { JobProblem, NewJob } from './job.ts';
import type { PredictionJobs } from './prediction-jobs.ts';
import { isOver } from './processes.ts';
import { createTurns } from './turns.ts';

export interface DatabasePredictionJobsOptions {
  readonly database: Database;
  /** name of this run of the server */
  readonly run: string;
  /** milliseconds that a job stays with whoever claimed it, unless the lease is renewed */
  readonly leaseMs?: number;
  readonly now?: () => number;
}

/**
 * A recording that has broken off the process so often is not begun again. Often enough that one which only happened to be in work
 * when a machine went down again and again, or beside such a recording, is not given up for it.
 */
export const MAX_ATTEMPTS = 10;
/** From here on a recording counts as large: a quarter of an hour of MP3, half a minute of the best WAV. */
const LARGE_BYTES = 8_000_000;
export const isLarge = (bytes: number): boolean => bytes > LARGE_BYTES;
const DEFAULT_LEASE_MS = 30_000;
/** For what a run of the server notes about its jobs. */
const ownNote = { patient: true, freesRoom: true, light: true } as const;

const inWork = sql<boolean>`state IN ('queued', 'listening')`;

export function createDatabasePredictionJobs(options: DatabasePredictionJobsOptions): PredictionJobs {
  const { database, run, leaseMs = DEFAULT_LEASE_MS, now = Date.now } = options;
  const { query } = database;
  const turns = createTurns();

  /** Ends the lease of a job that this run holds. @returns whether it held it */
  async function release(transaction: Kysely<Tables>, id: string, change: object): Promise<boolean> {
    const { numUpdatedRows } = await transaction
      .updateTable('predictions')
      .set(change)
      .where('id', '=', id)
      .where('state', '=', 'listening')
      .where('leaseHolder', '=', run)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  return {
    accept: (job) =>
      query.transaction().execute(async (transaction) => {
        const requestHash = hashRequest(job);
        const known = await findByKey(transaction, job);
        if (known) {
          if (known.requestHash !== requestHash) throw new HttpProblem('IDEMPOTENCY_KEY_REUSED', {});
          if (job.upload.isGone || !mayBeAskedAgain(known.problem)) return { kind: 'known', id: known.id };
          await transaction.deleteFrom('predictions').where('id', '=', known.id).execute();
        }
        if (job.upload.isGone) throw new HttpProblem('UPLOAD_NOT_FOUND', {});
        if (job.refusal) throw job.refusal;
        const { id, accountId, idempotencyKey, upload, uploadName, fields } = job;
        const { fileName, sha256, bytes } = upload;
        await transaction
          .insertInto('predictions')
          .values({
            ...{ id, accountId, idempotencyKey, requestHash, fileName, sha256, bytes, uploadName },
            createdAtMs: now(),
            state: 'queued',
            fields: JSON.stringify(fields),
            receiver: run,
            attempts: 0,
          })
          .execute();
        return { kind: 'accepted' };
      }),

    async claim({ large }) {
      const nowMs = now();
      const free = sql<boolean>`state IN ('queued', 'listening')
        AND (state = 'queued' OR (leaseUntilMs < ${nowMs} AND leaseHolder <> ${run}))
        AND (idempotencyKey IS NOT NULL OR receiver = ${run})`;
      const row = await database.change(ownNote, async (connection) => {
        const waiting = await connection
          .selectFrom('predictions')
          .select(['id', 'accountId', 'createdAtMs', 'bytes'])
          .where(free)
          .orderBy('createdAtMs')
          .execute();
        for (const { id, accountId, bytes } of turns.order(waiting)) {
          if (!large && isLarge(bytes)) continue;
          const claimed = await connection
            .updateTable('predictions')
            .set((of) => ({
              state: 'listening',
              leaseHolder: run,
              leaseUntilMs: nowMs + leaseMs,
              attempts: of('attempts', '+', 1),
            }))
            .where('id', '=', id)
            // Another process may have been quicker.
            .where(free)
            .returning(['id', 'accountId', 'idempotencyKey', 'createdAtMs', 'fileName', 'sha256', 'bytes', 'uploadName'])
            .returning(['fields', 'attempts'])
            .executeTakeFirst();
          if (claimed === undefined) continue;
          turns.note(accountId, nowMs);
          return claimed;
        }
        return null;
      });
      if (!row) return null;
      const { attempts, fields, uploadName, ...job } = row;
      return {
        ...job,
        uploadName: uploadName ?? '',
        fields: readFields(fields),
        exhausted: attempts > MAX_ATTEMPTS,
      };
    },

    async renewLeases() {
      const held = await database.change(ownNote, (connection) =>
        connection
          .updateTable('predictions')
          .set({ leaseUntilMs: now() + leaseMs })
          .where(inWork)
          .where('leaseHolder', '=', run)
          .returning('id')
          .execute(),
      );
      return new Set(held.map(({ id }) => id));
    },

    async noteProgress(id) {
      await database.change(ownNote, (connection) =>
        connection.updateTable('predictions').set({ attempts: 1 }).where('id', '=', id).where('leaseHolder', '=', run).execute(),
      );
    },

    finish: (job, { answer, prediction, species, evidence }) =>
      database.change({ patient: true }, async (transaction) => {
        // The lease stays until the upload is settled, too.
        const done = { state: 'done', finishedAtMs: now(), answer, ...listed(prediction, species) };
        if (!(await release(transaction, job.id, done))) return false;
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

    fail: (job, problem) =>
      database.change({ patient: true, freesRoom: true }, async (transaction) => {
        const failed = { state: 'failed', finishedAtMs: now(), problem: JSON.stringify(problem), uploadName: null };
        if (!(await release(transaction, job.id, failed))) return false;
        // Nobody could ask for it any more.
        if (job.idempotencyKey === null) await transaction.deleteFrom('predictions').where('id', '=', job.id).execute();
        return true;
      }),

    async handBack(id, { counts } = { counts: false }) {
      const attempts = counts ? sql<number>`attempts` : sql<number>`max(attempts - 1, 0)`;
      const change = { state: 'queued', leaseHolder: null, leaseUntilMs: null, attempts };
      await database.change({ patient: true, freesRoom: true }, (transaction) => release(transaction, id, change));
    },

    async discard(id) {
      const removed = await database.change({ freesRoom: true }, (transaction) =>
        transaction.deleteFrom('predictions').where('id', '=', id).where(inWork).returning('uploadName').execute(),
      );
      return removed[0] ?? null;
    },

    async outcomeOf(id) {
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

    async forgetUpload(id) {
      const change = { uploadName: null, leaseHolder: null, leaseUntilMs: null };
      const { numUpdatedRows } = await database.change(ownNote, (connection) =>
        connection
          .updateTable('predictions')
          .set(change)
          .where('id', '=', id)
          .where(sql<boolean>`deletedAtMs IS NOT ${FOR_GOOD}`)
          .executeTakeFirst(),
      );
      return numUpdatedRows === 1n;
    },

    takeUpLeftovers: () =>
      database.change({ freesRoom: true }, async (transaction) => {
        const left = await transaction
          .selectFrom('predictions')
          .select(['id', 'accountId', 'state', 'idempotencyKey', 'receiver', 'leaseHolder', 'uploadName', 'fields'])
          .where('uploadName', 'is not', null)
          .execute();
        const answered = [];
        const discarded = [];
        for (const { id, accountId, state, idempotencyKey, receiver, leaseHolder, uploadName, fields } of left) {
          if (uploadName === null) continue;
          const dropped = leaseHolder !== null && isOver(leaseHolder, run);
          if (state === 'done') {
            if (dropped && accountId !== null) answered.push({ id, accountId, uploadName, fields: readFields(fields) });
          } else if (idempotencyKey === null && isOver(receiver, run)) {
            discarded.push(uploadName);
            await transaction.deleteFrom('predictions').where('id', '=', id).execute();
          } else if (dropped) {
            const free = { state: 'queued', leaseHolder: null, leaseUntilMs: null } as const;
            await transaction.updateTable('predictions').set(free).where('id', '=', id).execute();
          }
        }
        return { answered, discarded };
      }),

    async neededUploads() {
      const rows = await query.selectFrom('predictions').select('uploadName').where('uploadName', 'is not', null).execute();
      return new Set(rows.flatMap(({ uploadName }) => (uploadName === null ? [] : [uploadName])));
    },

    inWork: () => query.selectFrom('predictions').select(['id', 'accountId']).where(inWork).execute(),
  };
}

/** A problem as a row holds it; what is read back was written by `fail`. */
export function readProblem(stored: string): JobProblem {
  return JSON.parse(stored) as JobProblem;
}

/** … and fields by `accept`, as the schema understood them. */
function readFields(stored: string): PredictionFields {
  return JSON.parse(stored) as PredictionFields;
}

/** Whether a problem, as a row holds it, passes: the same request is listened to anew then. */
export function mayBeAskedAgain(problem: string | null): boolean {
  return problem !== null && problems[readProblem(problem).code].retryable;
}

async function findByKey(transaction: Transaction<Tables>, { accountId, idempotencyKey }: NewJob) {
  if (accountId === null || idempotencyKey === null) return undefined;
  return transaction
    .selectFrom('predictions')
    .select(['id', 'requestHash', 'problem'])
    .where('accountId', '=', accountId)
    .where('idempotencyKey', '=', idempotencyKey)
    .where('deletedAtMs', 'is', null)
    .executeTakeFirst();
}

function hashRequest({ upload, fields }: NewJob): string {
  const sorted = Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([upload.sha256, upload.fileName, sorted]))
    .digest('hex');
}
