import type { Translate } from '../../languages/i18n.ts';
import en from '../../languages/later/en.json';

/** IANA time zone of the device's clock, which needs no permission; null if it names no region, such as `UTC` and `Etc/GMT+3`. */
export function deviceTimeZone(): string | null {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return timeZone !== undefined && /^(?!Etc\/)\w+\/./.test(timeZone) ? timeZone : null;
}

const isRenamed = (city: string): city is keyof typeof en.city => Object.hasOwn(en.city, city);

/** The city in a time zone's name: `America/New_York` → New York. Browsers still use some old names, such as `Asia/Calcutta`. */
export function cityOf(timeZone: string, t: Translate): string {
  const city = timeZone.slice(timeZone.lastIndexOf('/') + 1).replaceAll('_', ' ');
  return isRenamed(city) ? t(`city.${city}`) : city;
}
