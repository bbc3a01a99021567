import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openPage, shareBrowser } from '@chiffchaff/bench/harness/browser';
import { heading } from '@chiffchaff/bench/harness/people';
import { makeDataFolder, type StartedServer, startServer } from '@chiffchaff/bench/harness/server';
import { storesOf } from '@chiffchaff/server/testing/test-stores';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBarriers } from './accessibility.ts';

const looks = [
  { name: 'wide, light theme', viewport: { width: 1440, height: 900 }, colorScheme: 'light', locale: 'en-GB' },
  { name: 'phone, dark theme', viewport: { width: 390, height: 844 }, colorScheme: 'dark', locale: 'de-DE' },
  { name: 'narrow, light theme', viewport: { width: 320, height: 640 }, colorScheme: 'light', locale: 'de-DE' },
  { name: 'wide, dark theme', viewport: { width: 1440, height: 900 }, colorScheme: 'dark', locale: 'en-GB' },
] as const;
const titles = { 'en-GB': 'Set up this server', 'de-DE': 'Diesen Server einrichten' } as const;
const codePattern = /enter the code\n {2}(\S+)\n/;

describe('The set-up page', () => {
  let server: StartedServer;
  let browser: Browser;
  const codeOf = (started: StartedServer): string => codePattern.exec(started.written())?.[1] ?? '';
  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer({}, { settings: { county: 'Chemnitz' } }), shareBrowser()]);
  });
  afterAll(() => server?.stop());

  async function look(page: Page, screen: string, name: string): Promise<void> {
    await page.evaluate(() => document.fonts.ready.then(() => {}));
    expect(await findBarriers(page), `${screen}, ${name}`).toEqual([]);
    const sideways = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(sideways, `${screen}, ${name}: wider than the window by`).toBe(0);
  }
  const enterCode = async (page: Page) => {
    await page.locator('input[name=code]').fill(codeOf(server));
    await page.locator('input[name=code]').press('Enter');
    await page.locator('input[name=siteName]').waitFor();
  };

  it.each(looks)('asks for the set-up code, shows what can be set, and is accessible: $name', async ({ name, ...options }) => {
    const { page, close } = await openPage(browser, server.origin, options);
    await page.goto('/setup');
    await heading(page, titles[options.locale]).waitFor();
    await page.locator('input[name=code]').waitFor();
    await look(page, 'code', name);
    await enterCode(page);
    await page.getByRole('button', { name: /Preview the terms|Vorschau der/ }).click();
    await page.locator('mark').first().waitFor();
    await look(page, 'form', name);
    await close();
  });

  it('refuses a wrong code, saves the settings with the right code, and is closed afterwards', async () => {
    const { page, close } = await openPage(browser, server.origin, { viewport: { width: 390, height: 844 } });
    await page.goto('/setup');
    await page.locator('input[name=code]').fill('0'.repeat(32));
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('This is not the set-up code. Tries left: 4.').waitFor();
    await enterCode(page);
    await page.getByText('Set in the server’s settings file (SETTINGS_FILE)').waitFor();
    await page.getByText('Email isn’t set up').waitFor();
    await page.getByLabel('Name of the site').fill('Birds of Chemnitz');
    await page.getByLabel('Years to bring a claim').fill('99');
    await page.getByRole('combobox', { name: 'Place' }).fill('Chemnitz');
    await page
      .getByRole('option', { name: /Chemnitz/ })
      .first()
      .click({ timeout: 60_000 });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Some fields aren’t valid.').waitFor();
    expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('disputeYears');
    await page.getByLabel('Years to bring a claim').fill('3');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Your server is set up' }).waitFor();
    await look(page, 'done', 'phone, light theme');
    const config = await page.evaluate(async () => (await fetch('/config.json')).json());
    expect(config).toMatchObject({
      terms: { siteName: 'Birds of Chemnitz' },
      defaultPlace: { name: 'Chemnitz' },
    });
    // Asks with fetch, because in the browser the service worker would answer.
    expect((await fetch(`${server.origin}/setup`, { headers: { accept: 'text/html' } })).status).toBe(404);
    await page.goto('/setup');
    await page.getByText('Set-up is closed').waitFor();
    await look(page, 'closed', 'phone, light theme');
    expect(
      server
        .written()
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .join(),
    ).not.toContain(codeOf(server));
    await close();
  }, 120_000);
});

const members = [
  { ...looks[0], email: 'ada@example.org', create: 'Create an account', password: 'Password' },
  { ...looks[2], email: 'elster@example.org', create: 'Konto anlegen', password: 'Passwort' },
] as const;

describe('An invited person', () => {
  const admin = fileURLToPath(new URL('../apps/server/src/admin/main.ts', import.meta.url));
  let server: StartedServer;
  let browser: Browser;
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await makeDataFolder();
    const environment = { SIGN_UP: 'invite', OPEN_PREDICTION: 'false' };
    [server, browser] = await Promise.all([startServer(environment, { dataDir }), shareBrowser()]);
  });
  afterAll(async () => {
    await server?.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  async function invite(email: string): Promise<string> {
    const env = {
      PATH: process.env.PATH,
      ...(await storesOf(dataDir)),
      DATA_DIR: dataDir,
      SIGN_UP: 'invite',
      PUBLIC_URL: server.origin,
    };
    const { stdout } = await promisify(execFile)(process.execPath, [admin, 'invite', email], { env });
    return /http\S+/.exec(stdout)?.[0] ?? '';
  }

  it.each(members)(
    'creates an account by the invitation link: $name, $locale',
    async ({ name, email, create, password, ...options }) => {
      const link = await invite(email);
      const { page, close } = await openPage(browser, server.origin, options);
      await page.goto(link);
      await heading(page, create).waitFor();
      expect(await page.locator('input[type=email]').inputValue()).toBe(email);
      await page.evaluate(() => document.fonts.ready.then(() => {}));
      expect(await findBarriers(page), name).toEqual([]);
      await page.getByLabel(password, { exact: true }).fill('two short notes');
      await page.getByRole('checkbox').check();
      await page.locator('form button[type=submit]').click();
      await page.waitForURL('**/process');
      // The link is used up and creates no second account.
      const inviteCode = new URLSearchParams(new URL(link).hash.slice(1)).get('invitation');
      const body = JSON.stringify({ email, password: 'two short notes', inviteCode });
      const again = await fetch(`${server.origin}/v1/accounts:signUp?key=any`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      expect(await again.json()).toMatchObject({ error: { message: 'USED_INVITATION' } });
      await close();
    },
  );
});
