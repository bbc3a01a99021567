import type { FastifyBaseLogger } from 'fastify';
import type { PostgresDatabase } from '../../database/postgres/open-postgres.ts';
import type { JobProgress } from '../../prediction/queue/job.ts';
import { writeProgress } from './work-rows.ts';

/** Often enough for a person who watches. */
const WRITE_EVERY_MS = 1_000;
/** Reports within this time of the first are written as one. */
const FIRST_WRITE_MS = 20;

/** Writes the latest progress of jobs to their rows, at most once a second for each job, and notifies followers. */
export function createProgressWriter(database: PostgresDatabase, log: FastifyBaseLogger) {
  /** what is still to be written */
  const latest = new Map<string, JobProgress | null>();
  /** until the next write */
  const timers = new Map<string, NodeJS.Timeout>();

  function writeLatest(id: string): void {
    const progress = latest.get(id);
    timers.delete(id);
    if (progress === undefined) return;
    latest.delete(id);
    // The interval starts with the write, not when it has ended.
    timers.set(
      id,
      setTimeout(() => writeLatest(id), WRITE_EVERY_MS),
    );
    writeProgress(database.query, id, progress === null ? null : JSON.stringify(progress)).catch((error: unknown) =>
      log.debug({ err: error }, 'the progress of a job could not be written'),
    );
  }

  return {
    report(id: string, progress: JobProgress | null): void {
      latest.set(id, progress);
      if (!timers.has(id))
        timers.set(
          id,
          setTimeout(() => writeLatest(id), FIRST_WRITE_MS),
        );
    },
    /** The job has an outcome, or another worker has it. */
    forget(id: string): void {
      clearTimeout(timers.get(id));
      timers.delete(id);
      latest.delete(id);
    },
  };
}
