import type { ChangeOptions } from '../database/database.ts';
import type { PostgresDatabase } from '../database/postgres/open-postgres.ts';
import { byAge, generateKey, type KeyStore, openKey, type SigningKey, type StoredKey } from '../identity/tokens/signing-keys.ts';

/** Notification channel for new keys. */
const CHANNEL = 'signingKeys';

/**
 * The keys of all machines. If several start together on an empty database, one of them creates the first key. Deleting a key's row and
 * restarting all machines invalidates its tokens.
 *
 * @throws DatabaseError
 */
export async function openKeyTable(database: Pick<PostgresDatabase, 'change' | 'listen' | 'notify'>): Promise<KeyStore> {
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
  if (keys.length === 0) await add(await generateKey(Date.now()), true);
  return { list: () => keys, add, close: stop };
}
