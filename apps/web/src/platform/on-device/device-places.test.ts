import { occurrenceToByte } from '@chiffchaff/recognizer';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeCaches } from '../../testing/fake-caches.ts';
import { fakeConfig } from '../../testing/fake-data.ts';
import { openDevicePlaces } from './device-places.ts';

const asked: string[] = [];
let isOnline = true;

beforeEach(() => {
  asked.length = 0;
  isOnline = true;
  vi.stubGlobal('caches', fakeCaches().caches);
  vi.stubGlobal('fetch', async (url: string) => {
    if (!isOnline) throw new TypeError('network error');
    if (url === '/config.json') return Response.json(fakeConfig);
    asked.push(url);
    return new Response(Uint8Array.of(0, occurrenceToByte(1)));
  });
});
afterEach(() => vi.unstubAllGlobals());

const places = openDevicePlaces({ id: 'm', version: '1' });
const at = (latitude: number) => places.occurrenceAt({ latitude, longitude: 12.92, week: 17 });

describe('The occurrences of a place on this device', () => {
  it('are requested once for a rounded place, and available without a connection afterwards', async () => {
    expect(await at(50.8312)).toEqual(Float32Array.of(0, 1));
    isOnline = false;
    expect(await at(50.8399)).toEqual(Float32Array.of(0, 1));
    expect(asked).toEqual(['/v1/occurrences?latitude=50.8&longitude=12.9&week=17']);
    await expect(at(40)).rejects.toThrow('network');
  });

  it('are stored for the last ten places, and for time zones as well', async () => {
    await places.assume('Europe/Berlin');
    for (let latitude = 0; latitude < 10; latitude++) await at(latitude);
    await at(0);
    await at(10);
    isOnline = false;
    await expect(at(1)).rejects.toThrow('network');
    for (const latitude of [0, 2, 9, 10]) expect(await at(latitude)).not.toBeNull();
    expect(await places.assume('Europe/Berlin')).toMatchObject({ timeZone: 'Europe/Berlin' });
  });

  it('are not requested for a time zone that belongs to no place', async () => {
    expect(await places.assume('UTC')).toBeNull();
    expect(asked).toEqual([]);
  });
});
