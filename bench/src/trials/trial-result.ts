/** What a trial prints, and whether everything was as it should be. */
export interface TrialResult {
  readonly report: unknown;
  readonly passed: boolean;
}
