import type { Kysely } from 'kysely';
import type { Expressions } from '../../database/database.ts';
import type { Tables } from '../../database/tables.ts';

/**
 * Copies columns of predictions into rows of `predictionSpecies`, so that an account's species are found without reading its predictions.
 * Call this after an insert. These columns never change later.
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
      // Answers without an account have no species. If one had, an empty owner keeps its rows from counting as incomplete.
      ownerId: fn.coalesce(ref('predictions.accountId'), val('')),
      sentAtMs: ref('predictions.createdAtMs'),
      recordedOn,
    }))
    .whereRef('predictions.id', '=', 'predictionSpecies.predictionId')
    .where('predictionSpecies.predictionId', 'in', predictionIds)
    .execute();
}

/** Predictions with incomplete species rows: stored before the rows had these columns, or just now by an older version. */
export async function incompleteSpecies(query: Kysely<Tables>, most: number): Promise<readonly string[]> {
  const rows = await query
    .selectFrom('predictionSpecies')
    .select('predictionId')
    .where('ownerId', 'is', null)
    .limit(most)
    .execute();
  return [...new Set(rows.map(({ predictionId }) => predictionId))];
}
