import { weekOf } from '@chiffchaff/recognizer';

/** The week of a calendar date such as `2026-05-01`, 1–48, as the occurrence model counts. */
export function weekOfDate(date: string): number {
  const [, month = 1, day = 1] = date.split('-').map(Number);
  return weekOf(month, day);
}
