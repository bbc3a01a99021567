import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shareBrowser } from '@chiffchaff/bench/harness/browser';
import { createAccount, heading, somebody } from '@chiffchaff/bench/harness/people';
import { fallingNotes } from '@chiffchaff/bench/harness/recordings';
import { type StartedServer, startServer } from '@chiffchaff/bench/harness/server';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findBarriers } from './accessibility.ts';
import { type Front, startFront } from './front.ts';

const dist = fileURLToPath(new URL('../apps/web/dist', import.meta.url));
const worker = '/service-worker.js';

const cached = 'Content is cached for offline use.';
const newContent = /^New content is available/;
const noConnection = 'No internet connection found. The app runs offline.';
const registrationError = /^Error during service worker registration:/;

/** The text of elements that a notice of the page covers. */
const whatNoticesCover = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const area = document.querySelector('main > [role="status"]');
    const notice = area?.firstElementChild?.getBoundingClientRect();
    if (!area || !notice) return ['there is no notice'];
    return [...document.querySelectorAll('header *, main *, footer *')]
      .filter((element) => element.children.length === 0 && !area.contains(element))
      .filter((element) => {
        const box = element.getBoundingClientRect();
        return (
          box.width > 1 &&
          box.height > 1 &&
          box.left < notice.right &&
          box.right > notice.left &&
          box.top < notice.bottom &&
          box.bottom > notice.top
        );
      })
      .map((element) => element.textContent || element.tagName);
  });

