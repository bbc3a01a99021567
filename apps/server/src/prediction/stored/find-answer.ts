import type { PredictionFields } from '@chiffchaff/contract';
import { existing, HttpProblem } from '../../http/http-problem.ts';
import type { PredictionOrUpload, Predictions } from '../predictions.ts';
import { readProblem } from '../queue/job-store.ts';
import type { StoredRow } from './prediction-store.ts';

/** @param idOrKey id of a prediction, or idempotency key of its request. @throws HttpProblem NOT_FOUND, also for another account's */
export async function findPrediction(predictions: Predictions, accountId: string, idOrKey: string): Promise<PredictionOrUpload> {
  return existing(await predictions.find(accountId, idOrKey));
}

/** @throws HttpProblem NOT_FOUND, STILL_LISTENING, or the problem why there is no answer */
export async function findAnswer(
  predictions: Predictions,
  accountId: string,
  idOrKey: string,
): Promise<StoredRow & { readonly fileName: string | null; readonly fields: PredictionFields }> {
  const found = await findPrediction(predictions, accountId, idOrKey);
  if ('cancel' in found) throw new HttpProblem('STILL_LISTENING', {});
  const { id, answerBytes, fileName, fields, problem } = found;
  if (answerBytes !== null) return { id, accountId, answerBytes, fileName, fields: JSON.parse(fields) as PredictionFields };
  if (problem === null) throw new HttpProblem('STILL_LISTENING', {});
  const { code, details } = readProblem(problem);
  throw new HttpProblem(code, details);
}
