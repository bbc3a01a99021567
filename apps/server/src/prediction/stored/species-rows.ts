import type { PredictionSummary } from '@chiffchaff/contract';
import type { Kysely } from 'kysely';
import type { Expressions } from '../../database/database.ts';
import type { Flag, Tables } from '../../database/tables.ts';

type NamedSpecies = PredictionSummary['species'][number] & { readonly confirmed?: Flag };

/**
 * Adds the species of a prediction, in the transaction that stores its answer. Each row repeats what lists need of the prediction, so that an
 * account's species are found without reading its predictions.
 */
export async function insertSpecies(
  transaction: Kysely<Tables>,
  { recordedOn }: Expressions,
  predictionId: string,
  species: readonly NamedSpecies[],
): Promise<void> {
  if (species.length === 0) return;
  const prediction = await transaction
    .selectFrom('predictions')
    // Answers without an account have no species.
    .select(({ ref }) => [ref('accountId').$notNull().as('ownerId'), 'createdAtMs as sentAtMs', recordedOn.as('recordedOn')])
    .where('id', '=', predictionId)
    .executeTakeFirstOrThrow();
  const rows = species.map((one) => ({ predictionId, ...prediction, ...one }));
  await transaction.insertInto('predictionSpecies').values(rows).execute();
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
  await insertSpecies(transaction, expressions, id, species);
}
