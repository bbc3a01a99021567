import type { Kysely } from 'kysely';
import type { Expressions } from '../../database/open-database.ts';
import type { Tables } from '../../database/tables.ts';

/**
 * Gives rows of `predictionSpecies` what they repeat of their predictions, so that an account's species are found without looking at those:
 * to be called after an insert. Nothing of it changes later.
 */
export async function completeSpecies(
  query: Kysely<Tables>,
  { recordedOn }: Expressions,
  predictionIds: readonly string[],
): Promise<void> {
  await query
    .updateTable('predictionSpecies')
    .from('predictions')
    .set(({ ref, fn, val }) => ({
      // An answer without an account has no species; were there any, they would not be looked at again and again.
      ownerId: fn.coalesce(ref('predictions.accountId'), val('')),
      sentAtMs: ref('predictions.createdAtMs'),
      recordedOn,
    }))
    .whereRef('predictions.id', '=', 'predictionSpecies.predictionId')
    .where('predictionSpecies.predictionId', 'in', predictionIds)
    .execute();
}

/** Predictions of which there are species rows that are not complete: stored before the rows had all that, or by an older version just now. */
export async function incompleteSpecies(query: Kysely<Tables>, most: number): Promise<readonly string[]> {
  const rows = await query
    .selectFrom('predictionSpecies')
    .select('predictionId')
    .where('ownerId', 'is', null)
    .limit(most)
    .execute();
  return [...new Set(rows.map(({ predictionId }) => predictionId))];
}
