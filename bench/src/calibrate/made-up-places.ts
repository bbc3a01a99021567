import { createHash } from 'node:crypto';

/**
 * Places at which recordings are tried. The table does not say where they were made, so each bird is assigned a place where it occurs.
 * Inhabited land on every continent, all year round.
 */
export const places: readonly { readonly latitude: number; readonly longitude: number }[] = [
  { latitude: 50.8, longitude: 12.9 },
  { latitude: 52.2, longitude: -1.5 },
  { latitude: 40.4, longitude: -3.7 },
  { latitude: 60.2, longitude: 17.6 },
  { latitude: 39.9, longitude: 32.9 },
  { latitude: 42.5, longitude: -76.5 },
  { latitude: 37.8, longitude: -122.4 },
  { latitude: 30.3, longitude: -97.7 },
  { latitude: 49.3, longitude: -123.1 },
  { latitude: 9.9, longitude: -84.1 },
  { latitude: 4.7, longitude: -74.1 },
  { latitude: -23.5, longitude: -46.6 },
  { latitude: -34.6, longitude: -58.4 },
  { latitude: -26.2, longitude: 28.0 },
  { latitude: -1.3, longitude: 36.8 },
  { latitude: 14.7, longitude: -17.4 },
  { latitude: 19.1, longitude: 72.9 },
  { latitude: 13.8, longitude: 100.5 },
  { latitude: 35.7, longitude: 139.7 },
  { latitude: -33.9, longitude: 151.2 },
  { latitude: -36.8, longitude: 174.8 },
];

/** Picks an item that depends only on the name; undefined when there are none. */
export function pickByName<Item>(items: readonly Item[], name: string): Item | undefined {
  return items[createHash('sha256').update(name).digest().readUInt32BE(0) % Math.max(1, items.length)];
}
