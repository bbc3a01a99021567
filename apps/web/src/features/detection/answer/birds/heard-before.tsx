import type { Prediction } from '@chiffchaff/contract';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { dateLocale, localTime } from '../../../../platform/format/format.ts';
import { useHeardBefore } from '../../served-sound.ts';

const DAY_MS = 86_400_000;
const MOST_DAYS = 60;
const DAYS_PER_MONTH = 30.4;

/** `12 days ago` for a recording of today; otherwise `on 8 May 2026`. */
function lastInWords(lastHeardOn: string, day: string, today: string, t: TFunction, locale: string): string {
  const last = new Date(lastHeardOn);
  if (day !== today)
    return t('heardBefore.on', { date: new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(last) });
  const days = Math.round((Date.parse(day) - last.getTime()) / DAY_MS);
  const ago = new Intl.RelativeTimeFormat(locale);
  return days > MOST_DAYS ? ago.format(-Math.round(days / DAYS_PER_MONTH), 'month') : ago.format(-days, 'day');
}

/** How often the account has heard a bird in the year of the recording, in a line; null if it does not count. */
function useLine(prediction: Prediction, scientificName: string): string | null {
  const { t, i18n } = useTranslation();
  const { timesThisYear: count = 0, lastHeardOn } = useHeardBefore(prediction.id, scientificName) ?? {};
  if (count === 0) return null;
  // As in the history.
  const day = prediction.conditions.date ?? prediction.createdAt.slice(0, 10);
  const year = day.slice(0, 4);
  const now = new Date();
  const today = (prediction.conditions.date ? localTime(now) : now.toISOString()).slice(0, 10);
  const isThisYear = year === String(now.getFullYear());
  if (count === 1) {
    // An imported bird, of which only the first day is known.
    if (lastHeardOn?.startsWith(year)) return null;
    if (!isThisYear) return t('heardBefore.firstOf', { year });
    return t(lastHeardOn == null ? 'heardBefore.new' : 'heardBefore.first');
  }
  const ordinal = { count, ordinal: true } as const;
  const times = isThisYear ? t('heardBefore.times', ordinal) : t('heardBefore.timesOf', { ...ordinal, year });
  if (lastHeardOn == null || lastHeardOn === day) return times;
  const last = lastInWords(lastHeardOn, day, today, t, dateLocale(i18n.language));
  return t('heardBefore.last', { times, last });
}

/** ` · 3rd time this year, last 12 days ago`, to follow other facts; nothing if it does not count. */
export function HeardBefore({
  prediction,
  scientificName,
}: {
  readonly prediction: Prediction;
  readonly scientificName: string;
}) {
  const line = useLine(prediction, scientificName);
  return line === null ? null : ` · ${line}`;
}
