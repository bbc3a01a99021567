import { shareBrowser } from '@chiffchaff/bench/harness/browser';
import { createAccount, heading, somebody } from '@chiffchaff/bench/harness/people';
import { type StartedServer, startServer } from '@chiffchaff/bench/harness/server';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBarriers } from './accessibility.ts';

/** What is stored in this browser for recognition on the device, by kind of storage. */
const left = (page: Page) =>
  page.evaluate(async () => ({
    caches: (await caches.keys()).filter((name) => name.startsWith('on-device')),
    items: Object.keys(window.localStorage).filter((key) => key === 'onDevice'),
  }));

describe('The model on this device', () => {
  let server: StartedServer;
  let context: BrowserContext;
  let page: Page;
  const fetched: string[] = [];

  beforeAll(async () => {
    server = await startServer();
    const browser = await shareBrowser();
    context = await browser.newContext({ baseURL: server.origin, locale: 'en-GB', serviceWorkers: 'block' });
    page = await context.newPage();
    page.on('request', (request) => fetched.push(new URL(request.url()).pathname));
    await createAccount(page, somebody());
    await page.goto('/account');
    await heading(page, 'Your account').waitFor();
  });
  afterAll(async () => {
    await context?.close();
    await server?.stop();
  });

  const section = () => page.getByRole('region', { name: 'Recognition on this device' });

  it('is offered with its size, licence and authors, and not downloaded before that is accepted', async () => {
    const button = section().getByRole('button', { name: /^Download \(2\d(\.\d)? MB\)$/ });
    await button.waitFor();
    expect(await section().textContent()).toContain('non-commercial');
    for (const name of ['Licence', 'Authors and changes']) {
      const address = await section().getByRole('link', { name }).getAttribute('href');
      const answer = await context.request.get(address ?? '');
      expect(answer.status()).toBe(200);
      expect((await answer.text()).length).toBeGreaterThan(500);
    }
    expect(fetched.filter((path) => path.endsWith('.data'))).toEqual([]);
    expect(await findBarriers(page)).toEqual([]);
    await page.setViewportSize({ width: 320, height: 700 });
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await findBarriers(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.emulateMedia({ colorScheme: 'light' });
  });

  it('continues an interrupted download, passes its test on the device, and is still installed after a reload', async () => {
    let cuts = 0;
    await page.route('**/audio.web.data', async (route) => {
      cuts += 1;
      if (cuts > 1) return route.continue();
      // A broken connection: fewer bytes than announced.
      const answer = await route.fetch();
      await route.fulfill({ status: 200, body: (await answer.body()).subarray(0, 5_000_000) });
    });
    const ranges: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('.data')) ranges.push(request.headers().range);
    });
    await section()
      .getByRole('button', { name: /^Download/ })
      .click();
    await section()
      .getByText(/^It’s on this device and takes up 2\d(\.\d)? MB/)
      .waitFor({ timeout: 90_000 });
    expect(ranges).toEqual([undefined, 'bytes=5000000-']);
    await page.unroute('**/audio.web.data');
    const before = fetched.length;
    await page.reload();
    await section()
      .getByText(/^It’s on this device/)
      .waitFor();
    expect(fetched.slice(before).filter((path) => path.endsWith('.data'))).toEqual([]);
  });

  it('leaves no file in the browser when it is removed', async () => {
    expect(await left(page)).toEqual({ caches: ['on-device-model', 'on-device-places'], items: ['onDevice'] });
    await section().getByRole('button', { name: 'Remove from this device' }).click();
    await section()
      .getByRole('button', { name: /^Download/ })
      .waitFor();
    expect(await left(page)).toEqual({ caches: [], items: [] });
  });

  it('is refused when the downloaded bytes are not the published ones', async () => {
    await page.route('**/labels.txt', async (route) => {
      const body = await (await route.fetch()).text();
      await route.fulfill({ status: 200, body: body.replace('a', 'b') });
    });
    await section()
      .getByRole('button', { name: /^Download/ })
      .click();
    await section().getByText('The download was damaged and has been discarded').waitFor({ timeout: 60_000 });
    await page.unroute('**/labels.txt');
  });

  it('is described in German to a German browser', async () => {
    await page.evaluate(() => window.localStorage.setItem('preferences', JSON.stringify({ language: 'de' })));
    await page.setViewportSize({ width: 320, height: 700 });
    await page.reload();
    const region = page.getByRole('region', { name: 'Erkennung auf diesem Gerät' });
    await region.getByRole('button', { name: /^Herunterladen \(2/ }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  });
});
