import type { AnalysisRequest } from '@chiffchaff/analysis';
import { MOST_DETECTIONS, type PredictionFields } from '@chiffchaff/contract';
import { weekOfDate } from './week-of-date.ts';

/** What the analyzer is asked, from what a form said. */
export function toAnalysisRequest(
  recording: Required<Pick<AnalysisRequest, 'path' | 'fileName' | 'sha256'>>,
  { latitude, longitude, date, language, minScore, top, overlapSeconds }: PredictionFields,
): AnalysisRequest {
  return {
    ...recording,
    mostDetections: MOST_DETECTIONS,
    ...(latitude === undefined || longitude === undefined ? {} : { latitude, longitude }),
    ...(date === undefined ? {} : { date, week: weekOfDate(date) }),
    ...(language === undefined ? {} : { language }),
    ...(minScore === undefined ? {} : { minScore }),
    ...(top === undefined ? {} : { top }),
    ...(overlapSeconds === undefined ? {} : { overlapSeconds }),
  };
}
