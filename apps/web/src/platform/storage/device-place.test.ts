import { expect, it, vi } from 'vitest';
import { devicePlaceOf, isPlaceOfAnother, keepDevicePlace } from './device-place.ts';

const cambridge = { kind: 'place', latitude: 52.2, longitude: 0.12, name: 'Cambridge, England, United Kingdom' } as const;

it('The place chosen on this device is kept for the account that chose it; the next account takes over a visitor’s place', () => {
  expect(devicePlaceOf(null)).toBeNull();
  keepDevicePlace(cambridge, 'u1');
  expect(devicePlaceOf('u1')).toEqual(cambridge);
  expect([devicePlaceOf('u2'), devicePlaceOf(null)]).toEqual([null, null]);
  keepDevicePlace({ kind: 'anywhere' }, null);
  expect([devicePlaceOf(null), devicePlaceOf('u2')]).toEqual([{ kind: 'anywhere' }, { kind: 'anywhere' }]);
});

it('The place chosen on this device counts as another account’s only if that account chose it, not if a visitor did or the stored text is damaged', () => {
  expect(isPlaceOfAnother('u2')).toBe(false);
  keepDevicePlace(cambridge, 'u1');
  expect([isPlaceOfAnother('u2'), isPlaceOfAnother('u1'), isPlaceOfAnother(null)]).toEqual([true, false, false]);
  keepDevicePlace(cambridge, null);
  expect(isPlaceOfAnother('u2')).toBe(false);
  for (const damaged of ['{', '7', '"u1"', '[]', 'null']) {
    window.localStorage.setItem('place', damaged);
    expect(isPlaceOfAnother('u2'), damaged).toBe(false);
  }
});

it.each([
  '{',
  '7',
  '{"kind":"town"}',
  JSON.stringify({ ...cambridge, latitude: 91 }),
  JSON.stringify({ ...cambridge, longitude: '0.12' }),
  JSON.stringify({ ...cambridge, name: 'x'.repeat(301) }),
])('The place chosen on this device is ignored if it is damaged: %s', (stored) => {
  window.localStorage.setItem('place', stored);
  expect(devicePlaceOf(null)).toBeNull();
});

it('The place chosen on this device is not remembered if the browser forbids storage, and nothing fails', () => {
  vi.spyOn(window, 'localStorage', 'get').mockImplementation(() => {
    throw new DOMException('no', 'SecurityError');
  });
  keepDevicePlace(cambridge, null);
  expect(devicePlaceOf(null)).toBeNull();
});
