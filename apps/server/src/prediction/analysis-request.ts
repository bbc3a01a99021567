import type { AnalysisRequest, Reconsideration } from '@chiffchaff/analysis';
import { MOST_DETECTIONS, type PredictionFields, type ReconsiderationBody } from '@chiffchaff/contract';
import { weekOf } from '@chiffchaff/recognizer';

/** Turns the fields of a form into a request to the analyzer. */
export function toAnalysisRequest(
  recording: Required<Pick<AnalysisRequest, 'path' | 'fileName' | 'sha256'>>,
  fields: PredictionFields,
): AnalysisRequest {
  const { overlapSeconds } = fields;
  return { ...recording, ...toReconsideration(fields), ...(overlapSeconds === undefined ? {} : { overlapSeconds }) };
}

/** The part of a request that can be answered again without the audio. */
export function toReconsideration({
  latitude,
  longitude,
  placeSource,
  timeZone,
  date,
  language,
  minScore,
  top,
}: PredictionFields): Reconsideration {
  return {
    mostDetections: MOST_DETECTIONS,
    ...(latitude === undefined || longitude === undefined ? {} : { latitude, longitude }),
    ...(placeSource === undefined ? {} : { placeSource }),
    ...(timeZone === undefined ? {} : { timeZone }),
    ...(date === undefined ? {} : { date, week: weekOfDate(date) }),
    ...(language === undefined ? {} : { language }),
    ...(minScore === undefined ? {} : { minScore }),
    ...(top === undefined ? {} : { top }),
  };
}

/** The fields after a change of the conditions: an absent value stays, null removes it. */
export function changeFields(fields: PredictionFields, body: ReconsiderationBody): PredictionFields {
  const { latitude, longitude, placeSource } = body;
  const changed: Partial<PredictionFields> = {
    ...(latitude === null || longitude === null ? { latitude: undefined, longitude: undefined, placeSource: undefined } : {}),
    ...(latitude == null || longitude == null ? {} : { latitude, longitude, placeSource: placeSource ?? undefined }),
  };
  for (const name of ['timeZone', 'date', 'minScore', 'top', 'language'] as const) {
    if (body[name] !== undefined) Object.assign(changed, { [name]: body[name] ?? undefined });
  }
  return { ...fields, ...changed };
}

/** The week of a calendar date such as `2026-05-01`, 1–48, as the occurrence model counts them. */
export function weekOfDate(date: string): number {
  const [, month = 1, day = 1] = date.split('-').map(Number);
  return weekOf(month, day);
}
