import type { AnalysisRequest } from '@chiffchaff/analysis';
import { MOST_DETECTIONS, type PredictionFields } from '@chiffchaff/contract';
import { weekOf } from '@chiffchaff/recognizer';

/** Turns the fields of a form into a request to the analyzer. */
export function toAnalysisRequest(
  recording: Required<Pick<AnalysisRequest, 'path' | 'fileName' | 'sha256'>>,
  { latitude, longitude, placeSource, timeZone, date, language, minScore, top, overlapSeconds }: PredictionFields,
): AnalysisRequest {
  return {
    ...recording,
    mostDetections: MOST_DETECTIONS,
    ...(latitude === undefined || longitude === undefined ? {} : { latitude, longitude }),
    ...(placeSource === undefined ? {} : { placeSource }),
    ...(timeZone === undefined ? {} : { timeZone }),
    ...(date === undefined ? {} : { date, week: weekOfDate(date) }),
    ...(language === undefined ? {} : { language }),
    ...(minScore === undefined ? {} : { minScore }),
    ...(top === undefined ? {} : { top }),
    ...(overlapSeconds === undefined ? {} : { overlapSeconds }),
  };
}

/** The week of a calendar date such as `2026-05-01`, 1–48, as the occurrence model counts them. */
export function weekOfDate(date: string): number {
  const [, month = 1, day = 1] = date.split('-').map(Number);
  return weekOf(month, day);
}
