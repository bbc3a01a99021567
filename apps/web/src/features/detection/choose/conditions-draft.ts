import { checkField, type FieldFault, readNumber } from '../../../platform/check-field.ts';
import type { PredictionRequest } from '../request-prediction.ts';

/** Place and date as they stand in the form. */
export interface ConditionsDraft {
  /** What is typed into the search; only the coordinates count. */
  readonly placeName: string;
  readonly latitude: string;
  readonly longitude: string;
  /** ISO date or empty */
  readonly date: string;
  readonly dateFromName: boolean;
}

export const emptyDraft: ConditionsDraft = { placeName: '', latitude: '', longitude: '', date: '', dateFromName: false };

export function draftOf(request: PredictionRequest | null): ConditionsDraft {
  const { place = null, date = null } = request ?? {};
  return { ...emptyDraft, latitude: String(place?.latitude ?? ''), longitude: String(place?.longitude ?? ''), date: date ?? '' };
}

export interface ConditionsFaults {
  readonly latitude?: FieldFault | null;
  readonly longitude?: FieldFault | null;
}

/** Coordinates are optional, but one alone says nothing. */
export function checkConditions({ latitude, longitude }: ConditionsDraft): ConditionsFaults {
  const required = latitude.trim() !== '' || longitude.trim() !== '';
  return {
    latitude: checkField(latitude, { required, numeric: true, min: -90, max: 90 }),
    longitude: checkField(longitude, { required, numeric: true, min: -180, max: 180 }),
  };
}

/** Degrees of a draft without faults; null when it names no place. */
export function placeOf({ latitude, longitude }: ConditionsDraft): PredictionRequest['place'] {
  return latitude.trim() === '' ? null : { latitude: readNumber(latitude), longitude: readNumber(longitude) };
}
