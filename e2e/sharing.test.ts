import { openPage, shareBrowser } from '@chiffchaff/bench/harness/browser';
import { createAccount, somebody } from '@chiffchaff/bench/harness/people';
import { soundscape } from '@chiffchaff/bench/harness/recordings';
import { type StartedServer, startServer } from '@chiffchaff/bench/harness/server';
import { needsSharedFolder } from '@chiffchaff/testing/shared-folder';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBarriers } from './accessibility.ts';

let server: StartedServer;
let browser: Browser;

describe('Public links to a result', () => {
  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), shareBrowser()]);
  });
  afterAll(() => server?.stop());

  it('are created, open with audio for a visitor without an account, and are revoked', { timeout: 180_000 }, async (context) => {
    needsSharedFolder(context);
    const owner = await openPage(browser, server.origin, { viewport: { width: 1440, height: 900 } });
    const { page } = owner;
    await createAccount(page, somebody());
    await page.goto('/process');
    await page.getByLabel('Recording', { exact: true }).and(page.locator('input')).setInputFiles(soundscape);
    await page.getByRole('button', { name: /^(Listen|Identify)$/ }).click();
    await page.getByRole('heading', { name: 'Look and listen' }).waitFor();
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByLabel('Include sound').check();
    await page.getByRole('button', { name: 'Create link', exact: true }).click();
    const address = await page.getByRole('textbox', { name: 'Link', exact: true }).inputValue();
    expect(address).toMatch(/\/shared\/[\w-]{22}$/);
    expect(await findBarriers(page)).toEqual([]);

    for (const colorScheme of ['light', 'dark'] as const) {
      for (const [locale, width] of [
        ['en-GB', 1440],
        ['de-DE', 390],
        ['en-GB', 320],
      ] as const) {
        const stranger = await openPage(browser, server.origin, { viewport: { width, height: 844 }, colorScheme, locale });
        const tokens: unknown[] = [];
        stranger.page.on('request', (request) => {
          if (request.url().includes('/v1/shared/')) tokens.push(request.headers().authorization);
        });
        const opened = await stranger.page.goto(address);
        expect(opened?.status()).toBe(200);
        expect(opened?.headers()['x-robots-tag']).toContain('noindex');
        const play = stranger.page.getByRole('button', { name: locale === 'de-DE' ? /abspielen$/ : /^Play / }).first();
        await play.waitFor();
        const sound = stranger.page.waitForResponse((response) => response.url().includes('/sound/'));
        await play.click();
        expect([200, 206]).toContain((await sound).status());
        await stranger.page.getByRole('button', { name: locale === 'de-DE' ? /anhalten$/ : /^Stop / }).waitFor();
        expect(tokens.filter((token) => token !== undefined)).toEqual([]);
        expect(await findBarriers(stranger.page)).toEqual([]);
        expect(await stranger.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(
          0,
        );
        await stranger.close();
      }
    }

    await page.goto('/account');
    const links = page.getByRole('region', { name: 'Public links' });
    await links.getByRole('button', { name: /^Revoke/ }).click();
    await links.getByRole('button', { name: 'Revoke', exact: true }).click();
    await links.getByText('You haven’t created any public links.').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await owner.close();
    const late = await openPage(browser, server.origin, { viewport: { width: 390, height: 844 } });
    expect((await late.page.goto(address))?.status()).toBe(404);
    await late.page.getByRole('heading', { name: 'This link doesn’t work' }).waitFor();
    await late.close();
  });
});
