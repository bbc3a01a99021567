import { expect, it, vi } from 'vitest';
import { speak, spoken } from '../../languages/i18n.ts';
import { cityOf, deviceTimeZone } from './time-zone.ts';

it.each([
  ['Europe/London', 'Europe/London'],
  ['America/Argentina/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
  ['UTC', null],
  ['Etc/GMT+3', null],
  ['', null],
])('The time zone of the device is used for an assumed place only if it names a region: %s', (timeZone, expected) => {
  const options = new Intl.DateTimeFormat().resolvedOptions();
  vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions').mockReturnValue({ ...options, timeZone });
  expect(deviceTimeZone()).toBe(expected);
});

it('A time zone is called by its city, in the language of the page', async () => {
  const cities = () =>
    ['America/Argentina/Buenos_Aires', 'Asia/Calcutta', 'Europe/Vienna'].map((zone) => cityOf(zone, spoken.snapshot().t));
  expect(cities()).toEqual(['Buenos Aires', 'Kolkata', 'Vienna']);
  await speak('de');
  expect(cities()).toEqual(['Buenos Aires', 'Kolkata', 'Wien']);
  await speak('en');
});
