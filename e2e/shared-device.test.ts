import { shareBrowser } from '@chiffchaff/bench/harness/browser';
import { createAccount, heading, somebody } from '@chiffchaff/bench/harness/people';
import { fallingNotes } from '@chiffchaff/bench/harness/recordings';
import { type StartedServer, startServer } from '@chiffchaff/bench/harness/server';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findBarriers } from './accessibility.ts';
import { item, signIn } from './account-actions.ts';
import { putAside } from './put-aside.ts';

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
const chooseFile = (page: Page, name: string) =>
  page.getByLabel('Recording', { exact: true }).and(page.locator('input')).setInputFiles(fallingNotes(4, name));

/** Everything that this browser stores for the page, apart from the page's own files: where, under which name, and what. */
const storedIn = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    const found: string[] = [];
    for (const [where, items] of Object.entries({ localStorage, sessionStorage }))
      for (const [key, text] of Object.entries(items)) found.push(`${where}/${key} ${text}`);
    for (const name of (await caches.keys()).filter((name) => !name.startsWith('workbox-'))) {
      const cache = await caches.open(name);
      for (const request of await cache.keys()) {
        const response = await cache.match(request);
        const headers = [...(response?.headers ?? [])].join(' ');
        found.push(
          `caches/${name} ${decodeURIComponent(`${request.url} ${headers}`)} ${(await response?.text())?.slice(0, 2000)}`,
        );
      }
    }
    const readFolder = async (folder: FileSystemDirectoryHandle, path: string): Promise<void> => {
      for await (const [name, entry] of folder.entries()) {
        if (entry instanceof FileSystemDirectoryHandle) await readFolder(entry, `${path}/${name}`);
        else if (entry instanceof FileSystemFileHandle)
          found.push(`${path}/${name} ${await (await entry.getFile()).slice(0, 2000).text()}`);
      }
    };
    await readFolder(await navigator.storage.getDirectory(), 'files');
    for (const { name = '' } of await indexedDB.databases()) {
      const opening = indexedDB.open(name);
      await new Promise((resolve) => {
        opening.onsuccess = resolve;
      });
      const db = opening.result;
      for (const store of db.objectStoreNames) {
        const reading = db.transaction(store).objectStore(store).getAll();
        await new Promise((resolve) => {
          reading.onsuccess = resolve;
        });
        for (const row of reading.result) found.push(`databases/${name}/${store} ${JSON.stringify(row)}`);
      }
      db.close();
    }
    return found;
  });

/** Stores a recorded session with its place, as the page does for the account that is signed in, or else for the device. */
const recordSession = (page: Page, startedAt: string, placeName: string): Promise<void> =>
  page.evaluate(
    async ({ id, notes }) => {
      const account = localStorage.getItem('userId');
      const recordings = await (await navigator.storage.getDirectory()).getDirectoryHandle('recordings', { create: true });
      const folder = await recordings.getDirectoryHandle(account === null ? id : `${id}@${account}`, { create: true });
      for (const [name, content] of [
        ['sound.wav', new Uint8Array(44 + 960_000)],
        ['notes.json', notes],
      ] as const) {
        const file = await (await folder.getFileHandle(name, { create: true })).createWritable();
        await file.write(content);
        await file.close();
      }
    },
    {
      id: startedAt,
      notes: JSON.stringify({
        sampleRate: 48_000,
        place: { kind: 'place', latitude: 52.2053, longitude: 0.1218, name: placeName },
        gaps: [],
        played: [],
      }),
    },
  );

/** Lets another app share a recording; no page shows it yet. */
const share = (page: Page, name: string): Promise<void> =>
  page.evaluate(async (fileName) => {
    const form = new FormData();
    form.append('recordings', new File(['song'], fileName, { type: 'audio/wav' }));
    await fetch('/share', { method: 'POST', body: form, redirect: 'manual' });
  }, name);

