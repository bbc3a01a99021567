import {
  birdFromElsewhere,
  birdsOfSentence,
  countedBirds,
  isAtLeastPerhaps,
  namedBirds,
  type PredictionList,
  type PredictionSummary,
  partOfName,
  storedPredictionSchema,
} from '@chiffchaff/contract';
import { toApiError } from '../api/api-error.ts';
import { coordinatesOf } from '../sending/requested-conditions.ts';
import { type KeptAnswer, keptAnswersOf } from './kept-answers.ts';

/** The stored predictions of an account or of a visitor (null), newest first; damaged ones count as not stored. */
export function readKeptAnswers(localId: string | null): readonly KeptAnswer[] {
  return keptAnswersOf(localId)
    .map((kept) => storedPredictionSchema.safeParse(kept).data)
    .filter((stored) => stored?.state === 'done')
    .sort((one, other) => other.prediction.createdAt.localeCompare(one.prediction.createdAt));
}

const fold = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
const wordsOf = (text: string): string[] => fold(text).match(/[\p{L}\p{N}]+/gu) ?? [];

/** @param search parts of words in names of species and files, as on the server; empty matches all */
const isFoundBy = (search: string) => {
  const wanted = wordsOf(search);
  return ({ fileName, species }: PredictionSummary): boolean => {
    const names = [fileName ?? '', ...species.flatMap(({ commonName, scientificName }) => [commonName, scientificName])];
    const words = names.flatMap(wordsOf).map((word) => ` ${word}`);
    return wanted.every((word) => words.some((one) => one.includes(partOfName(word))));
  };
};

/** The stored predictions in the form of the server's list; null if none are stored. */
export function listKeptAnswers(localId: string, search = ''): PredictionList | null {
  const predictions = readKeptAnswers(localId).map(({ prediction, keptAudio }) => ({
    id: prediction.id,
    createdAt: prediction.createdAt,
    fileName: prediction.recording.fileName,
    durationSeconds: prediction.recording.durationSeconds,
    recordedOn: prediction.conditions.date,
    place: coordinatesOf(prediction.conditions),
    verdict: {
      ...prediction.verdict,
      elsewhere: birdFromElsewhere(prediction),
      ...(prediction.verdict.tied && { tiedBirds: [...birdsOfSentence(prediction.verdict, namedBirds(prediction))] }),
    },
    species: countedBirds(prediction)
      .filter(({ confidenceWord }) => isAtLeastPerhaps(confidenceWord))
      .toSorted((one, other) => other.confidence - one.confidence),
    reviews: prediction.reviews,
    keptAudio,
  }));
  if (predictions.length === 0) return null;
  return { inWork: [], failed: [], predictions: predictions.filter(isFoundBy(search)), cursor: null };
}

/** Whether a request did not reach the server at all, so that stored predictions may be shown instead. */
export const isOutOfReach = (error: unknown): boolean => toApiError(error).kind === 'network';
