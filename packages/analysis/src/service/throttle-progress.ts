import type { EarlyDetection } from '@chiffchaff/contract';
import type { AnalysisProgress } from '../analyzer.ts';

/** How far an analysis is, as plain data. */
export interface ProgressReport {
  readonly fraction: number | null;
  readonly detections: readonly EarlyDetection[];
}

const EVERY_MS = 250;
/** Hours of song make long lists; they are told less often. */
const MS_A_DETECTION = 2;

/** Passes on what the analyzer reports after every clip, at most four times a second. */
export function throttleProgress(report: (progress: ProgressReport) => void): (progress: AnalysisProgress) => void {
  let nextAtMs = 0;
  return ({ fraction, detectionsSoFar }) => {
    const nowMs = performance.now();
    if (nowMs < nextAtMs) return;
    const detections = detectionsSoFar();
    report({ fraction, detections });
    nextAtMs = nowMs + Math.max(EVERY_MS, detections.length * MS_A_DETECTION);
  };
}
