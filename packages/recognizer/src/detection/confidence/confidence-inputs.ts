/** Inputs of the confidence of a species in a passage, each clipped to the manifest's range. */
export interface ConfidenceInputs {
  readonly z: number;
  readonly meanMargin: number;
  readonly maxMargin: number;
  readonly nonBird: number;
  /** 0 without a place */
  readonly gap: number;
}
