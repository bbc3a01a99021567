import type { Conditions } from '@chiffchaff/contract';

/** degrees */
export interface Coordinates {
  readonly latitude: number;
  readonly longitude: number;
}

/** What a user knows of a recording's place and date. */
export interface RequestedConditions {
  readonly place: Coordinates | null;
  /** Where `place` comes from, if it is set. */
  readonly placeSource: 'stated' | 'file';
  /** IANA time zone of the device, from which a place is assumed; null if `place` is set or no place is to be assumed. */
  readonly timeZone: string | null;
  /** ISO date, `2026-05-01` */
  readonly date: string | null;
}

export const nothingKnown = {
  place: null,
  placeSource: 'stated',
  timeZone: null,
  date: null,
} as const satisfies RequestedConditions;

/** The coordinates for which a prediction was made; null if it was made without any. */
export const coordinatesOf = ({ latitude, longitude }: Pick<Conditions, keyof Coordinates>): Coordinates | null =>
  latitude === null || longitude === null ? null : { latitude, longitude };
