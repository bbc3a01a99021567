import type { Kysely } from 'kysely';
import type { Database } from './database.ts';
import type { LastTimesTable, Tables } from './tables.ts';

/** When something last happened, in milliseconds since 1970; null if it never has. */
export async function lastTimeOf(query: Kysely<Tables>, what: LastTimesTable['what']): Promise<number | null> {
  const row = await query.selectFrom('lastTimes').select('atMs').where('what', '=', what).executeTakeFirst();
  return row?.atMs ?? null;
}

/** Notes that a backup has just been made. */
export async function noteBackup({ change }: Pick<Database, 'change'>, atMs = Date.now()): Promise<void> {
  await change({}, (query) =>
    query
      .insertInto('lastTimes')
      .values({ what: 'backup', atMs })
      .onConflict((on) => on.column('what').doUpdateSet({ atMs }))
      .execute(),
  );
}
