import type { Migration } from '../migrate.ts';

/**
 * One server serves a data folder: work under way is known to its process, and in the database a job is queued until it has an answer. Attempts
 * count something else from now on. `receiver`, `leaseHolder` and `leaseUntilMs` are no longer used; to drop them would write every answer anew.
 */
export const oneServer: Migration = {
  name: '0007-one-server',
  sql: `
    UPDATE predictions SET state = 'queued', attempts = 0, leaseHolder = NULL, leaseUntilMs = NULL WHERE state IN ('queued', 'listening');
    DROP INDEX predictionsInWork;
    CREATE INDEX predictionsQueued ON predictions (createdAtMs) WHERE state = 'queued';
  `,
};
