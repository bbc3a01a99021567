import { beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeCaches } from '../../testing/fake-caches.ts';
import { fakeFolder } from '../../testing/fake-folder.ts';
import { forgetAccount, namesIn, ownerMark, stored } from './registry.ts';

const areas = ['localStorage', 'sessionStorage'] as const;
let device: ReturnType<typeof fakeCaches>;
beforeEach(() => {
  device = fakeCaches();
  vi.stubGlobal('caches', device.caches);
});

/** Names of the entries that a sign-out deletes, apart from those that go with the session. */
const deletedIn = (entries: object): string[] =>
  Object.entries(entries).flatMap(([name, { atSignOut }]: [string, { atSignOut: string }]) =>
    atSignOut === 'delete' ? [name] : [],
  );

describe('What the page stores on a device', () => {
  it('is deleted when the account it belongs to signs out, and stays if it belongs to the device', async () => {
    for (const where of areas) for (const key of Object.keys(stored[where])) window[where].setItem(key, '{"owner":"u1"}');
    for (const name of Object.keys(stored.caches)) await (await device.caches.open(name)).put(`/of ${name}`, new Response('x'));
    const left = forgetAccount();
    for (const where of areas) {
      const kept = Object.keys(stored[where]).filter((key) => !deletedIn(stored[where]).includes(key));
      expect(Object.keys(window[where]).toSorted()).toEqual(kept.toSorted());
    }
    await left;
    expect(deletedIn(stored.localStorage)).toEqual(['place']);
    expect(device.left().toSorted()).toEqual(['/of%20config', '/of%20on-device-model', '/of%20on-device-places']);
  });

  it('keeps data about regions and time zones when an account leaves, but none about its places', async () => {
    const cache = await device.caches.open('on-device-places');
    const of = (query: string) => `/on-device/places/v1/${query}/birdnet-2.4`;
    const ofDevice = [of('on-device/regions'), of('occurrences?timeZone=Europe%2FBerlin')];
    const ofAccount = [of('occurrences?latitude=50.8&longitude=12.9&week=17'), of('occurrences?latitude=0&longitude=0')];
    for (const path of [...ofDevice, ...ofAccount]) await cache.put(path, new Response('x'));
    await forgetAccount();
    const kept = (await cache.keys()).map(({ url }) => new URL(url));
    expect(kept.map(({ pathname, search }) => pathname + search)).toEqual(ofDevice);
  });

  it('can be deleted if there is nothing: no cache is created, and a browser without storage causes no error', async () => {
    await forgetAccount();
    expect(device.names()).toEqual([]);
    vi.unstubAllGlobals();
    for (const where of areas)
      vi.spyOn(window, where, 'get').mockImplementation(() => {
        throw new DOMException('no', 'SecurityError');
      });
    await forgetAccount();
    expect(await namesIn('recordings')).toEqual([]);
  });
});

describe('The owner of an entry in a folder of the browser’s storage', () => {
  const accounts = ['u1', 'u11', '1', 'Z', 'a@b', '%40', 'u1@', '', 'ü/..', '@'];
  const root = fakeFolder({
    recordings: Object.fromEntries([null, ...accounts].map((owner) => [`20260501T051244120Z${ownerMark(owner)}`, {}])),
  });
  beforeEach(() => void vi.stubGlobal('navigator', { storage: { getDirectory: async () => root.handle } }));

  it.each([null, ...accounts])('is recognised by the entry’s name, whatever the id of the account is: %j', async (owner) => {
    const names = await namesIn('recordings', owner);
    expect(names).toEqual([`20260501T051244120Z${ownerMark(owner)}`]);
    expect(names[0]).not.toMatch(/[/\\]/);
  });

  it('is looked up without creating the folder', async () => {
    expect(await namesIn('outbox')).toEqual([]);
    await expect(root.handle.getDirectoryHandle('outbox')).rejects.toThrow();
  });
});
