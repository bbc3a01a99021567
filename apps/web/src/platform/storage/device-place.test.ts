import { expect, it, vi } from 'vitest';
import { devicePlaceOf, forgetDevicePlace, keepDevicePlace } from './device-place.ts';

const cambridge = { kind: 'place', latitude: 52.2, longitude: 0.12, name: 'Cambridge, England, United Kingdom' } as const;

it('is known to the account that chose it, and to the one that signs in after a visitor did', () => {
  expect(devicePlaceOf(null)).toBeNull();
  keepDevicePlace(cambridge, 'u1');
  expect(devicePlaceOf('u1')).toEqual(cambridge);
  expect([devicePlaceOf('u2'), devicePlaceOf(null)]).toEqual([null, null]);
  keepDevicePlace({ kind: 'anywhere' }, null);
  expect([devicePlaceOf(null), devicePlaceOf('u2')]).toEqual([{ kind: 'anywhere' }, { kind: 'anywhere' }]);
  forgetDevicePlace();
  expect(window.localStorage.length).toBe(0);
});

it.each([
  '{',
  '7',
  '{"kind":"town"}',
  JSON.stringify({ ...cambridge, latitude: 91 }),
  JSON.stringify({ ...cambridge, longitude: '0.12' }),
  JSON.stringify({ ...cambridge, name: 'x'.repeat(301) }),
])('counts as not chosen when it is damaged: %s', (stored) => {
  window.localStorage.setItem('place', stored);
  expect(devicePlaceOf(null)).toBeNull();
});

it('is asked for again where storage is forbidden', () => {
  vi.spyOn(window, 'localStorage', 'get').mockImplementation(() => {
    throw new DOMException('no', 'SecurityError');
  });
  keepDevicePlace(cambridge, null);
  expect(devicePlaceOf(null)).toBeNull();
});
