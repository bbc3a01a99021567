import { readJson, writeItem } from './registry.ts';

/* The place that a user chose for recordings of this device: one item. The account that signs in next takes over a visitor's. */

export type DevicePlace =
  | { readonly kind: 'place'; readonly latitude: number; readonly longitude: number; readonly name: string }
  /** Assumed from the device's time zone. */
  | { readonly kind: 'clock' }
  | { readonly kind: 'anywhere' };

const MOST_NAME_CHARACTERS = 300;

const isDegrees = (value: unknown, most: number): value is number => typeof value === 'number' && Math.abs(value) <= most;

/**
 * The chosen place; a damaged item or one of another account counts as not chosen.
 *
 * @param owner `localId` of the account that is signed in; null for a visitor. @returns null when nothing was chosen
 */
export function devicePlaceOf(owner: string | null): DevicePlace | null {
  const found: { readonly [field: string]: unknown } = Object(readJson('localStorage', 'place'));
  const { kind, latitude, longitude, name, owner: foundOwner = null } = found;
  // A visitor's choice also applies to the account that signs in afterwards.
  if (foundOwner !== null && foundOwner !== owner) return null;
  if (kind === 'clock' || kind === 'anywhere') return { kind };
  if (kind !== 'place' || typeof name !== 'string' || name.length > MOST_NAME_CHARACTERS) return null;
  return isDegrees(latitude, 90) && isDegrees(longitude, 180) ? { kind, latitude, longitude, name } : null;
}

/** Whether the place was chosen by an account whose session has since expired, perhaps while no page was open, and not by this one. */
export const isPlaceOfAnother = (account: string | null): boolean =>
  account !== null && (Object(readJson('localStorage', 'place')).owner ?? account) !== account;

/** Where storage is forbidden, the page asks again. */
export function keepDevicePlace(place: DevicePlace, owner: string | null): void {
  writeItem('localStorage', 'place', JSON.stringify({ ...place, owner }));
}
