import { openPage, shareBrowser } from '@chiffchaff/bench/harness/browser';
import { createAccount, heading, somebody } from '@chiffchaff/bench/harness/people';
import { fallingNotes } from '@chiffchaff/bench/harness/recordings';
import { type StartedServer, startServer } from '@chiffchaff/bench/harness/server';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBarriers } from './accessibility.ts';
import { item, signIn } from './account-actions.ts';

const firstPage = 'Some birds sing their own name. For the rest, there’s Chiffchaff.';
const wide = { width: 1280, height: 860 };
const narrow = { width: 320, height: 640 };

const looks = [
  { name: 'wide, light theme', viewport: wide, colorScheme: 'light' },
  { name: 'wide, dark theme', viewport: wide, colorScheme: 'dark' },
  { name: 'narrow, light theme', viewport: narrow, colorScheme: 'light' },
  { name: 'narrow, dark theme', viewport: narrow, colorScheme: 'dark' },
] as const;

describe('The screens of the page', () => {
  let open: StartedServer;
  let closed: StartedServer;
  let browser: Browser;
  beforeAll(async () => {
    [open, closed, browser] = await Promise.all([startServer(), startServer({ OPEN_PREDICTION: 'false' }), shareBrowser()]);
  });
  afterAll(async () => {
    await Promise.all([open?.stop(), closed?.stop()]);
  });

  const sidewaysScroll = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  const on = (server: StartedServer, options: BrowserContextOptions = {}) =>
    openPage(browser, server.origin, { viewport: wide, ...options });

  it.each(looks)(
    'are accessible, request nothing from other origins and fit the window: $name',
    async ({ name, viewport, colorScheme }) => {
      const { page, faults, close } = await on(closed, { viewport, colorScheme });
      const look = async (screen: string) => {
        expect(await findBarriers(page), screen).toEqual([]);
        expect(await sidewaysScroll(page), `${screen}: wider than the window by`).toBe(0);
      };
      for (const [path, title] of [
        ['/', firstPage],
        ['/toc', 'Terms and Conditions'],
        ['/about', 'About the model'],
        ['/login', 'Sign in'],
      ] as const) {
        await page.goto(path);
        await heading(page, title).waitFor();
        await look(path === '/' ? 'landing' : path.slice(1));
      }
      await createAccount(page, somebody());
      await look('process');
      // The session survives a page load, so an unknown address shows this screen instead of the first page.
      await page.goto('/no-such-page');
      await heading(page, 'Page not found').waitFor();
      await look('not found');
      await page.goto('/account');
      await page.getByRole('heading', { level: 1 }).waitFor();
      await look('account');
      expect(faults).toEqual([]);
      await close();
    },
  );

  /**
   * Makes scripts fail while they are broken, and simulates a browser that remembers failed imports: a script that failed once fails
   * until the page is reloaded.
   */
  async function breakableScripts(page: Page) {
    const remembered = new Set<string>();
    const scripts: { broken: 'none' | 'all' | 'imports'; asked: number } = { broken: 'none', asked: 0 };
    await page.route(/\/assets\/[\w-]+\.js(\?|$)/, (route, request) => {
      scripts.asked += 1;
      const url = request.url();
      const isImport = request.resourceType() === 'script';
      if (scripts.broken !== 'none' && isImport) remembered.add(url);
      const fails = isImport ? remembered.has(url) : scripts.broken === 'all';
      return fails ? route.abort('connectionreset') : route.continue();
    });
    return scripts;
  }

  it.each([
    ['loading their files', 'light', 'all'],
    ['loading their files', 'dark', 'all'],
    ['importing their scripts', 'light', 'imports'],
  ] as const)('say that %s failed, and load on another try without losing what was entered: %s', async (_, look, broken) => {
    const { page, faults, close } = await on(open, { colorScheme: look });
    await page.goto('/process');
    await page.getByLabel('Recording', { exact: true }).and(page.locator('input')).setInputFiles(fallingNotes(4));
    await page.getByRole('button', { name: 'Identify' }).click();
    await page.getByRole('heading', { name: 'Look and listen' }).waitFor();
    const scripts = await breakableScripts(page);
    scripts.broken = broken;
    await item(page, 'About').click();
    const failure = page.getByRole('alert').getByText('This page didn’t load');
    await failure.waitFor();
    expect(await findBarriers(page)).toEqual([]);
    const isTold = (fault: string) => /^console: The screen \w+ could not be loaded/.test(fault);
    expect(faults.filter(isTold)).toHaveLength(1);
    const askedBefore = scripts.asked;
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => faults.filter(isTold).length).toBe(2);
    expect(scripts.asked).toBeGreaterThan(askedBefore);
    scripts.broken = 'none';
    await page.getByRole('button', { name: 'Try again' }).click();
    await heading(page, 'About the model').waitFor();
    await item(page, 'Detect Bird').click();
    await page.getByRole('heading', { name: 'Look and listen' }).waitFor();
    await close();
  });

  it.each([
    ['/process'],
    ['/app'],
    ['/account'],
    ['/history'],
    ['/life-list'],
    ['/history/an-answer'],
    ['/no-such-page'],
    ['/process/deeper'],
  ])('lead a visitor who is not signed in from %s to the first page, which says why', async (path) => {
    const { page, close } = await on(closed);
    await page.goto(path);
    await heading(page, firstPage).waitFor();
    await page.getByText(/^(You need to sign in to .*|There is no page at this address)\./).waitFor();
    expect(new URL(page.url()).pathname).toBe('/');
    expect(await item(page, 'Detect Bird').count()).toBe(0);
    await close();
  });

  it.each(looks)('say that the session has expired, also after a reload and on every screen: $name', async (look) => {
    const { page, close } = await on(closed, { viewport: look.viewport, colorScheme: look.colorScheme });
    await createAccount(page, somebody());
    await page.evaluate(() => localStorage.setItem('tokenExpiry', new Date(Date.now() - 1000).toISOString()));
    const isOver = page.getByRole('alert').getByText('You were signed out. Please sign in again.');
    await page.goto('/history');
    await heading(page, firstPage).waitFor();
    await isOver.waitFor();
    expect(await findBarriers(page)).toEqual([]);
    for (const path of ['/history', '/toc', '/no-such-page', '/login']) {
      await page.goto(path);
      await isOver.waitFor();
    }
    await page.getByRole('main').getByRole('button', { name: 'Close' }).click();
    await page.reload();
    await heading(page, 'Sign in').waitFor();
    expect(await isOver.count()).toBe(0);
    await close();
  });

  it('lead to the Detect Bird screen after sign-in if the requested address does not exist', async () => {
    const { page, close } = await on(closed);
    const email = somebody();
    await createAccount(page, email);
    await item(page, 'Logout').click();
    await heading(page, 'Sign in').waitFor();
    await page.goto('/no-such-page');
    await heading(page, firstPage).waitFor();
    await item(page, 'Login').click();
    await signIn(page, email);
    await heading(page, 'Which bird was that?').waitFor();
    await close();
  });

  it('show Detect Bird and Logout only when signed in, and redirect /login, /app and Logout to the right screen', async () => {
    const { page, close } = await on(closed);
    await page.goto('/');
    await item(page, 'Login').waitFor();
    await createAccount(page, somebody());
    expect(await item(page, 'Detect Bird').getAttribute('aria-current')).toBe('page');
    expect(await item(page, 'Login').count()).toBe(0);
    await page.goto('/login');
    await heading(page, 'Which bird was that?').waitFor();
    await page.goto('/app');
    await heading(page, 'Which bird was that?').waitFor();
    expect(new URL(page.url()).pathname).toBe('/process');
    await page.goto('/');
    await page.getByRole('checkbox').check();
    expect(await page.getByRole('main').getByRole('link', { name: 'Start' }).getAttribute('href')).toBe('/process');
    expect(await item(page, 'Detect Bird').getAttribute('aria-current')).toBeNull();
    await page.getByRole('link', { name: 'Chiffchaff', exact: true }).click();
    await item(page, 'Logout').click();
    await heading(page, 'Sign in').waitFor();
    expect(new URL(page.url()).pathname).toBe('/login');
    await close();
  });

  it('have a drawer in narrow windows that holds the focus, and closes on its backdrop, on Escape and on a choice', async () => {
    const { page, faults, close } = await on(open, { viewport: { width: 360, height: 740 } });
    await page.goto('/');
    const menu = page.getByRole('button', { name: 'Menu' });
    const drawer = page.getByRole('dialog', { name: 'Menu' });
    const focusIsInside = () => page.evaluate(() => document.querySelector('dialog')?.contains(document.activeElement) ?? false);
    const menuHasFocus = () => menu.evaluate((button) => button === document.activeElement);

    await menu.focus();
    await page.keyboard.press('Enter');
    await drawer.getByRole('link', { name: 'Detect Bird' }).waitFor();
    for (let presses = 0; presses < 16; presses += 1) {
      expect(
        (await focusIsInside()) || (await page.evaluate(() => document.activeElement === document.body)),
        `after ${presses} presses of Tab`,
      ).toBe(true);
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'hidden' });
    expect(await menuHasFocus()).toBe(true);

    await menu.click();
    await drawer.waitFor();
    await page.mouse.click(12, 400);
    await drawer.waitFor({ state: 'hidden' });
    expect(await menuHasFocus()).toBe(true);

    await menu.click();
    await drawer.getByRole('link', { name: 'About' }).click();
    await heading(page, 'About the model').waitFor();
    await drawer.waitFor({ state: 'hidden' });
    await menu.click();
    expect(await drawer.getByRole('link', { name: 'About' }).getAttribute('aria-current')).toBe('page');
    expect(faults).toEqual([]);
    await close();
  });

  it.each([
    ['while they load', 0],
    ['when the configuration comes late', 250],
  ])('do not shift their content %s', async (_, lateMs) => {
    const { page, close } = await on(open);
    await page.route('**/config.json', async (route) => {
      // biome-ignore lint/plugin: sleeps; to become a gate
      await new Promise((resolve) => setTimeout(resolve, lateMs));
      await route.continue();
    });
    for (const path of ['/', '/process', '/about', '/toc']) {
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.evaluate(() => document.fonts.ready.then(() => {}));
      const shift = await page.evaluate(
        (watchMs) =>
          new Promise<number>((resolve) => {
            let total = 0;
            new PerformanceObserver((list) => {
              for (const entry of list.getEntries()) total += 'value' in entry ? Number(entry.value) : 0;
            }).observe({ type: 'layout-shift', buffered: true });
            // biome-ignore lint/plugin: sleeps; to become a gate
            setTimeout(() => resolve(total), watchMs);
          }),
        lateMs + 300,
      );
      expect(shift, path).toBeLessThan(0.02);
    }
    await close();
  });

  it('have the chosen theme from the first moment at which anything is drawn', { tags: ['core'] }, async () => {
    const { page, close } = await on(open, { colorScheme: 'light' });
    await page.goto('/');
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('combobox', { name: 'Theme' }).selectOption('dark');
    await page.goto('/about');
    await heading(page, 'About the model').waitFor();
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe('rgb(27, 32, 43)');
    await close();
  });

  it.each([320, 360])('break no long German heading without a hyphen: %i pixels wide', async (width) => {
    const { page, close } = await on(open, { viewport: { width, height: 640 }, locale: 'de-DE' });
    await page.goto('/toc');
    await page.locator('h2', { hasText: 'Datenschutzerklärung' }).waitFor();
    await page.evaluate(() => document.fonts.ready.then(() => {}));
    const brokenAfter = await page.evaluate(() =>
      [...document.querySelectorAll('main :is(h1, h2, h3)')].flatMap((title) => {
        const [text] = title.childNodes;
        const characters = text?.textContent ?? '';
        const range = document.createRange();
        const topOf = (index: number) => {
          range.setStart(text as Text, index);
          range.setEnd(text as Text, index + 1);
          return [...range.getClientRects()].at(-1)?.top ?? 0; // the first may belong to the hyphen before it
        };
        return [...characters].flatMap((before, index) => {
          const isBroken = /\p{L}{2}/u.test(characters.slice(index, index + 2)) && topOf(index + 1) > topOf(index) + 5;
          return isBroken ? [`${characters.slice(0, index)}${before}|`] : [];
        });
      }),
    );
    expect(brokenAfter).toEqual([]);
    await close();
  });

  it.each([
    { name: 'wide, light theme', viewport: wide, colorScheme: 'light' },
    { name: 'narrow, dark theme', viewport: narrow, colorScheme: 'dark' },
  ] as const)('lead to an accessible page about the API that opens the section in its address: $name', async (options) => {
    const { page, faults, close } = await on(open, options);
    const look = async (screen: string) => {
      await page.evaluate(() => document.fonts.ready.then(() => {}));
      expect(await findBarriers(page), screen).toEqual([]);
      expect(await sidewaysScroll(page), `${screen}: wider than the window by`).toBe(0);
    };
    await page.goto('/docs/api');
    const limits = page.locator('pre', { hasText: 'showHidden' }).first();
    await heading(page, 'HTTP API').waitFor();
    expect(await limits.isVisible()).toBe(false);
    await look('closed');
    await page.emulateMedia({ media: 'print' });
    expect(await limits.isVisible(), 'on paper').toBe(true);
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe('light');
    await page.emulateMedia({ media: 'screen' });

    await page.goto('/docs/api#get-v1-predictions-id-export');
    await limits.waitFor();
    const route = page.getByRole('heading', { level: 3, name: 'GET /v1/predictions/{id}/export' });
    expect(await route.evaluate((title) => title.getBoundingClientRect().top)).toBeGreaterThan(0);
    await look('a route');
    for (const name of ['POST /get_prediction', 'GET /v1/predictions List', 'GET /v1/models/'])
      await page.getByRole('heading', { level: 3, name }).first().click();
    await page.getByRole('heading', { level: 4, name: 'Request body' }).waitFor();
    await look('more routes');
    expect(faults).toEqual([]);
    await close();
  });

  it('lead to the third-party notices, as text', async () => {
    const answer = await fetch(`${open.origin}/third-party-notices.txt`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(await answer.text()).toMatch(/^# Third-party notices\n/);
  });

  it('are sent with exactly the Content-Security-Policy that this test lists', async () => {
    for (const path of ['/', '/process', '/index.html', '/service-worker.js']) {
      const answer = await fetch(open.origin + path, { headers: { accept: 'text/html' } });
      expect(answer.headers.get('content-security-policy'), path).toBe(
        [
          "default-src 'self'",
          "base-uri 'self'",
          "connect-src 'self' blob:",
          "font-src 'self'",
          "form-action 'self'",
          "frame-ancestors 'none'",
          "img-src 'self' data: blob:",
          "manifest-src 'self'",
          "media-src 'self' blob:",
          "object-src 'none'",
          "script-src 'self' 'wasm-unsafe-eval'",
          "script-src-attr 'none'",
          "style-src 'self' 'unsafe-inline'",
          "worker-src 'self'",
        ].join(';'),
      );
    }
  });

  it('come with a service worker that the browser fetches anew on each visit', async () => {
    const answer = await fetch(`${open.origin}/service-worker.js`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    expect(answer.headers.get('content-type')).toMatch(/^(text|application)\/javascript/);
    const manifest = await fetch(`${open.origin}/manifest.webmanifest`);
    expect(manifest.headers.get('content-type')).toMatch(/^application\/manifest\+json/);
  });
});
