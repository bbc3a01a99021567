import type { BirdReview, BirdVerdict, PredictionSummary } from '@chiffchaff/contract';
import type { Database } from '../../database/database.ts';
import { latestReviews, list, type ReviewRow, type StandingReview } from './listing.ts';
import { requireAnswer } from './prediction-store.ts';

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

export type ReviewStore = ReturnType<typeof createReviewStore>;

/** Reviews, and what follows from them for lists. Rows never change. A resolved change is on disk. */
export function createReviewStore({ query, change, expressions }: Database, now: () => number = Date.now) {
  /**
   * @param next the review that follows the bird's latest; null if nothing is to be added
   * @returns all reviews after the change
   * @throws HttpProblem NOT_FOUND when the account has no such answer, or no longer has it
   */
  function add(
    accountId: string,
    predictionId: string,
    scientificName: string,
    next: (latest: StandingReview | undefined) => Omit<ReviewRow, 'predictionId' | 'sequence' | 'atMs'> | null,
  ): Promise<BirdReview[]> {
    return change({}, async (transaction) => {
      await requireAnswer(transaction, accountId, predictionId);
      const before = await latestReviews(transaction, [predictionId]);
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
      const reviews = await latestReviews(transaction, [predictionId]);
      await transaction
        .deleteFrom('predictionReviews')
        .where('predictionId', '=', predictionId)
        .where('sequence', '<=', sequence - MOST_KEPT)
        .where('sequence', 'not in', [0, ...reviews.map((review) => review.sequence)])
        .execute();
      await list(transaction, expressions, predictionId);
      return reviews.map(toReview);
    });
  }

  return {
    /** The latest review of each bird, by scientific name. */
    of: async (predictionId: string): Promise<BirdReview[]> => (await latestReviews(query, [predictionId])).map(toReview),

    /** The latest review of a bird, with what the answer said of it then. */
    latest: async (predictionId: string, scientificName: string): Promise<StandingReview | undefined> =>
      (await latestReviews(query, [predictionId])).find((review) => review.scientificName === scientificName),

    /** What was said, in order, and withdrawals: the latest `MOST_KEPT`, and what still counts. */
    async historyOf(predictionId: string): Promise<(Omit<BirdReview, 'verdict'> & Pick<ReviewRow, 'verdict'>)[]> {
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
      const rows = Map.groupBy(await latestReviews(query, predictionIds), ({ predictionId }) => predictionId);
      return new Map([...rows].map(([id, said]) => [id, said.map(toReview)]));
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

const toReview = <Said extends ReviewRow>({
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
