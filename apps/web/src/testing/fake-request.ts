import type { PredictionRequest } from '../platform/sending/request-prediction.ts';

/** A request that contains only what a test specifies. */
export const fakeRequest = (part: Partial<PredictionRequest> = {}): PredictionRequest => ({
  file: new File(['x'], 'a.wav'),
  place: null,
  placeSource: 'stated',
  timeZone: null,
  date: null,
  language: null,
  keepAudio: null,
  listeningCopy: false,
  isForDevice: false,
  ...part,
});
