import { weekOf } from '@chiffchaff/recognizer';
import type { DeviceQuestion } from './device-recognizer.ts';

/** Place, date and language as the page knows them. */
interface PageConditions {
  readonly place: { readonly latitude: number; readonly longitude: number } | null;
  readonly placeSource: DeviceQuestion['placeSource'];
  readonly timeZone: string | null;
  /** as `2026-05-01` */
  readonly date: string | null;
  readonly language: string | null;
}

export function questionOf({ place, placeSource, timeZone, date, language }: PageConditions): DeviceQuestion {
  const [, month, day] = (date ?? '').split('-').map(Number);
  return {
    latitude: place?.latitude ?? null,
    longitude: place?.longitude ?? null,
    placeSource,
    timeZone,
    date,
    week: month === undefined || day === undefined ? null : weekOf(month, day),
    language: language ?? 'en',
  };
}
