import type { Answer, AnswerConditions, Evidence, PlaceAndWeek } from '@chiffchaff/recognizer';

/** The recogniser as an evaluation needs it: a recording is analysed once and answered under many conditions. */
export interface Analyst {
  readonly model: { readonly id: string; readonly version: string; readonly sha256: string; readonly attribution: string };
  /** Index of each bird the model knows, by scientific name. */
  readonly birds: ReadonlyMap<string, number>;
  /**
   * @throws PredictionError when the recording cannot be read
   * @throws the signal's reason when it aborts
   */
  readonly analyseFile: (path: string, signal: AbortSignal) => Promise<Evidence>;
  /** @returns mono samples at the model's rate */
  readonly decode: (path: string, signal: AbortSignal) => Promise<Float32Array>;
  /** @param pieces mono samples at the model's rate, one after the other */
  readonly analyseSamples: (pieces: Iterable<Float32Array>, signal: AbortSignal) => Promise<Evidence>;
  readonly conclude: (evidence: Evidence, conditions: AnswerConditions) => Answer;
  /** How likely each label is at the place and week, in label order. */
  readonly occurrence: (place: PlaceAndWeek) => Promise<Float32Array>;
  readonly sampleRate: number;
  readonly close: () => Promise<void>;
}
