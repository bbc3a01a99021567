import type { DateAndPlace } from '@chiffchaff/survey/metadata';
import { checkField, type FieldFault, readNumber, writeNumber } from '../../../platform/format/check-field.ts';
import type { PredictionRequest } from '../../../platform/sending/request-prediction.ts';
import type { DevicePlace } from '../../../platform/storage/device-place.ts';

export interface ConditionsDraft {
  /** What stands in the search; only the coordinates count. */
  readonly placeName: string;
  /** Whether the coordinates are those of that name: it was chosen from the places that the server knows. */
  readonly isPlaceNamed: boolean;
  readonly latitude: string;
  readonly longitude: string;
  /** The coordinates are what the recording says of itself. */
  readonly isPlaceOfFile: boolean;
  /** Zone that a place is assumed from where there are no coordinates; null: it may be from anywhere. */
  readonly timeZone: string | null;
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
  isPlaceOfFile: false,
  timeZone: null,
  date: '',
  isPlaceOwn: false,
  isDateOwn: false,
};

const degreesOf = ({ latitude, longitude }: NonNullable<PredictionRequest['place']>, language: string) => ({
  latitude: writeNumber(latitude, language),
  longitude: writeNumber(longitude, language),
});

/** What a recording is asked with besides itself. */
export type Asked = Pick<PredictionRequest, 'place' | 'placeSource' | 'timeZone' | 'date'>;

const placed = (place: NonNullable<PredictionRequest['place']>, placeName: string, language: string) => ({
  ...degreesOf(place, language),
  placeName,
  isPlaceNamed: placeName !== '',
});

/** @param placeName under which the place was chosen; empty when it has none */
export function draftOf({ place, placeSource, timeZone, date }: Asked, placeName: string, language: string): ConditionsDraft {
  return {
    ...emptyDraft,
    ...(place && { ...placed(place, placeName, language), isPlaceOfFile: placeSource === 'file' }),
    timeZone,
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
  readonly date: Proposal<NonNullable<DateAndPlace['date']>>;
  readonly place: Proposal<NonNullable<PredictionRequest['place']>>;
}

const placeIn = ({ place }: DateAndPlace): PredictionRequest['place'] =>
  place && { latitude: roundDegrees(place.latitude), longitude: roundDegrees(place.longitude) };

export function proposalsOf(metadata: readonly DateAndPlace[]): Proposals {
  return { date: proposalOf(metadata.map(({ date }) => date)), place: proposalOf(metadata.map(placeIn)) };
}

interface Beginning {
  /** What was chosen on this device before, else the operator's default. */
  readonly place: DevicePlace | null;
  /** Of the device's clock. */
  readonly timeZone: string | null;
}

/** The form for the next recording: the place of before, until a recording has its own. */
export function draftFor({ place, timeZone }: Beginning, language: string): ConditionsDraft {
  if (place?.kind === 'anywhere') return emptyDraft;
  return { ...emptyDraft, ...(place?.kind === 'place' && placed(place, place.name, language)), timeZone };
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
        isPlaceOfFile: place.kind === 'same',
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

/** After it was said that no place is to be given: one is assumed from a zone, or with null none at all. */
export const withoutPlace = (timeZone: string | null): Partial<ConditionsDraft> => ({
  ...{ placeName: '', isPlaceNamed: false, latitude: '', longitude: '' },
  ...{ isPlaceOfFile: false, isPlaceOwn: true, timeZone },
});

export function placeOf({ latitude, longitude }: ConditionsDraft): PredictionRequest['place'] {
  return latitude.trim() === '' ? null : { latitude: readNumber(latitude), longitude: readNumber(longitude) };
}

/** What the form says of the place, for the next recording. */
export function devicePlaceIn(draft: ConditionsDraft): DevicePlace {
  const place = placeOf(draft);
  if (place) return { kind: 'place', ...place, name: draft.isPlaceNamed ? draft.placeName : '' };
  return { kind: draft.timeZone === null ? 'anywhere' : 'clock' };
}

/** Place and date to ask one recording with: what was typed for all of them, else what the recording says. @param draft as it is shown */
export function conditionsFor(draft: ConditionsDraft, metadata: DateAndPlace): Asked {
  const ownDate = draft.date === '' ? null : draft.date;
  const placeOfFile = draft.isPlaceOwn ? null : placeIn(metadata);
  const place = placeOfFile ?? placeOf(draft);
  return {
    place,
    placeSource: placeOfFile || draft.isPlaceOfFile ? 'file' : 'stated',
    timeZone: place ? null : draft.timeZone,
    date: draft.isDateOwn ? ownDate : (metadata.date?.value ?? null),
  };
}
