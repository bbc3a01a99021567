import type { AnalysisProgress } from '@chiffchaff/analysis';
import type { JobProgress } from './job.ts';

const EVERY_MS = 250;
/** Hours of song make long lists; they are told less often. */
const MS_A_DETECTION = 2;

/** Passes on what the analyzer reports after every clip, at most four times a second. */
export function createProgressReport(report: (progress: JobProgress) => void): (progress: AnalysisProgress) => void {
  let nextAtMs = 0;
  return ({ fraction, detectionsSoFar }) => {
    const nowMs = performance.now();
    if (nowMs < nextAtMs) return;
    const detections = detectionsSoFar();
    report({ stage: 'listening', fraction, detections });
    nextAtMs = nowMs + Math.max(EVERY_MS, detections.length * MS_A_DETECTION);
  };
}
