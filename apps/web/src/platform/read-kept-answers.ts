import { type PredictionList, type StoredPrediction, storedPredictionSchema } from '@chiffchaff/contract';
import { toApiError } from './api-error.ts';
import { type KeptAnswer, keptAnswersOf } from './kept-answers.ts';

/** From here on an answer names a bird, as in the server's own list. */
const namedFrom = 0.5;

const isAnswer = (stored: StoredPrediction): stored is KeptAnswer => stored.state === 'done';

/** What was kept of an account's answers, the newest first; what is damaged counts as not kept. */
export function readKeptAnswers(localId: string): readonly KeptAnswer[] {
  return keptAnswersOf(localId)
    .map((kept) => storedPredictionSchema.safeParse(kept).data)
    .filter((stored) => stored !== undefined)
    .filter(isAnswer)
    .sort((one, other) => other.prediction.createdAt.localeCompare(one.prediction.createdAt));
}

/** They as the server would list them; null when nothing is kept. */
export function listKeptAnswers(localId: string): PredictionList | null {
  const predictions = readKeptAnswers(localId).map(({ prediction, keptAudio }) => ({
    id: prediction.id,
    createdAt: prediction.createdAt,
    fileName: prediction.recording.fileName,
    durationSeconds: prediction.recording.durationSeconds,
    verdict: prediction.verdict,
    species: prediction.candidates
      .filter(({ confidence }) => confidence >= namedFrom)
      .toSorted((one, other) => other.confidence - one.confidence),
    keptAudio,
  }));
  return predictions.length === 0 ? null : { inWork: [], failed: [], predictions, cursor: null };
}

/** Whether a call was not carried to the server at all: then what is kept may stand in. */
export const isOutOfReach = (error: unknown): boolean => toApiError(error).kind === 'network';
