import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '../../database/database.ts';
import { isPostgres } from '../../database/open-database.ts';
import type { JobQueue, JobQueueOptions } from './job-queue.ts';
import { createJobStore } from './job-store.ts';
import { createLocalQueue } from './local-queue.ts';

export interface OpenQueueOptions {
  /** Whether this machine works on jobs, or only accepts recordings. */
  readonly works: boolean;
  readonly log: FastifyBaseLogger;
}

/** @returns a function that creates the queue of a server: with PostgreSQL one for all machines, otherwise one for this process */
export async function openQueue(
  database: Database,
  { works, log }: OpenQueueOptions,
): Promise<(parts: JobQueueOptions) => JobQueue> {
  if (!isPostgres(database)) return (parts) => createLocalQueue({ ...parts, jobs: createJobStore(database) });
  const { openPostgresQueue } = await import('./postgres/postgres-queue.ts');
  return openPostgresQueue({ database, works, log });
}
