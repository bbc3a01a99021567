import type { FastifyBaseLogger } from 'fastify';
import { sql } from 'kysely';
import type { PostgresDatabase } from '../../../database/postgres/open-postgres.ts';
import type { JobProgress } from '../job.ts';
import { channelOf } from './follow-rows.ts';

/** About as often as a person looks. */
const WRITE_EVERY_MS = 1_000;
/** What comes at once is written at once. */
const FIRST_WRITE_MS = 20;

/** What is to be written of a job that is worked on. */
interface Written {
  /** undefined when that has been written */
  latest: JobProgress | null | undefined;
  timer: NodeJS.Timeout | null;
}

/** Writes how far jobs are into their rows, the latest now and then, and has those told that follow them. */
export function createProgressWriter(database: PostgresDatabase, log: FastifyBaseLogger) {
  const jobs = new Map<string, Written>();

  async function write(id: string, progress: JobProgress | null): Promise<void> {
    const text = progress === null ? null : JSON.stringify(progress);
    await sql`
      WITH changed AS (
        UPDATE predictions SET progress = ${text} WHERE id = ${id} AND state = 'queued' RETURNING id
      )
      SELECT pg_notify(${channelOf(id)}, '') FROM changed`.execute(database.query);
  }

  function writeLatest(id: string, entry: Written): void {
    const { latest } = entry;
    entry.timer = null;
    if (latest === undefined) return;
    entry.latest = undefined;
    // Counted from the beginning: a database that is slow gets fewer.
    entry.timer = setTimeout(() => writeLatest(id, entry), WRITE_EVERY_MS);
    write(id, latest).catch((error: unknown) => log.debug({ err: error }, 'the progress of a job could not be written'));
  }

  return {
    report(id: string, progress: JobProgress | null): void {
      const entry = jobs.get(id) ?? { latest: undefined, timer: null };
      jobs.set(id, entry);
      entry.latest = progress;
      entry.timer ??= setTimeout(() => writeLatest(id, entry), FIRST_WRITE_MS);
    },
    /** The job has an outcome, or is another worker's. */
    forget(id: string): void {
      clearTimeout(jobs.get(id)?.timer ?? undefined);
      jobs.delete(id);
    },
  };
}
