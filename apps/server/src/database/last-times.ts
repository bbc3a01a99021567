import type { Kysely } from 'kysely';
import type { Database } from './database.ts';
import type { LastTimesTable, Tables } from './tables.ts';

/** When something last happened, in milliseconds since 1970; null if it never has. */
export async function lastTimeOf(query: Kysely<Tables>, what: LastTimesTable['what']): Promise<number | null> {
  const row = await query.selectFrom('lastTimes').select('atMs').where('what', '=', what).executeTakeFirst();
  return row?.atMs ?? null;
}

/** Notes that something has just happened. */
export async function noteTime({ change }: Pick<Database, 'change'>, what: LastTimesTable['what'], atMs = Date.now()) {
  await change({}, (query) =>
    query
      .insertInto('lastTimes')
      .values({ what, atMs })
      .onConflict((on) => on.column('what').doUpdateSet({ atMs }))
      .execute(),
  );
}