describe('The page that also works without a connection', () => {
  let server: StartedServer;
  let browser: Browser;
  let front: Front;
  let context: BrowserContext;
  let page: Page;
  let written: string[];
  let loads: number;

  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), shareBrowser()]);
  });
  afterAll(() => server?.stop());
  beforeEach(async () => {
    front = await startFront(server.origin);
    context = await browser.newContext({ baseURL: front.origin, locale: 'en-GB', reducedMotion: 'reduce' });
    // The clock runs normally, but tests can advance it.
    await context.clock.install();
    page = await context.newPage();
    written = [];
    loads = 0;
    page.on('console', (message) => written.push(message.text()));
    page.on('load', () => {
      loads += 1;
    });
  });
  afterEach(async () => {
    await context.close();
    await front.cutOff();
  });

  const notice = (told: string | RegExp) =>
    expect.poll(() => written).toContainEqual(typeof told === 'string' ? told : expect.stringMatching(told));
  /** Calls `look` after four seconds of the page's clock, so that notices disappear and the page checks for the server again. */
  const later = async <Seen>(look: () => Promise<Seen>): Promise<Seen> => {
    await page.clock.fastForward(4_000);
    return look();
  };
  const isControlled = () => page.evaluate(() => navigator.serviceWorker.controller !== null);

  /** Opens the first page and waits until it is cached. */
  async function keepPage(): Promise<void> {
    await page.goto('/');
    await notice(cached);
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => {}));
  }

  /** Deploys a new version: the same page with another entry script, and so another list of files. */
  async function deployNewVersion(): Promise<void> {
    const entry = (await readdir(join(dist, 'assets'))).find((name) => /^index-.*\.js$/.test(name));
    if (entry === undefined) throw new Error('The page has no entry script');
    const renamed = entry.replace('index-', 'index-New');
    const read = async (path: string) => (await readFile(join(dist, path), 'utf8')).replaceAll(entry, renamed);
    const html = { type: 'text/html; charset=utf-8', body: await read('index.html') };
    const script = `${await read(`assets/${entry}`)}\ndocument.documentElement.dataset.version = 'new';`;
    // The revision of the cached page is its hash.
    const list = (await read('service-worker.js')).replace(/("revision":")\w(?=\w+","url":"index\.html")/, '$1z');
    front.answer('/', html);
    front.answer('/index.html', html);
    front.answer(`/assets/${renamed}`, { type: 'text/javascript', body: script });
    front.answer(worker, { type: 'text/javascript', body: list });
  }

  it('says that it is stored on the device, and then opens with its terms of use without a connection', {
    tags: ['core'],
  }, async () => {
    await keepPage();
    const ready = page.getByRole('status').filter({ hasText: 'now opens offline' });
    await ready.waitFor();
    // It disappears on its own.
    await expect.poll(() => later(() => ready.count())).toBe(0);

    await front.cutOff();
    await page.goto('/toc');
    await heading(page, 'Terms and Conditions').waitFor();
    await notice(noConnection);
    expect(await isControlled()).toBe(true);
    await page.getByRole('status').filter({ hasText: 'Trying to reconnect' }).waitFor();
    await page.goto('/about');
    await heading(page, 'About the model').waitFor();
    await page.goto('/');
    await heading(page, 'Some birds sing their own name. For the rest, there’s Chiffchaff.').waitFor();
  });

  it.each([
    { name: 'wide, light theme', colorScheme: 'light', viewport: { width: 1280, height: 860 } },
    { name: 'narrow, dark theme', colorScheme: 'dark', viewport: { width: 320, height: 640 } },
  ] as const)(
    'shows a notice while the connection is lost, which covers nothing else: $name',
    async ({ name, colorScheme, viewport }) => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(viewport);
      await keepPage();
      await page.goto('/about');
      await heading(page, 'About the model').waitFor();
      const notices = page.locator('main > [role="status"]');
      await expect.poll(() => later(() => notices.textContent())).toBe('');
      const told = await page.evaluateHandle(() => {
        // At the top, what lasts; at the bottom edge, what passes. What can be undone has an area of its own.
        const areas = [...document.querySelectorAll('main > [role="status"], #toasts > [role="status"]:first-child')];
        const texts: string[] = [];
        const observer = new MutationObserver(() => texts.push(areas.map(({ textContent }) => textContent).join('')));
        for (const area of areas) observer.observe(area, { childList: true, subtree: true, characterData: true });
        return texts;
      });
      const headingTop = () => page.evaluate(() => document.querySelector('h1')?.getBoundingClientRect().top ?? 0);
      const topBefore = await headingTop();

      await front.cutOff();
      await page.evaluate(() => window.dispatchEvent(new Event('offline')));
      const lost = notices.getByText('Trying to reconnect…');
      await lost.waitFor();
      expect(await whatNoticesCover(page)).toEqual([]);
      expect(await headingTop()).toBe(topBefore);
      expect(await findBarriers(page)).toEqual([]);
      // It stays, in sight wherever the page is scrolled to, and is not said again.
      await page.evaluate(() => window.scrollTo(0, 1000));
      expect(await lost.boundingBox()).toMatchObject({ y: expect.toSatisfy((y) => y >= 0 && y < 30) });
      await page.evaluate(() => window.scrollTo(0, 0));
      const failed = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/healthz'));
      await page.clock.fastForward(60_000);
      await failed;
      expect(await lost.count()).toBe(1);

      await front.reconnect();
      const back = page.getByRole('status').getByText('Reconnected.');
      // The page may set its next timer only after this, so the clock advances until the page has checked.
      await expect.poll(() => later(() => told.jsonValue())).toContain('Reconnected.');
      await expect.poll(() => later(() => back.count())).toBe(0);
      const lines = (await told.jsonValue()).filter((text, index, all) => text !== all[index - 1]);
      expect(lines).toEqual(['Trying to reconnect…', 'Reconnected.', '']);
    },
  );

  it.each(['light', 'dark'] as const)(
    'links to the terms of use while the Detect Bird screen has no connection, and opens the screen once it is back: %s',
    async (colorScheme) => {
      await keepPage();
      // A new tab has nothing from this visit, and the browser has evicted the last configuration.
      await page.evaluate(() => caches.delete('config'));
      page = await context.newPage();
      await page.emulateMedia({ colorScheme });
      await front.cutOff();
      await page.goto('/process');
      await heading(page, 'No connection to the server').waitFor();
      await page.getByRole('main').getByRole('link', { name: 'Terms and Conditions' }).waitFor();
      expect(await findBarriers(page)).toEqual([]);
      await front.reconnect();
      await expect.poll(() => later(() => heading(page, 'Which bird was that?').count())).toBe(1);
      await expect.poll(() => later(() => page.getByText('No connection to the server').count())).toBe(0);
    },
  );

  it('opens the terms, the upload form and the results of this visit without a connection, until the account signs out', async () => {
    await keepPage();
    await page.goto('/login');
    await createAccount(page, somebody());
    await page.getByLabel('Recording', { exact: true }).and(page.locator('input')).setInputFiles(fallingNotes(4));
    await page.getByRole('button', { name: 'Identify' }).click();
    await page.getByRole('heading', { name: 'Look and listen' }).waitFor();
    await front.cutOff();
    await page.goto('/toc');
    await heading(page, 'Terms and Conditions').waitFor();
    expect(await page.getByText('not available offline').count()).toBe(0);
    await page.goto('/process');
    await heading(page, 'Which bird was that?').waitFor();
    await page.goto('/history');
    await page.getByText('The server can’t be reached. Check your connection and try again.').first().waitFor();
    await page.getByRole('list').getByRole('link').filter({ hasText: '.wav' }).click();
    await page.getByRole('heading', { name: 'Look and listen' }).waitFor();
    expect(await page.evaluate(() => sessionStorage.getItem('answers'))).not.toBeNull();
    await page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name: 'Logout' }).click();
    await heading(page, 'Sign in').waitFor();
    expect(await page.evaluate(() => sessionStorage.getItem('answers'))).toBeNull();
  });

  it.each([
    { name: 'wide, light theme', colorScheme: 'light', viewport: { width: 1280, height: 860 } },
    { name: 'narrow, dark theme', colorScheme: 'dark', viewport: { width: 320, height: 640 } },
  ] as const)(
    'lists in the history only the results that can be opened without a connection: $name',
    { timeout: 240_000 },
    async ({ name, colorScheme, viewport }) => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(viewport);
      await keepPage();
      await page.goto('/login');
      await createAccount(page, somebody());
      // Each has a different length: for a file that was sent before, the page would offer the earlier answer.
      let seconds = 3;
      const listen = async (tab: Page, file: string) => {
        seconds += 1;
        await tab.goto('/process');
        await tab.getByLabel('Recording', { exact: true }).and(tab.locator('input')).setInputFiles(fallingNotes(seconds, file));
        await tab.getByRole('button', { name: 'Identify' }).click();
        await tab.getByRole('heading', { name: 'Look and listen' }).waitFor();
      };
      const rows = page.getByRole('region', { name: 'Results' }).getByRole('listitem');
      const names = async () => (await rows.locator('bdi').allTextContents()).toSorted();
      const toHistory = async () => {
        await page.getByRole('link', { name: 'History' }).filter({ visible: true }).click();
        await heading(page, 'Your history').waitFor();
      };
      const other = await context.newPage();
      await listen(other, 'elsewhere.wav');
      await listen(page, 'first.wav');
      await toHistory();
      await expect.poll(names).toEqual(['elsewhere.wav', 'first.wav']);
      await listen(page, 'second.wav');

      await front.cutOff();
      await toHistory();
      await page.getByText('You can still read the last 2 results that you opened in this tab.').waitFor();
      expect(await names()).toEqual(['first.wav', 'second.wav']);
      expect(await page.getByRole('main').getByRole('button').allTextContents()).not.toContain(
        'Download everything (ZIP: results, tables and kept audio)',
      );
      expect(await findBarriers(page)).toEqual([]);
      await rows.getByRole('link').first().click();
      await page.getByRole('heading', { name: 'Look and listen' }).waitFor();

      await page.goBack();
      await front.reconnect();
      await expect.poll(() => later(names)).toEqual(['elsewhere.wav', 'first.wav', 'second.wav']);
    },
  );

  it('explains in a sentence that sign-in needs a connection', async () => {
    await keepPage();
    await page.goto('/login');
    await front.cutOff();
    await page.getByLabel('Email address').fill('ada@example.org');
    await page.getByLabel('Password', { exact: true }).and(page.locator('input')).fill('a nightingale at noon');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('The server can’t be reached. Check your connection and try again.').waitFor();
    expect(await findBarriers(page)).toEqual([]);
  });

  it('keeps the result of this visit open, whatever screens are visited meanwhile', async () => {
    await keepPage();
    await page.goto('/process');
    await page.getByLabel('Recording', { exact: true }).and(page.locator('input')).setInputFiles(fallingNotes(4));
    await page.getByRole('button', { name: 'Identify' }).click();
    await page.getByRole('heading', { name: 'Look and listen' }).waitFor();
    await front.cutOff();
    const toolbar = page.getByRole('navigation', { name: 'Main navigation' });
    await toolbar.getByRole('link', { name: 'About' }).click();
    await heading(page, 'About the model').waitFor();
    await toolbar.getByRole('link', { name: 'Detect Bird' }).click();
    await page.getByRole('heading', { name: 'Look and listen' }).waitFor();
  });

  it('stores only the files of the page and its public settings: no result, no recording, no model', async () => {
    await keepPage();
    await page.goto('/process');
    await heading(page, 'Which bird was that?').waitFor();
    expect(await isControlled()).toBe(true);
    const kept = await page.evaluate(async () => {
      const names = await caches.keys();
      const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
      return requests.flat().map(({ url }) => new URL(url).pathname);
    });
    expect(kept.length).toBeGreaterThan(10);
    expect(kept).toContain('/index.html');
    expect(
      kept.filter(
        (path) => !/^\/(index\.html|favicon\.svg|config\.json|manifest\.webmanifest|assets\/[\w.-]+\.(js|css|woff2))$/.test(path),
      ),
    ).toEqual([]);
  });

  it('offers a new version of itself, and loads it only when the user accepts', { tags: ['core'] }, async () => {
    await keepPage();
    await page.reload();
    await heading(page, 'Some birds sing their own name. For the rest, there’s Chiffchaff.').waitFor();
    await expect.poll(isControlled).toBe(true);
    await deployNewVersion();
    await page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.update().then(() => {}));
    await notice(newContent);
    const offer = page.getByRole('status').filter({ hasText: 'A new version of Chiffchaff is available.' });
    await offer.waitFor();
    expect(await findBarriers(page)).toEqual([]);
    const loadsBefore = loads;
    // biome-ignore lint/plugin: sleeps; to become a gate
    await page.waitForTimeout(1500);
    expect(loads).toBe(loadsBefore);
    expect(await page.evaluate(() => document.documentElement.dataset.version)).toBeUndefined();
    await offer.getByRole('button', { name: 'Update now' }).click();
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset.version).catch(() => null)).toBe('new');
    expect(loads).toBe(loadsBefore + 1);
    await front.cutOff();
    await page.goto('/toc');
    await heading(page, 'Terms and Conditions').waitFor();
    expect(await page.evaluate(() => document.documentElement.dataset.version)).toBe('new');
  });

  it('does not offer the version that is already shown', async () => {
    await keepPage();
    await deployNewVersion();
    await page.reload();
    await notice(newContent);
    // biome-ignore lint/plugin: sleeps; to become a gate
    await page.waitForTimeout(1500);
    expect(await page.evaluate(() => document.documentElement.dataset.version)).toBe('new');
    expect(await page.getByText('A new version of Chiffchaff is available.').count()).toBe(0);
  });

  it.each([
    ['is missing', { status: 404, type: 'application/problem+json', body: '{}' }],
    ['is no script', { type: 'text/html; charset=utf-8', body: '<!doctype html><title>Another project</title>' }],
  ])('removes its service worker and reloads if the worker’s file %s', async (_, own) => {
    await keepPage();
    const loadsBefore = loads;
    front.answer(worker, own);
    // An open page is left alone: the check runs only at page load.
    // biome-ignore lint/plugin: sleeps; to become a gate
    await page.waitForTimeout(500);
    expect(loads).toBe(loadsBefore);
    await page.reload();
    await expect.poll(() => loads).toBe(loadsBefore + 2);
    await expect
      .poll(() => page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length).catch(() => -1))
      .toBe(0);
    expect(await isControlled()).toBe(false);
    // biome-ignore lint/plugin: sleeps; to become a gate
    await page.waitForTimeout(1000);
    expect(loads).toBe(loadsBefore + 2);
  });

  it('says on the console when its service worker cannot be registered', async () => {
    front.answer(worker, { type: 'text/javascript', body: 'throw new Error("this worker does not start")' });
    await page.goto('/');
    await notice(registrationError);
    await heading(page, 'Some birds sing their own name. For the rest, there’s Chiffchaff.').waitFor();
  });

  it('accepts a recording shared by another app as chosen, keeps it on the device, and sends nothing', async () => {
    await keepPage();
    const sent: string[] = [];
    context.on('request', (request) => {
      const isForm = request.isNavigationRequest() && request.url().endsWith('/share');
      if (request.method() !== 'GET' && !isForm) sent.push(request.url());
    });
    const share = async (name: string, buffer: Buffer | null) => {
      const sender = await context.newPage();
      await sender.setContent(`<form method="post" enctype="multipart/form-data" action="${front.origin}/share">
        <input name="title" value="Listen!"><input type="file" name="recordings"><button>Share</button></form>`);
      if (buffer !== null) await sender.locator('input[type=file]').setInputFiles({ name, mimeType: 'audio/wav', buffer });
      await sender.getByRole('button', { name: 'Share' }).click();
      // The service worker answers; the server would say `unavailable`.
      await sender.waitForURL(/\/process\?shared=(received|empty)$/);
      return sender;
    };
    const first = await share('from the messenger.wav', fallingNotes(5).buffer);
    await first.getByText('from the messenger.wav').first().waitFor();
    await first.getByRole('button', { name: 'Identify' }).waitFor();
    const second = await share('', null);
    await second.getByText('There was no recording in what you shared.').waitFor();
    expect(await first.evaluate(async () => (await (await caches.open('shared-recordings')).keys()).length)).toBe(0);
    expect(sent).toEqual([]);
  });

  it('can be installed as an app', async () => {
    await keepPage();
    const manifest: unknown = await page.evaluate(async () => {
      const link = document.querySelector<HTMLLinkElement>('link[rel="manifest"]');
      const answer = await fetch(link?.href ?? '');
      return { type: answer.headers.get('content-type'), ...(await answer.json()) };
    });
    expect(manifest).toMatchObject({ id: '/', start_url: '/', scope: '/', display: 'standalone', name: 'Chiffchaff' });
    expect(manifest).toHaveProperty('type', expect.stringContaining('application/manifest+json'));
    const devTools = await context.newCDPSession(page);
    const { installabilityErrors } = await devTools.send('Page.getInstallabilityErrors');
    expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([]);
    const { errors } = await devTools.send('Page.getAppManifest');
    expect(errors).toEqual([]);
  });
});
