import { MOST_DETECTIONS, type PredictionFields } from '@chiffchaff/contract';
import type { ListenRequest } from '@chiffchaff/listening';
import { weekOfDate } from './week-of-date.ts';

/** What the listener is asked, from what a form said. */
export function toListenRequest(
  recording: Required<Pick<ListenRequest, 'path' | 'fileName' | 'sha256'>>,
  { latitude, longitude, date, language, minScore, top, overlapSeconds }: PredictionFields,
): ListenRequest {
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
