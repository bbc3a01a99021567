import type { PredictionSummary } from '@chiffchaff/contract';
import type { Kysely } from 'kysely';
import type { Expressions } from '../../database/database.ts';
import type { Flag, Tables } from '../../database/tables.ts';

/**
 * Copies columns of predictions into rows of `predictionSpecies`, so that an account's species are found without reading its predictions.
 * Call this after an insert. Only a change of the conditions changes these columns later.
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

/** What lists show of a prediction. */
export interface ListedSpecies {
  readonly id: string;
  /** what the answer and the reviews mention, as `searchTextOf` writes it; null if it stays */
  readonly searchText: string | null;
  readonly species: readonly (PredictionSummary['species'][number] & { readonly confirmed: Flag })[];
}

/** Replaces what lists show of a prediction, in a transaction. */
export async function replaceListed(
  transaction: Kysely<Tables>,
  expressions: Expressions,
  { id, searchText, species }: ListedSpecies,
): Promise<void> {
  // Avoids rewriting the row, which also holds the answer.
  if (searchText !== null) await transaction.updateTable('predictions').set({ searchText }).where('id', '=', id).execute();
  await transaction.deleteFrom('predictionSpecies').where('predictionId', '=', id).execute();
  if (species.length === 0) return;
  const rows = species.map((one) => ({ predictionId: id, ...one }));
  await transaction.insertInto('predictionSpecies').values(rows).execute();
  await completeSpecies(transaction, expressions, [id]);
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
