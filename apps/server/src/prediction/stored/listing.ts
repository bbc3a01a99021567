/**
 * What lists show of a prediction, so that they never open the answer: its summary, the text that a search matches, and its species after
 * the owner's reviews. Written in the transaction that changes the answer or a review (`job-store.ts`, `review-store.ts`,
 * `conditions-store.ts`).
 */
import type { Analysis } from '@chiffchaff/analysis';
import {
  type BirdVerdict,
  birdFromElsewhere,
  birdsOfSentence,
  isRefused,
  namedBirds,
  type Prediction,
  type PredictionSummary,
} from '@chiffchaff/contract';
import type { Kysely, Selectable } from 'kysely';
import type { Expressions } from '../../database/expressions.ts';
import type { Flag, PredictionReviewsTable, Tables } from '../../database/tables.ts';
import { foldName } from '../../places/fold-name.ts';

/** What a list shows of a prediction besides its row and its audio. */
type Summary = Pick<PredictionSummary, 'durationSeconds' | 'verdict' | 'species'>;
type BirdName = Pick<Summary['species'][number], 'scientificName' | 'commonName'>;
type CountedSpecies = Summary['species'][number] & { readonly confirmed: Flag };

export type ReviewRow = Selectable<PredictionReviewsTable>;
/** A review that counts. */
export type StandingReview = ReviewRow & { readonly verdict: BirdVerdict };

/** The columns of a row for lists, before any review. */
export function listed(prediction: Prediction, species: Analysis['species']) {
  const { recording, verdict } = prediction;
  const { kind, tied, sentence } = verdict;
  const birds = namedBirds(prediction);
  const nameOnly = ({ scientificName, commonName }: BirdName): BirdName => ({ scientificName, commonName });
  const elsewhere = birdFromElsewhere(prediction);
  const summary: Summary = {
    durationSeconds: recording.durationSeconds,
    verdict: {
      ...{ kind, tied, sentence, named: birds.map(nameOnly) },
      tiedBirds: tied ? birdsOfSentence(verdict, birds).map(nameOnly) : undefined,
      elsewhere: elsewhere && nameOnly(elsewhere),
    },
    species,
  };
  return { summary: JSON.stringify(summary), searchText: searchTextOf(recording.fileName, summary, []) };
}

/** Parses a summary that `listed` wrote. */
export function readSummary(stored: string | null): Summary {
  return JSON.parse(stored ?? '') as Summary;
}

/** The text that a search matches: also the two birds of a tie, and those that reviews name. */
function searchTextOf(fileName: string | null, { verdict, species }: Summary, counted: readonly BirdName[]): string {
  const birds = [...species, ...(verdict.tiedBirds ?? []), ...counted];
  const names = birds.flatMap(({ scientificName, commonName }) => [scientificName, commonName]);
  return ` ${[...new Set([fileName ?? '', ...names])].map(foldName).join(' ')}`;
}

/**
 * Lists an account's prediction whose answer or reviews have just changed. Each row of a species repeats what lists need of the prediction,
 * so that an account's species are found without reading its predictions.
 */
export async function list(transaction: Kysely<Tables>, { recordedOn }: Expressions, id: string): Promise<void> {
  const { fileName, summary, searchText, ...prediction } = await transaction
    .selectFrom('predictions')
    .select(({ ref }) => [ref('accountId').$notNull().as('ownerId'), 'createdAtMs as sentAtMs', recordedOn.as('recordedOn')])
    .select(['fileName', 'summary', 'searchText'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const read = readSummary(summary);
  const species = countedSpecies(read.species, await latestReviews(transaction, [id]));
  const text = searchTextOf(fileName, read, species);
  // Avoids rewriting the row, which also holds the answer.
  if (text !== searchText) await transaction.updateTable('predictions').set({ searchText: text }).where('id', '=', id).execute();
  await transaction.deleteFrom('predictionSpecies').where('predictionId', '=', id).execute();
  const rows = species.map((one) => ({ predictionId: id, ...prediction, ...one }));
  if (rows.length > 0) await transaction.insertInto('predictionSpecies').values(rows).execute();
}

/** The latest review of each bird, by scientific name, except withdrawn ones. */
export async function latestReviews(query: Kysely<Tables>, predictionIds: readonly string[]): Promise<readonly StandingReview[]> {
  if (predictionIds.length === 0) return [];
  const rows = await query
    .selectFrom('predictionReviews')
    .selectAll()
    .where('predictionId', 'in', predictionIds)
    .orderBy('scientificName')
    .orderBy('sequence')
    .execute();
  const latest = new Map(rows.map((row) => [`${row.predictionId} ${row.scientificName}`, row]));
  return [...latest.values()].filter((row): row is StandingReview => row.verdict !== 'withdrawn');
}

/**
 * The species that count for a recording: those the answer names, except rejected or corrected ones, plus those confirmed, added or
 * corrected to, however unsure the answer is of them. A species that another was corrected to counts even if it was itself rejected.
 *
 * @param species those that the answer names with *perhaps* or a surer word
 */
export function countedSpecies(
  species: Summary['species'],
  reviews: readonly Omit<StandingReview, 'predictionId' | 'sequence' | 'bulk' | 'atMs'>[],
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
