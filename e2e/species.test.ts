import { openPage, shareBrowser } from '@chiffchaff/bench/harness/browser';
import { heading } from '@chiffchaff/bench/harness/people';
import { type StartedServer, startServer } from '@chiffchaff/bench/harness/server';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBarriers } from './accessibility.ts';

describe('Pages about birds', () => {
  let server: StartedServer;
  let browser: Browser;
  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), shareBrowser()]);
  });
  afterAll(() => server?.stop());

  const sidewaysScroll = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

  it.each([
    { width: 1440, colorScheme: 'light', locale: 'en-GB', name: 'Eurasian Wren', range: 'Where it lives' },
    { width: 390, colorScheme: 'dark', locale: 'de-DE', name: 'Zaunkönig', range: 'Wo er lebt' },
    { width: 320, colorScheme: 'light', locale: 'de-DE', name: 'Zaunkönig', range: 'Wo er lebt' },
    { width: 320, colorScheme: 'dark', locale: 'en-GB', name: 'Eurasian Wren', range: 'Where it lives' },
  ] as const)(
    'have a map and a season, are accessible, and request nothing from other origins: $width px, $colorScheme, $locale',
    async (look) => {
      const { width, colorScheme, locale, name, range } = look;
      const { page, faults, close } = await openPage(browser, server.origin, {
        viewport: { width, height: 800 },
        ...{ colorScheme, locale, timezoneId: 'Europe/London' },
      });
      await page.goto('/birds/troglodytes_troglodytes');
      await heading(page, name).waitFor();
      await page.getByRole('heading', { name: range, exact: true }).waitFor();
      await page
        .locator('svg[role="img"][aria-busy="false"] path[data-step="2"]')
        .waitFor({ state: 'attached', timeout: 60_000 });
      await page.locator('[role="img"] > span').first().waitFor({ state: 'attached', timeout: 60_000 });
      expect(new URL(page.url()).pathname).toBe('/birds/Troglodytes_troglodytes');
      expect(await findBarriers(page)).toEqual([]);
      expect(await sidewaysScroll(page)).toBe(0);
      expect(faults).toEqual([]);
      await close();
    },
  );

  it('are found by name in any language, and among the birds around a place', async () => {
    const { page, faults, close } = await openPage(browser, server.origin, {
      ...{ viewport: { width: 390, height: 800 }, locale: 'en-GB', timezoneId: 'Europe/London' },
    });
    await page.goto('/about');
    await page.getByRole('link', { name: 'Birds', exact: true }).click();
    await heading(page, 'Birds').waitFor();
    await page.getByRole('listitem').nth(59).waitFor({ timeout: 60_000 });
    expect(await findBarriers(page)).toEqual([]);
    expect(await sidewaysScroll(page)).toBe(0);
    await page.getByRole('searchbox', { name: 'Find a bird' }).fill('Zaunkönig');
    await page.getByRole('link', { name: 'Eurasian Wren' }).click();
    await heading(page, 'Eurasian Wren').waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Eurasian Wren' }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('lead from another list’s name for a bird to that bird, and say so if no bird has the name', async () => {
    const { page, close } = await openPage(browser, server.origin, { viewport: { width: 1440, height: 800 }, locale: 'en-GB' });
    await page.goto('/birds/Acritillas_indica');
    await page.getByText('You looked for Acritillas indica. The model calls it Iole indica.').waitFor();
    await page.goto('/birds/Rara_avis');
    await heading(page, 'No such bird here').waitFor();
    expect(await page.getByRole('main').textContent()).toContain('“Rara avis”');
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('link', { name: 'Example: Turdus merula' }).click();
    await heading(page, 'Eurasian Blackbird').waitFor();
    await close();
  });
});
