/**
 * How well birds of one recording fit together: which share of the places where the others may have been heard a bird lives in, too. A
 * recording is made at one place, so a bird that lives nowhere near the others is hardly ever there. Called where a confidence of a further
 * bird is worked out without a place.
 */
import { occurrenceFromByte } from '../occurrence.ts';

/** A bird counts as expected in a zone from this occurrence on, and below in proportion. */
const EXPECTED = 0.03;
/** Birds that are less certain tell nothing about the place. */
const LEAST_CONFIDENCE = 0.1;
/** Lowest share. */
const LEAST_SHARE = 0.001;

/** By byte of an occurrence: how well a bird fits a zone, 0–1. */
const fits = Float64Array.from({ length: 256 }, (_, byte) => Math.min(1, occurrenceFromByte(byte) / EXPECTED));

/**
 * @param confidences by label, each by itself
 * @param labels whose shares are asked for
 * @param zones one row for each zone of the earth, one byte for each label: see `occurrenceToByte`
 * @returns by label: its share, 0.001–1; 1 for all if no other bird tells anything
 */
export function sharedRanges(
  confidences: Float64Array,
  labels: readonly number[],
  zones: Uint8Array,
): ReadonlyMap<number, number> {
  const labelCount = confidences.length;
  const zoneCount = Math.floor(zones.length / labelCount);
  const fitOf = (zone: number, label: number): number => fits[zones[zone * labelCount + label] ?? 0] ?? 0;
  const telling = labels.filter((label) => (confidences[label] ?? 0) >= LEAST_CONFIDENCE);
  /** Logarithm of the probability that a bird is heard in a zone, as far as its confidence goes. */
  const logChance = (zone: number, label: number): number => {
    const confidence = confidences[label] ?? 0;
    return Math.log(1 - confidence + confidence * Math.max(fitOf(zone, label), LEAST_SHARE));
  };
  const chances = telling.map((label) => Float64Array.from({ length: zoneCount }, (_, zone) => logChance(zone, label)));
  const ofAll = new Float64Array(zoneCount);
  for (const chance of chances)
    for (let zone = 0; zone < zoneCount; zone++) ofAll[zone] = (ofAll[zone] ?? 0) + (chance[zone] ?? 0);

  const shareOf = (label: number): number => {
    const own = chances[telling.indexOf(label)];
    const others = own === undefined ? ofAll : ofAll.map((sum, zone) => sum - (own[zone] ?? 0));
    // Relative to the likeliest zone, because the product over many birds would be 0.
    const likeliest = others.reduce((highest, each) => Math.max(highest, each), -Infinity);
    let shared = 0;
    let total = 0;
    for (let zone = 0; zone < zoneCount; zone++) {
      const weight = Math.exp((others[zone] ?? 0) - likeliest);
      total += weight;
      shared += weight * fitOf(zone, label);
    }
    return Math.max(shared / total, LEAST_SHARE);
  };
  const isAlone = (label: number): boolean => telling.every((other) => other === label);
  return new Map(labels.map((label) => [label, isAlone(label) ? 1 : shareOf(label)]));
}
