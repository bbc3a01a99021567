import type { Calibration } from '../model/manifest.ts';

/** Week 1…48 of a date, four a month: days 1–7, 8–14, 15–21, and the rest of the month. `month` is 1…12, `day` 1…31. */
export function weekOf(month: number, day: number): number {
  return (month - 1) * 4 + Math.min(4, Math.floor((day - 1) / 7) + 1);
}

/** Where a species' occurrence puts it. `penalty` is added to every clip's logit; hidden species take no part at all. */
export interface PlaceEffect {
  readonly hidden: boolean;
  readonly unusual: boolean;
  readonly penalty: number;
}

const noEffect: PlaceEffect = { hidden: false, unusual: false, penalty: 0 };

/** @param occurrence 0…1, or null without a place */
export function placeEffect(occurrence: number | null, rule: Calibration['occurrence']): PlaceEffect {
  if (occurrence === null) return noEffect;
  const hidden = occurrence < rule.hidden;
  return {
    hidden,
    unusual: !hidden && occurrence < rule.rare,
    penalty: rule.weight * Math.log(Math.min(occurrence, rule.rare) / rule.rare + rule.floor),
  };
}
