import { type BirdReview, type BirdVerdict, isRefused, type PredictionSummary } from '@chiffchaff/contract';
import type { Kysely, Selectable } from 'kysely';
import type { Database } from '../../database/database.ts';
import type { Flag, PredictionReviewsTable, Tables } from '../../database/tables.ts';
import { answered, mentionedIn, readSummary, searchTextOf } from './prediction-store.ts';
import { type ListedSpecies, replaceListed } from './species-rows.ts';

/** A review of a bird, with what the answer says of the bird. */
export interface NewReview {
  readonly bird: PredictionSummary['species'][number];
  readonly verdict: BirdVerdict;
  /** null unless it is corrected to another */
  readonly to: { readonly scientificName: string; readonly commonName: string } | null;
  /** confirmed together with others */
  readonly isBulk: boolean;
}

/** of a prediction; older ones stay only if they still count */
const MOST_KEPT = 200;

type Row = Selectable<PredictionReviewsTable>;
/** A review that has not been withdrawn. */
type StandingRow = Row & { readonly verdict: BirdVerdict };

const isStanding = (row: Row): row is StandingRow => row.verdict !== 'withdrawn';

/** The latest review of each bird, by scientific name, except withdrawn ones. */
async function latestOf(query: Kysely<Tables>, predictionIds: readonly string[]): Promise<StandingRow[]> {
  if (predictionIds.length === 0) return [];
  const rows = await query
    .selectFrom('predictionReviews')
    .selectAll()
    .where('predictionId', 'in', predictionIds)
    .where(({ eb, refTuple }) =>
      eb(
        refTuple('predictionId', 'sequence'),
        'in',
        eb
          .selectFrom('predictionReviews')
          .select(({ fn }) => ['predictionId', fn.max('sequence').as('sequence')])
          .where('predictionId', 'in', predictionIds)
          .groupBy(['predictionId', 'scientificName'])
          .$asTuple('predictionId', 'sequence'),
      ),
    )
    .orderBy('scientificName')
    .execute();
  return rows.filter(isStanding);
}

