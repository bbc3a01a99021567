import { openPage, shareBrowser } from '@chiffchaff/bench/harness/browser';
import { createAccount, password, somebody } from '@chiffchaff/bench/harness/people';
import { type StartedServer, startServer } from '@chiffchaff/bench/harness/server';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBarriers } from './accessibility.ts';

describe('API tokens', () => {
  let server: StartedServer;
  let browser: Browser;
  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer({ OPEN_PREDICTION: 'false' }), shareBrowser()]);
  });
  afterAll(() => server?.stop());

  it('are created and shown once, allow only what their scopes say, and end when they are revoked', async () => {
    const { page, faults, close } = await openPage(browser, server.origin, {
      viewport: { width: 1440, height: 900 },
      colorScheme: 'light',
    });
    await createAccount(page, somebody());
    await page.goto('/account');
    const tokens = page.getByRole('region', { name: 'API tokens' });
    await tokens.getByText('Create a token…').click();
    await tokens.getByLabel('Name of the token').fill('garden recorder');
    await tokens.getByRole('checkbox', { name: /See your results/ }).check();
    await tokens.getByRole('checkbox', { name: /Analyse recordings/ }).uncheck();
    await tokens.getByLabel('Current password').fill(password);
    await tokens.getByRole('button', { name: 'Create token' }).click();
    const secret = await tokens.getByLabel('New token').inputValue();
    expect(secret).toMatch(/^cct_/);
    await tokens.getByText('garden recorder').waitFor();
    expect(await findBarriers(page)).toEqual([]);

    const ask = async (path: string, method = 'GET') => {
      const answer = await fetch(server.origin + path, { method, headers: { authorization: `Bearer ${secret}` } });
      const { code = null } = await answer.json();
      return [answer.status, code];
    };
    expect(await ask('/v1/predictions')).toEqual([200, null]);
    // With `read` alone, it can read results but not create them, and cannot access the account.
    expect(await ask('/get_prediction', 'POST')).toEqual([403, 'API_TOKEN_NOT_ALLOWED']);
    expect(await ask('/v1/account/tokens')).toEqual([403, 'API_TOKEN_NOT_ALLOWED']);

    await page.evaluate(() => {
      const kept = JSON.parse(localStorage.getItem('preferences') ?? '{}');
      localStorage.setItem('preferences', JSON.stringify({ ...kept, language: 'de', theme: 'dark' }));
    });
    await page.setViewportSize({ width: 320, height: 640 });
    await page.reload();
    const inGerman = page.getByRole('region', { name: 'API-Tokens' });
    await inGerman.getByText('garden recorder').waitFor();
    expect(await page.content(), 'shown once').not.toContain(secret);
    await inGerman.getByText('Token erstellen …').click();
    await inGerman.getByRole('button', { name: 'garden recorder widerrufen' }).click();
    expect(await findBarriers(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0);

    await inGerman.getByRole('button', { name: 'Token widerrufen' }).click();
    await inGerman.getByText('garden recorder').waitFor({ state: 'detached' });
    expect(await ask('/v1/predictions')).toEqual([401, 'API_TOKEN_INVALID']);

    await inGerman.getByRole('link', { name: 'Mehr über die API' }).click();
    await page.getByRole('heading', { level: 3, name: 'POST /get_prediction' }).waitFor();
    expect(await page.evaluate(() => document.documentElement.dataset.theme), 'the theme chosen on the page').toBe('dark');
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });
});
