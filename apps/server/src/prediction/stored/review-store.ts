import type { BirdReview, BirdVerdict, PredictionSummary } from '@chiffchaff/contract';
import type { Kysely, Selectable } from 'kysely';
import type { Database } from '../../database/database.ts';
import type { Flag, PredictionCorrectionsTable, Tables } from '../../database/tables.ts';
import { mentionedIn, readSummary, searchTextOf } from './prediction-store.ts';
import { type ListedSpecies, replaceListed } from './species-rows.ts';

/** A review of a bird, with what the answer says of the bird. */
export interface NewReview {
  readonly bird: PredictionSummary['species'][number];
  readonly verdict: BirdVerdict;
  /** null unless it is corrected to another */
  readonly to: { readonly scientificName: string; readonly commonName: string } | null;
}

type Row = Selectable<PredictionCorrectionsTable>;

const reviewsOf = (query: Kysely<Tables>, predictionId: string): Promise<Row[]> =>
  query
    .selectFrom('predictionCorrections')
    .selectAll()
    .where('predictionId', '=', predictionId)
    .orderBy('scientificName')
    .execute();

/** What lists show of a prediction after its reviews. */
function listedWith(
  { fileName, summary }: { readonly fileName: string | null; readonly summary: string | null },
  reviews: readonly Row[],
): Omit<ListedSpecies, 'id'> & { readonly searchText: string } {
  const read = readSummary(summary);
  const species = countedSpecies(read.species, reviews);
  return { species, searchText: searchTextOf(fileName, [...mentionedIn(read), ...species]) };
}

/** A prediction whose answer has just been replaced. */
export interface ReplacedPrediction {
  readonly id: string;
  readonly fileName: string | null;
  readonly summary: string;
}

export type ReviewStore = ReturnType<typeof createReviewStore>;

/** Reviews, and what follows from them for lists. A resolved change is on disk. */
export function createReviewStore({ query, change, expressions }: Database, now: () => number = Date.now) {
  /** @returns all reviews after the change; null when the account has no such answer, or no longer has it */
  function changeOf(
    accountId: string,
    predictionId: string,
    make: (transaction: Kysely<Tables>) => Promise<unknown>,
  ): Promise<readonly BirdReview[] | null> {
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
      const reviews = await reviewsOf(transaction, predictionId);
      const listed = listedWith(prediction, reviews);
      const searchText = listed.searchText === prediction.searchText ? null : listed.searchText;
      await replaceListed(transaction, expressions, { id: predictionId, ...listed, searchText });
      return reviews.map(toReview);
    });
  }

  return {
    of: async (predictionId: string): Promise<readonly BirdReview[]> => (await reviewsOf(query, predictionId)).map(toReview),

    /** By prediction, without those that have none. */
    async ofAll(predictionIds: readonly string[]): Promise<ReadonlyMap<string, BirdReview[]>> {
      if (predictionIds.length === 0) return new Map();
      const rows = await query
        .selectFrom('predictionCorrections')
        .selectAll()
        .where('predictionId', 'in', predictionIds)
        .orderBy('scientificName')
        .execute();
      const reviews = new Map<string, BirdReview[]>(rows.map(({ predictionId }) => [predictionId, []]));
      for (const row of rows) reviews.get(row.predictionId)?.push(toReview(row));
      return reviews;
    },

    /** Repeating a review changes nothing, not even its time. */
    put: (accountId: string, predictionId: string, { bird, verdict, to }: NewReview) =>
      changeOf(accountId, predictionId, async (transaction) => {
        const said = {
          kind: verdict,
          correctedTo: to?.scientificName ?? null,
          correctedToCommonName: to?.commonName ?? null,
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
                  eb('predictionCorrections.kind', '<>', verdict),
                  eb('predictionCorrections.correctedTo', 'is distinct from', ref('excluded.correctedTo')),
                ]),
              ),
          )
          .execute();
      }),

    /** Lists the species of an answer that has just been replaced, with the reviews that stay. */
    async listAgain(transaction: Kysely<Tables>, prediction: ReplacedPrediction): Promise<void> {
      const reviews = await reviewsOf(transaction, prediction.id);
      await replaceListed(transaction, expressions, { id: prediction.id, ...listedWith(prediction, reviews) });
    },

    /** Succeeds if there is no such review. */
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

const toReview = ({ scientificName, commonName, kind, correctedTo, correctedToCommonName, atMs }: Row): BirdReview => ({
  scientificName,
  commonName,
  verdict: kind,
  to: correctedTo,
  toCommonName: correctedToCommonName,
  at: new Date(atMs).toISOString(),
});

type CountedSpecies = PredictionSummary['species'][number] & { readonly confirmed: Flag };

/**
 * The species that count for a recording: those the answer names, except rejected or corrected ones, plus those confirmed or corrected to,
 * however unsure the answer is of them. A species that another was corrected to counts even if it was itself rejected.
 *
 * @param species those that the answer names with *perhaps* or a surer word
 */
export function countedSpecies(species: PredictionSummary['species'], reviews: readonly Row[]): readonly CountedSpecies[] {
  const named = new Map(species.map((one) => [one.scientificName, one]));
  const counted = new Map<string, CountedSpecies>(species.map((one) => [one.scientificName, { ...one, confirmed: 0 }]));
  for (const { scientificName, kind } of reviews) if (kind !== 'confirmed') counted.delete(scientificName);
  for (const {
    scientificName,
    commonName,
    confidence,
    kind: verdict,
    correctedTo: to,
    correctedToCommonName: toCommonName,
  } of reviews) {
    if (verdict === 'confirmed') counted.set(scientificName, { scientificName, commonName, confidence, confirmed: 1 });
    if (to === null) continue;
    const known = named.get(to);
    counted.set(to, {
      scientificName: to,
      commonName: known?.commonName ?? toCommonName ?? to,
      confidence: known?.confidence ?? 0,
      confirmed: 1,
    });
  }
  return [...counted.values()];
}
