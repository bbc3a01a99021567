/**
 * The week of a calendar date, 1–48, four a month, as the occurrence model counts: days 29 to 31 belong to the fourth.
 *
 * @param date `2026-05-01`
 */
export function weekOf(date: string): number {
  const [, month = 1, day = 1] = date.split('-').map(Number);
  return (month - 1) * 4 + Math.min(4, Math.floor((day - 1) / 7) + 1);
}
