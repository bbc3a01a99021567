/**
 * A date in one of the year's 48 weeks, four a month as in BirdNET: days 1–7, 8–14, 15–21 and the rest.
 *
 * @param week 1–48
 * @example dateInWeek(17, 2026) // '2026-05-04'
 */
export function dateInWeek(week: number, year: number): string {
  const month = Math.ceil(week / 4);
  const day = ((week - 1) % 4) * 7 + 4;
  return [String(year).padStart(4, '0'), ...[month, day].map((part) => String(part).padStart(2, '0'))].join('-');
}
