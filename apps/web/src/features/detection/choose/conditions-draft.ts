import { checkField, type FieldFault, readNumber, writeNumber } from '../../../platform/format/check-field.ts';
import type { PredictionRequest } from '../sending/request-prediction.ts';
import type { RecordingMetadata } from './recording-metadata/read-recording-metadata.ts';

export interface ConditionsDraft {
  /** What stands in the search; only the coordinates count. */
  readonly placeName: string;
  /** Whether the coordinates are those of that name: it was chosen from the places that the server knows. */
  readonly isPlaceNamed: boolean;
  readonly latitude: string;
  readonly longitude: string;
  /** ISO date or empty */
  readonly date: string;
  /** Whether a person has said something of the place, if only that it is not to be told: then no file is believed. */
  readonly isPlaceOwn: boolean;
  readonly isDateOwn: boolean;
}

export const emptyDraft: ConditionsDraft = {
  placeName: '',
  isPlaceNamed: false,
  latitude: '',
  longitude: '',
  date: '',
  isPlaceOwn: false,
  isDateOwn: false,
};

const degreesOf = ({ latitude, longitude }: NonNullable<PredictionRequest['place']>, language: string) => ({
  latitude: writeNumber(latitude, language),
  longitude: writeNumber(longitude, language),
});

/** @param placeName under which the place was chosen; empty when it has none */
export function draftOf(
  asked: Pick<PredictionRequest, 'place' | 'date'> | null,
  placeName: string,
  language: string,
): ConditionsDraft {
  if (!asked) return emptyDraft;
  const { place, date } = asked;
  return {
    ...emptyDraft,
    ...(place && { ...degreesOf(place, language), placeName, isPlaceNamed: placeName !== '' }),
    date: date ?? '',
    isPlaceOwn: true,
    isDateOwn: true,
  };
}

type Proposal<Value> =
  | { readonly kind: 'none' }
  | { readonly kind: 'same'; readonly value: Value }
  | { readonly kind: 'different' };

function proposalOf<Value>(values: readonly (Value | null)[]): Proposal<Value> {
  const [first = null] = values;
  if (values.every((value) => value === null)) return { kind: 'none' };
  const isSame = first !== null && values.every((value) => JSON.stringify(value) === JSON.stringify(first));
  return isSame ? { kind: 'same', value: first } : { kind: 'different' };
}

/** About a kilometre: enough to tell which birds live there, and no more than that needs. */
export const roundDegrees = (degrees: number): number => Math.round(degrees * 100) / 100;

export interface Proposals {
  readonly date: Proposal<NonNullable<RecordingMetadata['date']>>;
  readonly place: Proposal<NonNullable<PredictionRequest['place']>>;
}

const placeIn = ({ place }: RecordingMetadata): PredictionRequest['place'] =>
  place && { latitude: roundDegrees(place.latitude), longitude: roundDegrees(place.longitude) };

export function proposalsOf(metadata: readonly RecordingMetadata[]): Proposals {
  return { date: proposalOf(metadata.map(({ date }) => date)), place: proposalOf(metadata.map(placeIn)) };
}

/** The form for the next recording: the place of before, until a recording has its own. */
export function draftFor(place: PredictionRequest['place'], placeName: string, language: string): ConditionsDraft {
  return { ...draftOf({ place, date: null }, placeName, language), isPlaceOwn: false, isDateOwn: false };
}

/** The form as it is shown: own words first, then what the recordings say, then the place of before. */
export function withProposals(draft: ConditionsDraft, { date, place }: Proposals, language: string): ConditionsDraft {
  return {
    ...draft,
    ...(!draft.isDateOwn && date.kind === 'same' && { date: date.value.value }),
    ...(!draft.isPlaceOwn &&
      place.kind !== 'none' && {
        ...(draft.isPlaceNamed && { placeName: '', isPlaceNamed: false }),
        ...(place.kind === 'same' ? degreesOf(place.value, language) : { latitude: '', longitude: '' }),
      }),
  };
}

export interface ConditionsFaults {
  /** A name was typed that has not become coordinates. */
  readonly placeName?: boolean;
  readonly latitude?: FieldFault | null;
  readonly longitude?: FieldFault | null;
}

/** A place is optional, but a name without coordinates says nothing, and neither does one coordinate alone. */
export function checkConditions({ placeName, isPlaceNamed, latitude, longitude }: ConditionsDraft): ConditionsFaults {
  const required = latitude.trim() !== '' || longitude.trim() !== '';
  return {
    placeName: placeName.trim() !== '' && !isPlaceNamed,
    latitude: checkField(latitude, { required, numeric: true, min: -90, max: 90 }),
    longitude: checkField(longitude, { required, numeric: true, min: -180, max: 180 }),
  };
}

export const hasFault = ({ placeName, latitude, longitude }: ConditionsFaults): boolean =>
  Boolean(placeName || latitude || longitude);

/** After something was typed into the search: coordinates of the name that stood there go with it, others stay. */
export function withTypedName({ isPlaceNamed }: ConditionsDraft, placeName: string): Partial<ConditionsDraft> {
  return { placeName, ...(isPlaceNamed && { isPlaceNamed: false, latitude: '', longitude: '', isPlaceOwn: true }) };
}

export function placeOf({ latitude, longitude }: ConditionsDraft): PredictionRequest['place'] {
  return latitude.trim() === '' ? null : { latitude: readNumber(latitude), longitude: readNumber(longitude) };
}

/** Place and date to ask one recording with: what was typed for all of them, else what the recording says. @param draft as it is shown */
export function conditionsFor(draft: ConditionsDraft, metadata: RecordingMetadata): Pick<PredictionRequest, 'place' | 'date'> {
  const ownDate = draft.date === '' ? null : draft.date;
  return {
    place: draft.isPlaceOwn ? placeOf(draft) : (placeIn(metadata) ?? placeOf(draft)),
    date: draft.isDateOwn ? ownDate : (metadata.date?.value ?? null),
  };
}
