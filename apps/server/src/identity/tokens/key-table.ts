import type { ChangeOptions } from '../../database/open-database.ts';
import type { PostgresDatabase } from '../../database/postgres/open-postgres.ts';
import { byAge, generateKey, type KeyStore, openKey, type SigningKey, type StoredKey } from './signing-key.ts';

/** Where machines tell each other that there is another key. */
const CHANNEL = 'signingKeys';

/**
 * The keys of all machines. Of those that start together on an empty database one makes the first key. Removing a key's row by hand and
 * starting all machines again voids its tokens.
 *
 * @throws DatabaseError
 */
export async function openKeyTable(
  database: Pick<PostgresDatabase, 'change' | 'listen' | 'notify'>,
  now: () => number,
): Promise<KeyStore> {
  let keys: readonly SigningKey[] = [];

  async function read(options: ChangeOptions = {}): Promise<void> {
    const rows = await database.change(options, (query) => query.selectFrom('signingKeys').selectAll().execute());
    // An emptied table takes effect at the next start; until then people stay signed in.
    if (rows.length > 0) keys = rows.map(openKey).sort(byAge);
  }

  /** Fails only when the server stops. */
  const reload = (): void => void read({ patient: true }).catch(() => {});

  async function add(key: StoredKey, onlyIfFirst = false): Promise<void> {
    await database.change({}, async (query) => {
      const first = onlyIfFirst ? await query.selectFrom('signingKeys').select('kid').executeTakeFirst() : undefined;
      if (first !== undefined) return;
      await query.insertInto('signingKeys').values(key).execute();
      await database.notify(CHANNEL, key.kid, query);
    });
    await read();
  }

  const stop = await database.listen(CHANNEL, reload, reload);
  await read();
  if (keys.length === 0) await add(await generateKey(now()), true);
  return { list: () => keys, add, close: stop };
}