/** What lists show of a prediction after its reviews. */
function listedWith(
  { fileName, summary }: { readonly fileName: string | null; readonly summary: string | null },
  reviews: readonly StandingRow[],
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

/** Reviews, and what follows from them for lists. Rows never change. A resolved change is on disk. */
export function createReviewStore({ query, change, expressions }: Database, now: () => number = Date.now) {
  /**
   * @param next the review that follows the bird's latest; null if nothing is to be added
   * @returns all reviews after the change; null when the account has no such answer, or no longer has it
   */
  function add(
    accountId: string,
    predictionId: string,
    scientificName: string,
    next: (latest: StandingRow | undefined) => Omit<Row, 'predictionId' | 'sequence' | 'atMs'> | null,
  ): Promise<readonly BirdReview[] | null> {
    return change({}, async (transaction) => {
      const prediction = await answered(transaction, accountId, predictionId)
        .select(['fileName', 'summary', 'searchText'])
        .executeTakeFirst();
      if (prediction === undefined) return null;
      const before = await latestOf(transaction, [predictionId]);
      const said = next(before.find((review) => review.scientificName === scientificName));
      if (said === null) return before.map(toReview);
      const { sequence } = await transaction
        .insertInto('predictionReviews')
        .values(({ selectFrom, fn, lit }) => ({
          ...said,
          predictionId,
          sequence: selectFrom('predictionReviews')
            .select(({ eb }) => eb(fn.coalesce(fn.max('sequence'), lit(0)), '+', lit(1)).as('next'))
            .where('predictionId', '=', predictionId),
          atMs: now(),
        }))
        .returning('sequence')
        .executeTakeFirstOrThrow();
      const reviews = await latestOf(transaction, [predictionId]);
      await transaction
        .deleteFrom('predictionReviews')
        .where('predictionId', '=', predictionId)
        .where('sequence', '<=', sequence - MOST_KEPT)
        .where('sequence', 'not in', [0, ...reviews.map((review) => review.sequence)])
        .execute();
      const listed = listedWith(prediction, reviews);
      const searchText = listed.searchText === prediction.searchText ? null : listed.searchText;
      await replaceListed(transaction, expressions, { id: predictionId, ...listed, searchText });
      return reviews.map(toReview);
    });
  }

  return {
    /** The latest review of each bird, by scientific name. */
    of: async (predictionId: string): Promise<readonly BirdReview[]> => (await latestOf(query, [predictionId])).map(toReview),

    /** The latest review of a bird, with what the answer said of it then. */
    latest: async (predictionId: string, scientificName: string): Promise<StandingRow | undefined> =>
      (await latestOf(query, [predictionId])).find((review) => review.scientificName === scientificName),

    /** What was said, in order, and withdrawals: the latest `MOST_KEPT`, and what still counts. */
    async historyOf(predictionId: string): Promise<readonly (Omit<BirdReview, 'verdict'> & Pick<Row, 'verdict'>)[]> {
      const rows = await query
        .selectFrom('predictionReviews')
        .selectAll()
        .where('predictionId', '=', predictionId)
        .orderBy('sequence')
        .execute();
      return rows.map(toReview);
    },

    /** The latest of each bird by prediction, without predictions that have none. */
    async ofAll(predictionIds: readonly string[]): Promise<ReadonlyMap<string, BirdReview[]>> {
      const rows = await latestOf(query, predictionIds);
      const reviews = new Map<string, BirdReview[]>(rows.map(({ predictionId }) => [predictionId, []]));
      for (const row of rows) reviews.get(row.predictionId)?.push(toReview(row));
      return reviews;
    },

    /** Repeating a review adds nothing. One in bulk leaves any other as it is. */
    put: (accountId: string, predictionId: string, { bird, verdict, to, isBulk }: NewReview) =>
      add(accountId, predictionId, bird.scientificName, (latest) => {
        const said = { verdict, toScientificName: to?.scientificName ?? null, bulk: isBulk ? 1 : 0 } as const;
        const isSame = latest?.verdict === verdict && latest.toScientificName === said.toScientificName && latest.bulk === 0;
        if (latest && (isBulk || isSame)) return null;
        const { scientificName, commonName, confidence } = bird;
        return { scientificName, commonName, confidence, toCommonName: to?.commonName ?? null, ...said };
      }),

    /** Lists the species of an answer that has just been replaced, with the reviews that stay. */
    async listAgain(transaction: Kysely<Tables>, prediction: ReplacedPrediction): Promise<void> {
      const reviews = await latestOf(transaction, [prediction.id]);
      await replaceListed(transaction, expressions, { id: prediction.id, ...listedWith(prediction, reviews) });
    },

    /** Succeeds if there is no such review. */
    withdraw: (accountId: string, predictionId: string, scientificName: string) =>
      add(accountId, predictionId, scientificName, (latest) => {
        if (latest === undefined) return null;
        const { commonName, confidence } = latest;
        const nothing = { toScientificName: null, toCommonName: null, bulk: 0 } as const;
        return { scientificName, commonName, confidence, verdict: 'withdrawn', ...nothing };
      }),
  };
}

const toReview = <Said extends Row>({
  scientificName,
  commonName,
  verdict,
  toScientificName,
  toCommonName,
  bulk,
  atMs,
}: Said) => ({
  scientificName,
  commonName,
  verdict: verdict as Said['verdict'],
  to: toScientificName,
  toCommonName,
  ...(bulk === 1 && { bulk: true as const }),
  at: new Date(atMs).toISOString(),
});

type CountedSpecies = PredictionSummary['species'][number] & { readonly confirmed: Flag };

/**
 * The species that count for a recording: those the answer names, except rejected or corrected ones, plus those confirmed, added or
 * corrected to, however unsure the answer is of them. A species that another was corrected to counts even if it was itself rejected.
 *
 * @param species those that the answer names with *perhaps* or a surer word
 */
export function countedSpecies(
  species: PredictionSummary['species'],
  reviews: readonly Omit<StandingRow, 'predictionId' | 'sequence' | 'bulk' | 'atMs'>[],
): readonly CountedSpecies[] {
  const named = new Map(species.map((one) => [one.scientificName, one]));
  const counted = new Map<string, CountedSpecies>(species.map((one) => [one.scientificName, { ...one, confirmed: 0 }]));
  for (const review of reviews) if (isRefused(review)) counted.delete(review.scientificName);
  for (const { scientificName, commonName, confidence, verdict, toScientificName, toCommonName } of reviews) {
    if (verdict === 'confirmed' || verdict === 'added')
      counted.set(scientificName, { scientificName, commonName, confidence, ...named.get(scientificName), confirmed: 1 });
    if (toScientificName === null) continue;
    const known = named.get(toScientificName);
    counted.set(toScientificName, {
      scientificName: toScientificName,
      commonName: known?.commonName ?? toCommonName ?? toScientificName,
      confidence: known?.confidence ?? 0,
      confirmed: 1,
    });
  }
  return [...counted.values()];
}
