/** degrees */
export interface WrittenPlace {
  readonly latitude: number;
  readonly longitude: number;
}

/** Null where there is no such place; 0, 0 is what receivers without a fix write. */
function placeAt(latitude: number, longitude: number): WrittenPlace | null {
  const exists = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 && (latitude !== 0 || longitude !== 0);
  return exists ? { latitude, longitude } : null;
}

/** GUANO's `Loc Position`: two decimal numbers. */
export function placeOfNumbers(text: string): WrittenPlace | null {
  const found = /^\s*([+-]?\d{1,3}(?:\.\d{1,15})?)[\s,]+([+-]?\d{1,3}(?:\.\d{1,15})?)\s*$/.exec(text.slice(0, 64));
  return found ? placeAt(Number(found[1]), Number(found[2])) : null;
}

/** ISO 6709 in degrees, as phones write it: `+50.8357+012.9292+300.1/`. */
export function placeOfIso6709(text: string): WrittenPlace | null {
  const found = /^([+-]\d{2}(?:\.\d{1,15})?)([+-]\d{3}(?:\.\d{1,15})?)(?![\d.])/.exec(text.slice(0, 64));
  return found ? placeAt(Number(found[1]), Number(found[2])) : null;
}
