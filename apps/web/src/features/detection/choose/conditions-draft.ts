import type { DateAndPlace } from '@chiffchaff/survey/metadata';
import { checkField, readNumber, writeNumber } from '../../../platform/format/check-field.ts';
import type { Coordinates, RequestedConditions } from '../../../platform/sending/requested-conditions.ts';
import type { DevicePlace } from '../../../platform/storage/device-place.ts';

export interface ConditionsDraft {
  /** Text in the search field; only the coordinates count. */
  readonly placeName: string;
  /** Whether the coordinates belong to this name, which was chosen from the places that the server knows. */
  readonly isPlaceNamed: boolean;
  readonly latitude: string;
  readonly longitude: string;
  /** The coordinates come from the recording's own metadata. */
  readonly isPlaceOfFile: boolean;
  /** Time zone from which a place is assumed if there are no coordinates; null: it may be from anywhere. */
  readonly timeZone: string | null;
  /** ISO date or empty */
  readonly date: string;
  /** Only a part of it was typed, so that it counts as empty. */
  readonly isDateIncomplete: boolean;
  /** Whether the user has said anything about the place, even that it is not to be stated: then no file's place is used. */
  readonly isPlaceOwn: boolean;
  readonly isDateOwn: boolean;
}

const noPlace = { placeName: '', isPlaceNamed: false, latitude: '', longitude: '', isPlaceOfFile: false } as const;

export const emptyDraft: ConditionsDraft = {
  ...noPlace,
  timeZone: null,
  date: '',
  isDateIncomplete: false,
  isPlaceOwn: false,
  isDateOwn: false,
};

/** The changes that put a place into a draft. @param placeName under which it was chosen; empty if it has none */
export const placed = ({ latitude, longitude }: Coordinates, placeName: string, language: string) => ({
  latitude: writeNumber(latitude, language),
  longitude: writeNumber(longitude, language),
  placeName,
  isPlaceNamed: placeName !== '',
  isPlaceOfFile: false,
});

/** @param placeName as in `placed` */
export function draftOf(
  { place, placeSource, timeZone, date }: RequestedConditions,
  placeName: string,
  language: string,
): ConditionsDraft {
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

/** To about a kilometre: precise enough to tell which birds live there, and no more. */
export const rounded = ({ latitude, longitude }: Coordinates): Coordinates => ({
  latitude: Math.round(latitude * 100) / 100,
  longitude: Math.round(longitude * 100) / 100,
});

export interface Proposals {
  readonly date: Proposal<NonNullable<DateAndPlace['date']>>;
  readonly place: Proposal<Coordinates>;
}

const placeIn = ({ place }: DateAndPlace): Coordinates | null => place && rounded(place);

export function proposalsOf(metadata: readonly DateAndPlace[]): Proposals {
  return { date: proposalOf(metadata.map(({ date }) => date)), place: proposalOf(metadata.map(placeIn)) };
}

/** The form for the next recording: with the usual place, unless the recording has its own. @param timeZone of the device's clock */
export function draftFor(place: DevicePlace | null, timeZone: string | null, language: string): ConditionsDraft {
  if (place?.kind === 'anywhere') return emptyDraft;
  return { ...emptyDraft, ...(place?.kind === 'place' && placed(place, place.name, language)), timeZone };
}

/** The form as shown: the user's own input, else the recordings' metadata, else the previous place. */
export function withProposals(draft: ConditionsDraft, { date, place }: Proposals, language: string): ConditionsDraft {
  return {
    ...draft,
    ...(!draft.isDateOwn && date.kind === 'same' && { date: date.value.value }),
    ...(!draft.isPlaceOwn &&
      place.kind !== 'none' && {
        ...(place.kind === 'same' ? { ...placed(place.value, '', language), isPlaceOfFile: true } : noPlace),
        // What is being typed stays.
        ...(!draft.isPlaceNamed && { placeName: draft.placeName }),
      }),
  };
}

/** A place is optional, but a name without coordinates is not enough, and neither is a single coordinate. */
export function checkConditions({ placeName, isPlaceNamed, isDateIncomplete, latitude, longitude }: ConditionsDraft) {
  const required = latitude.trim() !== '' || longitude.trim() !== '';
  return {
    /** A name was typed but not resolved to coordinates. */
    placeName: placeName.trim() !== '' && !isPlaceNamed,
    date: isDateIncomplete,
    latitude: checkField(latitude, { required, numeric: true, min: -90, max: 90 }),
    longitude: checkField(longitude, { required, numeric: true, min: -180, max: 180 }),
  };
}

export type ConditionsFaults = Partial<ReturnType<typeof checkConditions>>;

export const hasFault = ({ placeName, date, latitude, longitude }: ConditionsFaults): boolean =>
  Boolean(placeName || date || latitude || longitude);

/** The changes after typing into the search: coordinates of the previous name are cleared with it, others stay. */
export function withTypedName({ isPlaceNamed }: ConditionsDraft, placeName: string): Partial<ConditionsDraft> {
  return { placeName, ...(isPlaceNamed && { isPlaceNamed: false, latitude: '', longitude: '', isPlaceOwn: true }) };
}

/** The changes after the user chose to state no place: one is assumed from a time zone, or none if it is null. */
export const changesToNoPlace = (timeZone: string | null): Partial<ConditionsDraft> => ({
  ...noPlace,
  isPlaceOwn: true,
  timeZone,
});

export function placeOf({ latitude, longitude }: ConditionsDraft): Coordinates | null {
  return latitude.trim() === '' ? null : { latitude: readNumber(latitude), longitude: readNumber(longitude) };
}

/** The form's place, for the next recording. */
export function devicePlaceIn(draft: ConditionsDraft): DevicePlace {
  const place = placeOf(draft);
  if (place) return { kind: 'place', ...place, name: draft.isPlaceNamed ? draft.placeName : '' };
  return { kind: draft.timeZone === null ? 'anywhere' : 'clock' };
}

/** Place and date of one recording's request: what was typed for all, else the recording's own metadata. @param draft as shown */
export function conditionsFor(draft: ConditionsDraft, metadata: DateAndPlace): RequestedConditions {
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
