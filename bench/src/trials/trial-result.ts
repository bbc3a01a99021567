/** What a trial prints, unless it has printed rows itself, and whether everything was as it should be. */
export interface TrialResult {
  readonly report?: unknown;
  readonly passed: boolean;
}
