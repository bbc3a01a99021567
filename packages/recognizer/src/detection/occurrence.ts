import type { Calibration } from '../model/manifest.ts';

/** Week 1…48 of a date, four a month: days 1–7, 8–14, 15–21, and the rest of the month. `month` is 1…12, `day` 1…31. */
export function weekOf(month: number, day: number): number {
  return (month - 1) * 4 + Math.min(4, Math.floor((day - 1) / 7) + 1);
}

const LOWEST = 1e-4;
const STEPS = 254;

/**
 * Encodes an occurrence as a byte: 0 below 0.0001, otherwise its logarithm, at most 1.8 % off. Logarithmic, because the rules for
 * places depend on small values.
 */
export function occurrenceToByte(occurrence: number): number {
  if (occurrence < LOWEST) return 0;
  return 1 + Math.round(STEPS * (1 - Math.log(Math.min(occurrence, 1)) / Math.log(LOWEST)));
}

export const occurrenceFromByte = (byte: number): number => (byte === 0 ? 0 : LOWEST ** (1 - (byte - 1) / STEPS));

/**
 * How a species is treated at a location, from its occurrence there. `penalty` is added to the logit of every clip; hidden species
 * are left out.
 */
export interface LocationAdjustment {
  readonly hidden: boolean;
  readonly unusual: boolean;
  readonly penalty: number;
}

const noAdjustment: LocationAdjustment = { hidden: false, unusual: false, penalty: 0 };

/** @param occurrence 0…1, or null without a place */
export function locationAdjustment(occurrence: number | null, rule: Calibration['occurrence']): LocationAdjustment {
  if (occurrence === null) return noAdjustment;
  const hidden = occurrence < rule.hidden;
  return {
    hidden,
    unusual: !hidden && occurrence < rule.rare,
    penalty: rule.weight * Math.log(Math.min(occurrence, rule.rare) / rule.rare + rule.floor),
  };
}
