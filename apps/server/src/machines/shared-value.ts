import type { Database } from '../database/open-database.ts';

/**
 * What all machines have to know alike: the first one makes it, the others read it.
 *
 * @param make called at least when there is none yet
 * @throws DatabaseError
 */
export async function sharedValue({ query }: Pick<Database, 'query'>, name: string, make: () => string): Promise<string> {
  await query
    .insertInto('sharedValues')
    .values({ name, value: make() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { value } = await query.selectFrom('sharedValues').select('value').where('name', '=', name).executeTakeFirstOrThrow();
  return value;
}
