import type { FastifyBaseLogger } from 'fastify';
import { expect, it } from 'vitest';
import type { PostgresDatabase } from '../../database/postgres/open-postgres.ts';
import { createPgBoss } from './open-boss.ts';

it('Opening the queue on PostgreSQL (`openBoss`) fails with a sentence when the database does not answer', async () => {
  const query = () => Promise.reject(new Error('Query read timeout'));
  const database = { pool: { query } } as unknown as PostgresDatabase;
  const boss = createPgBoss({ database, log: {} as FastifyBaseLogger }, { schedule: false, supervise: false });
  await expect(boss.start()).rejects.toMatchObject({
    code: 'UNREACHABLE',
    message: 'PostgreSQL (DATABASE_URL) cannot be used right now: Query read timeout',
  });
});