describe('A device that several people use', () => {
  let server: StartedServer;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let answer: object;
  let email: string;

  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), shareBrowser()]);
    const { name, buffer } = fallingNotes(4, 'dawn.wav');
    const form = new FormData();
    form.append('file', new File([new Uint8Array(buffer)], name));
    answer = await (await fetch(`${server.origin}/get_prediction`, { method: 'POST', body: form })).json();
  });
  afterAll(() => server?.stop());
  beforeEach(async () => {
    context = await browser.newContext({
      baseURL: server.origin,
      locale: 'en-GB',
      reducedMotion: 'reduce',
      geolocation: { latitude: 52.2053, longitude: 0.1218 },
      permissions: ['geolocation'],
    });
    page = await context.newPage();
    await page.goto('/');
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => {}));
    await page.reload();
    await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
    // What belongs to the device: nobody is signed in.
    await recordSession(page, '20260501T051244120Z', 'Lisbon, Portugal');
    await page.evaluate(() => localStorage.setItem('preferences', JSON.stringify({ theme: 'dark' })));
    email = somebody();
    await leaveOneOfEverything();
  });
  afterEach(() => context.close());

  /** An account signs in and leaves one of everything that the page stores; the page ends on the account's history. */
  async function leaveOneOfEverything(): Promise<void> {
    await createAccount(page, email);
    await button(page, 'Use my position').click();
    await page.getByText('near 52.21, 0.12').waitFor();
    await chooseFile(page, 'ada sent.wav');
    await button(page, 'Identify').click();
    await page.getByRole('heading', { name: 'Look and listen' }).waitFor();
    await recordSession(page, '20260502T060000000Z', 'Cambridge, England');
    await putAside(page, { state: 'leftOut', prediction: answer, name: 'ada waits.wav' });
    await putAside(page, { state: 'arrived', prediction: answer, name: 'ada arrived.wav' });
    await page.evaluate(async () => {
      const places = await caches.open('on-device-places');
      await places.put('/on-device/places/v1/occurrences?latitude=52.2&longitude=0.1&week=17/m-1', new Response('x'));
      await places.put('/on-device/places/v1/on-device/regions/m-1', new Response('PT'));
    });
    await page.goto('/history');
    await page.getByText('ada waits.wav').waitFor();
    await share(page, 'ada shared.wav');
  }

  const localId = () => page.evaluate(() => localStorage.getItem('userId') ?? 'nobody');
  /** What is stored of the first account, by where and name. */
  const tracesOf = async (id: string, tab = page): Promise<string[]> => {
    const traces = (await storedIn(tab)).filter((line) =>
      [email, id, 'ada ', '52.2', 'Cambridge'].some((trace) => line.includes(trace)),
    );
    // The device's own session was recorded in the same place.
    return traces
      .flatMap((line) => line.split(' ')[0] ?? [])
      .filter((name) => !name.startsWith('files/recordings/20260501T'))
      .toSorted();
  };
  const recordings = () => page.getByRole('region', { name: 'Recorded on this device' });
  const isDeviceUntouched = async () => {
    const stored = await storedIn(page);
    for (const name of [
      'localStorage/preferences {"theme":"dark"}',
      'files/recordings/20260501T051244120Z/sound.wav',
      'files/recordings/20260501T051244120Z/notes.json',
    ])
      expect(
        stored.some((line) => line.startsWith(name)),
        name,
      ).toBe(true);
    expect(stored.some((line) => /^caches\/on-device-places .*regions/.test(line))).toBe(true);
  };

  /** Another person signs up, visits every screen, and finds the device's recording but nothing of the first account. */
  async function lookAroundAsSomebodyElse(): Promise<void> {
    await createAccount(page, somebody());
    await button(page, 'Use my position').waitFor();
    const seen = [(await page.locator('body').textContent()) ?? ''];
    await page.goto('/listen');
    await recordings().getByText('Lisbon').waitFor();
    expect(await recordings().getByRole('listitem').count()).toBe(1);
    seen.push((await page.locator('body').textContent()) ?? '');
    await page.goto('/history');
    await page.getByRole('main').getByRole('link', { name: 'Detect Bird' }).waitFor();
    // The page has read the outbox.
    await page.waitForFunction(() => performance.getEntriesByType('resource').some(({ name }) => /\/outbox-.*\.js$/.test(name)));
    seen.push((await page.locator('body').textContent()) ?? '');
    for (const text of seen) expect(text).not.toMatch(/ada |Cambridge|52\.2|waiting for the person/);
  }

  it('keeps nothing of an account that signs out, unless it leaves recordings there, which nobody else sees', {
    tags: ['core'],
  }, async () => {
    const id = await localId();
    const other = await context.newPage();
    await other.goto('/process');
    await chooseFile(other, 'ada chose.wav');
    await other.getByText('ada chose.wav').first().waitFor();
    await share(page, 'ada shared again.wav');
    expect([...new Set((await tracesOf(id)).map((name) => name.split('/')[0]))].toSorted()).toEqual([
      'caches',
      'databases',
      'files',
      'localStorage',
      'sessionStorage',
    ]);

    await item(page, 'Logout').click();
    await heading(page, 'Some recordings haven’t been uploaded yet').waitFor();
    await page.getByText('2 recordings').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await button(page, 'Sign out and keep on this device').click();
    await heading(page, 'Sign in').waitFor();
    await expect
      .poll(() => tracesOf(id))
      .toEqual([
        'databases/outbox/items',
        `files/recordings/20260502T060000000Z@${id}/notes.json`,
        `files/recordings/20260502T060000000Z@${id}/sound.wav`,
      ]);
    await other.getByText('ada chose.wav').first().waitFor({ state: 'detached' });
    expect((await tracesOf(id, other)).filter((name) => name.startsWith('sessionStorage'))).toEqual([]);
    await isDeviceUntouched();

    await lookAroundAsSomebodyElse();
    await item(page, 'Logout').click();
    await heading(page, 'Sign in').waitFor();
    await page.goto('/listen');
    await recordings().getByText('One recording is waiting for the person who saved it to sign in again.').waitFor();
    expect(await findBarriers(page)).toEqual([]);

    await item(page, 'Login').click();
    await signIn(page, email);
    await heading(page, 'Which bird was that?').waitFor();
    await page.goto('/listen');
    await recordings().getByText('Cambridge').waitFor();
    await page.goto('/history');
    await page.getByText('ada waits.wav').waitFor();
    await item(page, 'Logout').click();
    await button(page, 'Delete and sign out').click();
    await heading(page, 'Sign in').waitFor();
    await expect.poll(() => tracesOf(id)).toEqual([]);
    await isDeviceUntouched();
  });

  it('shows nothing of an account whose session ended by itself, and keeps its recordings for it', async () => {
    const id = await localId();
    await page.evaluate(() => localStorage.setItem('tokenExpiry', new Date(Date.now() - 1000).toISOString()));
    await page.goto('/listen');
    await page.getByText('You were signed out. Please sign in again.').waitFor();
    await recordings().getByText('One recording is waiting for the person who saved it to sign in again.').waitFor();
    expect(await recordings().getByRole('listitem').count()).toBe(1);

    await lookAroundAsSomebodyElse();
    const left = await tracesOf(id);
    expect(left.filter((name) => /^(localStorage|sessionStorage|caches)/.test(name))).toEqual([]);
    await isDeviceUntouched();
    await item(page, 'Logout').click();
    await heading(page, 'Sign in').waitFor();
    await signIn(page, email);
    await heading(page, 'Which bird was that?').waitFor();
    await page.goto('/history');
    await page.getByText('ada waits.wav').waitFor();
    await page.goto('/listen');
    await recordings().getByText('Cambridge').waitFor();
  });
});
