import type { Database } from '../database/database.ts';

/**
 * A value that all machines share: the first one stores it, the others read it.
 *
 * @param make creates the value; called even if there is one already
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
