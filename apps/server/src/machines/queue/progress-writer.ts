import type { FastifyBaseLogger } from 'fastify';
import type { PostgresDatabase } from '../../database/postgres/open-postgres.ts';
import type { JobProgress } from '../../prediction/queue/job.ts';
import { writeProgress } from './work-rows.ts';

/** Often enough for a person who watches. */
const WRITE_EVERY_MS = 1_000;
/** Reports within this time of the first are written as one. */
const FIRST_WRITE_MS = 20;

/** Progress of a running job that is still to be written. */
interface PendingProgress {
  /** undefined once written */
  latest: JobProgress | null | undefined;
  timer: NodeJS.Timeout | null;
}

/** Writes the latest progress of jobs to their rows, at most once a second for each job, and notifies followers. */
export function createProgressWriter(database: PostgresDatabase, log: FastifyBaseLogger) {
  const jobs = new Map<string, PendingProgress>();

  async function write(id: string, progress: JobProgress | null): Promise<void> {
    await writeProgress(database.query, id, progress === null ? null : JSON.stringify(progress));
  }

  function writeLatest(id: string, entry: PendingProgress): void {
    const { latest } = entry;
    entry.timer = null;
    if (latest === undefined) return;
    entry.latest = undefined;
    // The interval starts with the write, not when it has ended.
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
    /** The job has an outcome, or another worker has it. */
    forget(id: string): void {
      clearTimeout(jobs.get(id)?.timer ?? undefined);
      jobs.delete(id);
    },
  };
}
