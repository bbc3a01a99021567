import type { Kysely } from 'kysely';
import type { Database } from './database.ts';
import type { Tables } from './tables.ts';

/** When something last happened, in milliseconds since 1970; null if it never has. */
export async function lastTimeOf(query: Kysely<Tables>, what: Tables['lastTimes']['what']): Promise<number | null> {
  const row = await query.selectFrom('lastTimes').select('atMs').where('what', '=', what).executeTakeFirst();
  return row?.atMs ?? null;
}

/** Notes that something has just happened. */
export async function noteTime({ change, expressions }: Database, what: Tables['lastTimes']['what'], atMs?: number) {
  await change({}, (query) =>
    query
      .insertInto('lastTimes')
      .values({ what, atMs: atMs ?? expressions.nowMs })
      .onConflict((on) => on.column('what').doUpdateSet(({ ref }) => ({ atMs: ref('excluded.atMs') })))
      .execute(),
  );
}

/** What an operator must know after restoring a backup: people who were shut out may be in again. @param copiedMs when it was made */
export const restoredSentence = (copiedMs: number): string =>
  `This database was restored from a backup of ${new Date(copiedMs).toISOString().slice(0, 16).replace('T', ' ')} UTC: what was deleted, disabled, revoked or changed since (accounts, passwords, API tokens, links, results) is as it was then.`;

/** Notes that a server runs with a restored backup. @returns when it was made; null if this is not its first start, or no backup */
export async function noteRestored(database: Database): Promise<number | null> {
  const copiedMs = await lastTimeOf(database.query, 'copied');
  if (copiedMs === null) return null;
  await noteTime(database, 'restored', copiedMs);
  await database.change({}, (step) => step.deleteFrom('lastTimes').where('what', '=', 'copied').execute());
  return copiedMs;
}
