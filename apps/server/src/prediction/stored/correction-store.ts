import type { Correction, CorrectionKind, PredictionSummary } from '@chiffchaff/contract';
import type { Kysely, Selectable } from 'kysely';
import type { Database } from '../../database/database.ts';
import type { Flag, PredictionCorrectionsTable, Tables } from '../../database/tables.ts';
import { mentionedIn, readSummary, searchTextOf } from './prediction-store.ts';
import { type ListedSpecies, replaceListed } from './species-rows.ts';

/** A correction of a bird, with what the answer says of the bird. */
export interface NewCorrection {
  readonly bird: PredictionSummary['species'][number];
  readonly kind: CorrectionKind;
  /** null unless it is corrected to another */
  readonly correctedTo: { readonly scientificName: string; readonly commonName: string } | null;
}

type Row = Selectable<PredictionCorrectionsTable>;

const correctionsOf = (query: Kysely<Tables>, predictionId: string): Promise<Row[]> =>
  query
    .selectFrom('predictionCorrections')
    .selectAll()
    .where('predictionId', '=', predictionId)
    .orderBy('scientificName')
    .execute();

/** What lists show of a prediction after its corrections. */
function listedWith(
  { fileName, summary }: { readonly fileName: string | null; readonly summary: string | null },
  corrections: readonly Row[],
): Omit<ListedSpecies, 'id'> & { readonly searchText: string } {
  const read = readSummary(summary);
  const species = countedSpecies(read.species, corrections);
  return { species, searchText: searchTextOf(fileName, [...mentionedIn(read), ...species]) };
}

/** A prediction whose answer has just been replaced. */
export interface ReplacedPrediction {
  readonly id: string;
  readonly fileName: string | null;
  readonly summary: string;
}

export type CorrectionStore = ReturnType<typeof createCorrectionStore>;

/** Corrections, and what follows from them for lists. A resolved change is on disk. */
export function createCorrectionStore({ query, change, expressions }: Database, now: () => number = Date.now) {
  /** @returns all corrections after the change; null when the account has no such answer, or no longer has it */
  function changeOf(
    accountId: string,
    predictionId: string,
    make: (transaction: Kysely<Tables>) => Promise<unknown>,
  ): Promise<readonly Correction[] | null> {
    return change({}, async (transaction) => {
      const prediction = await transaction
        .selectFrom('predictions')
        .select(['fileName', 'summary', 'searchText'])
        .where('id', '=', predictionId)
        .where('accountId', '=', accountId)
        .where('deletedAtMs', 'is', null)
        .where('state', '=', 'done')
        .executeTakeFirst();
      if (prediction === undefined) return null;
      await make(transaction);
      const corrections = await correctionsOf(transaction, predictionId);
      const listed = listedWith(prediction, corrections);
      const searchText = listed.searchText === prediction.searchText ? null : listed.searchText;
      await replaceListed(transaction, expressions, { id: predictionId, ...listed, searchText });
      return corrections.map(toCorrection);
    });
  }

  return {
    of: async (predictionId: string): Promise<readonly Correction[]> =>
      (await correctionsOf(query, predictionId)).map(toCorrection),

    /** By prediction, without those that have none. */
    async ofAll(predictionIds: readonly string[]): Promise<ReadonlyMap<string, Correction[]>> {
      if (predictionIds.length === 0) return new Map();
      const rows = await query
        .selectFrom('predictionCorrections')
        .selectAll()
        .where('predictionId', 'in', predictionIds)
        .orderBy('scientificName')
        .execute();
      const corrections = new Map<string, Correction[]>(rows.map(({ predictionId }) => [predictionId, []]));
      for (const row of rows) corrections.get(row.predictionId)?.push(toCorrection(row));
      return corrections;
    },

    /** Repeating a correction changes nothing, not even its time. */
    put: (accountId: string, predictionId: string, { bird, kind, correctedTo }: NewCorrection) =>
      changeOf(accountId, predictionId, async (transaction) => {
        const said = {
          kind,
          correctedTo: correctedTo?.scientificName ?? null,
          correctedToCommonName: correctedTo?.commonName ?? null,
        };
        await transaction
          .insertInto('predictionCorrections')
          .values({ predictionId, ...bird, ...said, atMs: now() })
          .onConflict((known) =>
            known
              .columns(['predictionId', 'scientificName'])
              .doUpdateSet({ ...said, atMs: now() })
              .where(({ or, eb, ref }) =>
                or([
                  eb('predictionCorrections.kind', '<>', kind),
                  eb('predictionCorrections.correctedTo', 'is distinct from', ref('excluded.correctedTo')),
                ]),
              ),
          )
          .execute();
      }),

    /** Lists the species of an answer that has just been replaced, with the corrections that stay. */
    async listAgain(transaction: Kysely<Tables>, prediction: ReplacedPrediction): Promise<void> {
      const corrections = await correctionsOf(transaction, prediction.id);
      await replaceListed(transaction, expressions, { id: prediction.id, ...listedWith(prediction, corrections) });
    },

    /** Succeeds if there is no such correction. */
    remove: (accountId: string, predictionId: string, scientificName: string) =>
      changeOf(accountId, predictionId, (transaction) =>
        transaction
          .deleteFrom('predictionCorrections')
          .where('predictionId', '=', predictionId)
          .where('scientificName', '=', scientificName)
          .execute(),
      ),
  };
}

const toCorrection = ({ scientificName, commonName, kind, correctedTo, correctedToCommonName, atMs }: Row): Correction => ({
  scientificName,
  commonName,
  kind,
  correctedTo,
  correctedToCommonName,
  at: new Date(atMs).toISOString(),
});

type CountedSpecies = PredictionSummary['species'][number] & { readonly confirmed: Flag };

/**
 * The species that count for a recording: those the answer names, except rejected or corrected ones, plus those confirmed or corrected to,
 * however unsure the answer is of them. A species that another was corrected to counts even if it was itself rejected.
 *
 * @param species those that the answer names with *perhaps* or a surer word
 */
export function countedSpecies(species: PredictionSummary['species'], corrections: readonly Row[]): readonly CountedSpecies[] {
  const named = new Map(species.map((one) => [one.scientificName, one]));
  const counted = new Map<string, CountedSpecies>(species.map((one) => [one.scientificName, { ...one, confirmed: 0 }]));
  for (const { scientificName, kind } of corrections) if (kind !== 'confirmed') counted.delete(scientificName);
  for (const { scientificName, commonName, confidence, kind, correctedTo, correctedToCommonName } of corrections) {
    if (kind === 'confirmed') counted.set(scientificName, { scientificName, commonName, confidence, confirmed: 1 });
    if (correctedTo === null) continue;
    const known = named.get(correctedTo);
    counted.set(correctedTo, {
      scientificName: correctedTo,
      commonName: known?.commonName ?? correctedToCommonName ?? correctedTo,
      confidence: known?.confidence ?? 0,
      confirmed: 1,
    });
  }
  return [...counted.values()];
}
