import { expect, it } from 'vitest';
import { dateInWeek } from './conditions-panel.tsx';

/** As BirdNET counts: four weeks a month. */
const weekOf = (date: string): number => {
  const [, month = 0, day = 0] = date.split('-').map(Number);
  return (month - 1) * 4 + Math.min(4, Math.ceil(day / 7));
};

it('lies in its week, for each of the year’s 48', () => {
  for (let week = 1; week <= 48; week += 1) {
    const date = dateInWeek(week, 2026);
    expect(new Date(date).toISOString().slice(0, 10)).toBe(date);
    expect(weekOf(date)).toBe(week);
  }
});
