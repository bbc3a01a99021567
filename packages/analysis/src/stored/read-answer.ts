import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import { type BirdReview, type Prediction, predictionSchema } from '@chiffchaff/contract';

export const inflated = promisify(inflate);

/**
 * Opens a stored answer.
 *
 * @param answer deflated JSON, as `packAnswer` returns it
 * @throws Error when it is damaged or not a prediction
 */
export const readAnswer = async (answer: Uint8Array): Promise<Prediction> =>
  predictionSchema.parse(JSON.parse((await inflated(answer)).toString()));

/** Adds the owner's reviews since the answer was stored. */
export const withReviews = (prediction: Prediction, reviews: readonly BirdReview[]): Prediction =>
  reviews.length === 0 ? prediction : { ...prediction, reviews: [...reviews] };
