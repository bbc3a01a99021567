import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { DatabaseError } from '../database/database-error.ts';
import { type ObjectStorage, STORAGE_ID, writeObject } from '../storage/object-storage.ts';

/** Advisory lock, so that machines that start together check one after the other. */
const LOCK = '7091313311635014507';

/**
 * Makes sure that all machines of a database use one storage: any of them must find the recordings that rows name, and each deletes objects
 * that no row names.
 *
 * @throws DatabaseError OTHER_STORAGE
 * @throws StorageError
 */
export async function requireOneStorage(
  database: Pick<Database, 'query'>,
  storage: Pick<ObjectStorage, 'read' | 'draftPathFor' | 'put'>,
): Promise<void> {
  await database.query.connection().execute(async (query) => {
    await sql`SELECT pg_advisory_lock(${LOCK}::bigint)`.execute(query);
    try {
      const row = await query.selectFrom('sharedValues').select('value').where('name', '=', STORAGE_ID).executeTakeFirst();
      const found = await readId(storage);
      if (row === undefined && found === null) {
        const value = randomUUID();
        await writeObject(storage, STORAGE_ID, (path) => writeFile(path, `${value}\n`, { flush: true }));
        await query.insertInto('sharedValues').values({ name: STORAGE_ID, value }).execute();
      } else if (row?.value !== found) throw otherStorage(row !== undefined);
    } finally {
      await sql`SELECT pg_advisory_unlock(${LOCK}::bigint)`.execute(query);
    }
  });
}

const otherStorage = (isKnown: boolean): DatabaseError =>
  new DatabaseError(
    'OTHER_STORAGE',
    isKnown
      ? 'The recordings of the database in DATABASE_URL are in another storage than this machine uses. All machines need the same STORAGE_URL; a single machine without it needs the data folder (DATA_DIR) it was first started with.'
      : `The storage belongs to another database than the one in DATABASE_URL. Use an empty one (STORAGE_URL, or DATA_DIR without it); or, if that database is no longer used, remove "${STORAGE_ID}" from the storage.`,
  );

async function readId(storage: Pick<ObjectStorage, 'read'>): Promise<string | null> {
  const stream = await storage.read(STORAGE_ID, null, new AbortController().signal);
  return stream === null ? null : (await text(stream)).trim();
}
