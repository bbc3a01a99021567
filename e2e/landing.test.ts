import { openPage, shareBrowser } from '@chiffchaff/bench/harness/browser';
import { type StartedServer, startServer } from '@chiffchaff/bench/harness/server';
import { exampleTerms } from '@chiffchaff/server/testing/example-terms';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBarriers } from './accessibility.ts';

const looks = [
  { name: 'wide, light theme', viewport: { width: 1280, height: 860 }, colorScheme: 'light' },
  { name: 'wide, dark theme', viewport: { width: 1280, height: 860 }, colorScheme: 'dark' },
  { name: 'narrow, light theme', viewport: { width: 360, height: 740 }, colorScheme: 'light' },
  { name: 'narrow, dark theme', viewport: { width: 320, height: 640 }, colorScheme: 'dark' },
] as const;

let browser: Browser;
let server: StartedServer;

const playButton = (page: Page) => page.getByRole('button', { name: 'Play the example' });
const secondsPlayed = (page: Page) => page.locator('audio').evaluate((audio) => (audio as HTMLAudioElement).currentTime);
const sidewaysScroll = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

describe('The first page, its example and the terms of use', () => {
  beforeAll(async () => {
    [server, browser] = await Promise.all([
      startServer({ OPEN_PREDICTION: 'false' }, { settings: { ...exampleTerms, siteName: '<b onclick="alert(1)">birds</b>' } }),
      shareBrowser(),
    ]);
  });
  afterAll(() => server?.stop());

  it.each(looks)('are accessible and fit the window: $name', async ({ name, viewport, colorScheme }) => {
    const { page, faults, close } = await openPage(browser, server.origin, { viewport, colorScheme });
    const look = async (screen: string) => {
      await page.evaluate(() => document.fonts.ready.then(() => {}));
      expect(await findBarriers(page), `${screen}, ${name}`).toEqual([]);
      expect(await sidewaysScroll(page), `${screen}, ${name}: wider than the window by`).toBe(0);
    };
    await page.goto('/', { waitUntil: 'networkidle' });
    await look('landing');
    await page.goto('/toc');
    await page.getByRole('heading', { name: 'Privacy Policy' }).waitFor();
    await look('terms');
    expect(faults).toEqual([]);
    await close();
  });

  it.each([
    ['en-GB', 640],
    ['de-DE', 320],
  ])('fit the width of the window if text is twice as large: %s, %i px', async (locale, width) => {
    const { page, close } = await openPage(browser, server.origin, { locale, viewport: { width, height: 800 } });
    for (const path of ['/', '/toc']) {
      await page.goto(path, { waitUntil: 'networkidle' });
      await page.addStyleTag({ content: ':root { font-size: 212.5% !important }' });
      expect(await sidewaysScroll(page), path).toBe(0);
    }
    await close();
  });

  it('show the link to Login only while the box about the terms is ticked', async () => {
    const { page, close } = await openPage(browser, server.origin);
    await page.goto('/');
    const login = page.getByRole('main').getByRole('link', { name: 'Login' });
    const box = page.getByRole('checkbox', { name: /I agree to the Terms and Conditions/ });
    await box.waitFor();
    expect(await login.count()).toBe(0);
    await box.check();
    await login.waitFor();
    await box.uncheck();
    await login.waitFor({ state: 'detached' });
    await box.check();
    await page.reload();
    expect(await box.isChecked()).toBe(false);
    await close();
  });

  it.each(['en-GB', 'de-DE'])(
    'lead on a phone, by buttons in sight, to Listen without a tick in the box about the terms, and to that box to upload: %s',
    async (locale) => {
      const { page, close } = await openPage(browser, server.origin, { locale, viewport: { width: 390, height: 844 } });
      await page.goto('/');
      const listen = page.getByRole('main').getByRole('link', { name: /^(Listen now|Jetzt live bestimmen)$/ });
      await listen.waitFor();
      await page.evaluate(() => document.fonts.ready.then(() => {}));
      const { y, height } = (await listen.boundingBox()) ?? { y: Number.NaN, height: Number.NaN };
      expect(y).toBeLessThanOrEqual(420);
      expect(height).toBeGreaterThanOrEqual(56);
      expect((await page.getByRole('main').getByRole('img').first().boundingBox())?.height).toBe(160);
      const upload = page.getByRole('main').getByRole('link', { name: /^(Upload a recording|Aufnahme hochladen)$/ });
      expect((await upload.boundingBox())?.y).toBeLessThan(560);
      await upload.click();
      await expect.poll(async () => (await page.getByRole('checkbox').boundingBox())?.y).toBeLessThan(420);
      await listen.click();
      await page.waitForURL('/listen');
      await close();
    },
  );

  it('lead on a phone held sideways, by buttons in sight above the bar, beside the drawing', async () => {
    const { page, close } = await openPage(browser, server.origin, {
      locale: 'de-DE',
      viewport: { width: 844, height: 390 },
    });
    await page.goto('/');
    const upload = page.getByRole('main').getByRole('link', { name: 'Aufnahme hochladen' });
    await upload.waitFor();
    await page.evaluate(() => document.fonts.ready.then(() => {}));
    const { y, height } = (await upload.boundingBox()) ?? { y: Number.NaN, height: Number.NaN };
    expect(y + height).toBeLessThan(334);
    const drawing = await page.getByRole('main').getByRole('img').first().boundingBox();
    expect((drawing?.y ?? Number.NaN) + (drawing?.height ?? Number.NaN)).toBeLessThan(334);
    await close();
  });

  it('play the example without an account, load it only on request, and move nothing on the page', async () => {
    const { page, faults, close } = await openPage(browser, server.origin, { viewport: { width: 1280, height: 860 } });
    const sounds: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('.opus')) sounds.push(request.url());
    });
    await page.addInitScript(() => {
      const target = window as { shift?: number };
      target.shift = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries())
          target.shift = (target.shift ?? 0) + (entry as PerformanceEntry & { value: number }).value;
      }).observe({ type: 'layout-shift', buffered: true });
    });
    await page.goto('/', { waitUntil: 'networkidle' });
    expect(sounds).toEqual([]);
    await page.getByRole('heading', { name: 'Very likely a Killdeer.' }).waitFor();
    await page.getByText('Powered by BirdNET, K. Lisa Yang').first().waitFor();
    expect(await page.getByRole('link', { name: 'CC0 1.0' }).getAttribute('href')).toContain(
      'creativecommons.org/publicdomain/zero',
    );
    await playButton(page).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => secondsPlayed(page)).toBeGreaterThan(0.5);
    await page.locator('[data-sounding="true"]').getByText('Killdeer').waitFor();
    await page.getByRole('button', { name: 'Pause the example' }).click();
    await playButton(page).waitFor();
    const slider = page.getByRole('slider', { name: 'Position in the example' });
    await slider.focus();
    await page.keyboard.press('End');
    await expect.poll(() => secondsPlayed(page)).toBeGreaterThan(7);
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toBe('0:07.4 of 0:07.5');
    expect(await page.evaluate(() => (window as { shift?: number }).shift ?? 1)).toBeLessThan(0.02);
    expect(faults).toEqual([]);
    await close();
  });

  it('open each section of the terms by the table of contents and by its address', async () => {
    const { page, close } = await openPage(browser, server.origin, { viewport: { width: 1280, height: 860 } });
    const top = (id: string) => page.locator(`#${id}`).evaluate((heading) => heading.getBoundingClientRect().top);
    const focused = () => page.evaluate(() => document.activeElement?.id);
    await page.goto('/toc#privacy');
    await expect.poll(focused).toBe('privacy');
    await expect.poll(() => top('privacy')).toBeLessThan(300);
    expect(await top('privacy')).toBeGreaterThanOrEqual(0);
    await page.getByRole('navigation', { name: 'Contents' }).getByRole('link', { name: 'Governing law' }).click();
    await expect.poll(focused).toBe('law');
    expect(new URL(page.url()).hash).toBe('#law');
    await expect.poll(() => top('law')).toBeLessThan(300);
    expect(await top('law')).toBeGreaterThanOrEqual(0);
    await page.goto('/');
    await page.getByRole('main').getByRole('link', { name: 'Privacy Policy' }).first().click();
    await expect.poll(focused).toBe('privacy');
    await close();
  });

  it('show HTML in the operator’s values as text', async () => {
    const { page, close } = await openPage(browser, server.origin);
    await page.goto('/toc');
    await page.getByText('<b onclick="alert(1)">birds</b>').first().waitFor();
    expect(await page.locator('b[onclick]').count()).toBe(0);
    await page.getByText('the courts in Chemnitz').waitFor();
    expect(await page.locator('mark').count()).toBe(0);
    await close();
  });
});
