import { shareBrowser } from '@chiffchaff/bench/harness/browser';
import { createAccount, heading, somebody } from '@chiffchaff/bench/harness/people';
import { fallingNotes } from '@chiffchaff/bench/harness/recordings';
import { type StartedServer, startServer } from '@chiffchaff/bench/harness/server';
import type { Browser, BrowserContext, Page, Request, Response } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findBarriers } from './accessibility.ts';
import { item, signIn } from './account-actions.ts';
import { type Front, startFront } from './front.ts';
import { putAside } from './put-aside.ts';

/** How often the tab is closed while it sends a recording; raise it for a long trial. */
const KILLS = Number(process.env.OUTBOX_KILLS ?? 2);

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
const list = (page: Page) => page.getByRole('region', { name: 'Waiting to be uploaded' });
const rows = (page: Page) => page.getByRole('region', { name: 'Results' }).getByRole('listitem');

describe('The outbox', () => {
  let server: StartedServer;
  let browser: Browser;
  let front: Front;
  let context: BrowserContext;
  let page: Page;
  /** The server's answer for the recording that the stories put in the outbox. */
  let answer: object;

  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), shareBrowser()]);
    const { name, buffer } = fallingNotes(4, 'dawn.wav');
    const form = new FormData();
    form.append('file', new File([new Uint8Array(buffer)], name));
    answer = await (await fetch(`${server.origin}/get_prediction`, { method: 'POST', body: form })).json();
  });
  afterAll(() => server?.stop());
  beforeEach(async () => {
    front = await startFront(server.origin);
    context = await browser.newContext({ baseURL: front.origin, locale: 'en-GB', reducedMotion: 'reduce' });
    page = await context.newPage();
    await page.goto('/');
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => {}));
    await createAccount(page, somebody());
  });
  afterEach(async () => {
    await context.close();
    await front.cutOff();
  });

  it('opens without a connection, lists waiting recordings, and sends each once, however often its tab is killed', {
    timeout: 120_000 + KILLS * 20_000,
  }, async () => {
    await front.cutOff();
    await putAside(page, { state: 'waiting', prediction: answer });
    // A tab without state from the earlier visit.
    const offline = await context.newPage();
    await page.close();
    await offline.goto('/process');
    await heading(offline, 'Which bird was that?').waitFor();
    await offline.goto('/history');
    await heading(offline, 'Your history').waitFor();
    await list(offline).getByText('Waiting for a connection.').waitFor();
    await offline.close();

    await front.reconnect();
    const names = ['dawn.wav'];
    for (let kill = 0; kill < KILLS; kill += 1) {
      const name = `dawn ${kill + 2}.wav`;
      names.push(name);
      // A page of the same origin that does not send recordings.
      page = await context.newPage();
      await page.goto('/healthz');
      await putAside(page, { state: 'waiting', prediction: answer, name });
      await page.close();

      const tab = await context.newPage();
      const isAboutIt = (call: Request | Response) => /get_prediction|\/events$/.test(new URL(call.url()).pathname);
      // Closes the tab when the first call has started, or when its response has arrived and is not stored yet.
      const moment = kill % 2 === 0 ? tab.waitForEvent('request', isAboutIt) : tab.waitForEvent('response', isAboutIt);
      await tab.goto('/about', { waitUntil: 'commit' });
      await moment;
      await tab.close();
    }

    page = await context.newPage();
    await page.goto('/history');
    const found = async () => (await rows(page).locator('bdi').allTextContents()).toSorted();
    await expect.poll(found).toEqual(names.toSorted());
    await list(page).waitFor({ state: 'detached' });
    await page.reload();
    await rows(page).first().waitFor();
    expect(await found()).toEqual(names.toSorted());
    const left = await page.evaluate(async () => {
      const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('outbox');
      const names: string[] = [];
      for await (const name of folder.keys()) names.push(name);
      return names;
    });
    expect(left).toEqual([]);
  });

  it('sends each recording once, wherever its connection is cut, although the server notices only later', {
    timeout: 120_000,
  }, async () => {
    const { length } = fallingNotes(4).buffer;
    const names = Array.from({ length: 10 }, (_, n) => `cut ${n}.wav`);
    for (const name of names) await putAside(page, { state: 'leftOut', prediction: answer, name });
    await page.goto('/history');
    for (const [n, name] of names.entries()) {
      const sendNow = button(page, `Upload now: ${name}`);
      const cut = front.cutUpload(Math.floor((n / names.length) * length));
      await sendNow.click();
      await cut;
      await expect
        .poll(async () => {
          if ((await list(page).getByText('The server couldn’t accept it.').count()) > 0) return 'refused';
          if (await sendNow.isVisible()) await sendNow.click({ timeout: 2000 });
          return (await rows(page).locator('bdi').allTextContents()).includes(name) ? 'arrived' : 'on its way';
        })
        .toBe('arrived');
    }
    await list(page).waitFor({ state: 'detached' });
    expect((await rows(page).locator('bdi').allTextContents()).toSorted()).toEqual(names);
  });

  it('asks at sign-out whether to keep its recordings, and never shows them to another account', async () => {
    const email = await page.evaluate(() => localStorage.getItem('user') ?? '');
    await putAside(page, { state: 'leftOut', prediction: answer });
    await page.goto('/history');
    await list(page).getByText('dawn.wav').waitFor();
    await item(page, 'Logout').click();
    await heading(page, 'Some recordings haven’t been uploaded yet').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await button(page, 'Stay signed in').click();
    await list(page).getByText('dawn.wav').waitFor();
    await item(page, 'Logout').click();
    await button(page, 'Sign out and keep on this device').click();
    await heading(page, 'Sign in').waitFor();

    await createAccount(page, somebody());
    await page.goto('/history');
    await page.getByRole('main').getByRole('link', { name: 'Detect Bird' }).waitFor();
    // The page has read the outbox.
    await page.waitForFunction(() => performance.getEntriesByType('resource').some(({ name }) => /\/outbox-.*\.js$/.test(name)));
    expect(await page.getByText('dawn.wav').count()).toBe(0);
    await item(page, 'Logout').click();
    await heading(page, 'Sign in').waitFor();

    await signIn(page, email);
    await heading(page, 'Which bird was that?').waitFor();
    await page.goto('/history');
    await list(page).getByText('Not uploaded unless you say so.').waitFor();
    await item(page, 'Logout').click();
    await button(page, 'Delete and sign out').click();
    await heading(page, 'Sign in').waitFor();
    await signIn(page, email);
    await heading(page, 'Which bird was that?').waitFor();
    await page.goto('/history');
    await heading(page, 'Your history').waitFor();
    expect(await list(page).count()).toBe(0);
  });

  it('says if the server names other birds than the device did, and is accessible at every width', {
    timeout: 180_000,
  }, async () => {
    const wren = { scientificName: 'Troglodytes troglodytes', commonName: 'Eurasian Wren', firstSeconds: 1 };
    const verdict = { kind: 'identified', named: [wren] };
    await putAside(page, { state: 'leftOut', prediction: { ...answer, verdict } });
    await page.goto('/history');
    await list(page).getByText('Eurasian Wren').waitFor();
    for (const [colorScheme, width, language] of [
      ['light', 1440, 'en'],
      ['dark', 390, 'de'],
      ['dark', 320, 'en'],
      ['light', 320, 'de'],
    ] as const) {
      await page.evaluate((chosen) => localStorage.setItem('preferences', JSON.stringify({ language: chosen })), language);
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      await page.reload();
      await page.getByText('Eurasian Wren').waitFor();
      const name = `outbox, ${width}, ${colorScheme}, ${language}`;
      expect(await findBarriers(page), name).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth), name).toBe(0);
    }
    await page.evaluate(() => localStorage.removeItem('preferences'));
    await page.reload();
    await button(page, 'Upload now: dawn.wav').click();
    const saved = page.getByRole('region', { name: 'Saved to your history' });
    await saved.getByText('The server’s result differs: this device named Eurasian Wren', { exact: false }).waitFor();
    await button(page, 'Got it: dawn.wav').click();
    await saved.waitFor({ state: 'detached' });
    await rows(page).getByText('dawn.wav').waitFor();
  });
});
