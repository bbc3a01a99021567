import { openPage, shareBrowser } from '@chiffchaff/bench/harness/browser';
import { createAccount, heading, password, passwordField, somebody } from '@chiffchaff/bench/harness/people';
import { fallingNotes } from '@chiffchaff/bench/harness/recordings';
import { type StartedServer, startServer } from '@chiffchaff/bench/harness/server';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBarriers } from './accessibility.ts';
import { item, linkIn, signIn, storedKeys } from './account-actions.ts';

/** Long enough to create an account and analyse a short recording, short enough to wait for its end. */
const shortTtlSeconds = 25;
const looks = [
  { name: 'wide, light theme', viewport: { width: 1280, height: 860 }, colorScheme: 'light' },
  { name: 'narrow, dark theme', viewport: { width: 320, height: 640 }, colorScheme: 'dark' },
] as const;

let browser: Browser;

const path = (page: Page) => new URL(page.url()).pathname;
/** The browser itself logs refused requests to the console, even those a story intends. */
const withoutRefusals = (faults: readonly string[]) =>
  faults.filter((fault) => !/Failed to load resource: the server responded with a status of 40[01]/.test(fault));

describe('The account screens of the page', () => {
  beforeAll(async () => {
    browser = await shareBrowser();
  });

  describe('with a session that lasts seconds', () => {
    let server: StartedServer;
    beforeAll(async () => {
      server = await startServer({ OPEN_PREDICTION: 'false', ID_TOKEN_TTL_SECONDS: String(shortTtlSeconds) });
    });
    afterAll(() => server?.stop());

    it('take a visitor from the first page through sign-up to a result, and sign every tab out when the session expires and in again', {
      tags: ['core'],
    }, async () => {
      const email = somebody();
      const { page, faults, close } = await openPage(browser, server.origin);
      await page.goto('/process');
      await page.waitForURL('/');
      await page.getByRole('checkbox').check();
      await page.getByRole('main').getByRole('link', { name: 'Login' }).click();
      await page.getByRole('button', { name: 'I’m new here' }).click();
      await page.getByLabel('Email address').fill(email);
      await passwordField(page).fill(password);
      expect(await page.getByRole('checkbox').isChecked(), 'as on the first page').toBe(true);
      await page.getByRole('button', { name: 'Create account' }).click();
      await heading(page, 'Which bird was that?').waitFor();
      expect(path(page), 'what was asked for first').toBe('/process');
      expect(await storedKeys(page)).toEqual(['token', 'tokenExpiry', 'user', 'userId']);

      const other = await page.context().newPage();
      await other.goto('/');
      await item(other, 'Logout').waitFor();

      await page.getByLabel('Recording', { exact: true }).and(page.locator('input')).setInputFiles(fallingNotes(3));
      await page.getByRole('button', { name: 'Identify' }).click();
      await page.getByRole('heading', { name: 'Look and listen' }).waitFor();

      await page.getByText('You were signed out. Please sign in again.').waitFor({ timeout: 2000 * shortTtlSeconds });
      expect(path(page)).toBe('/');
      // Only the account's place remains, for its next sign-in.
      expect(await storedKeys(page)).toEqual(['place']);
      await item(other, 'Login').waitFor();

      await page.getByRole('link', { name: 'Sign in' }).click();
      await signIn(page, email);
      await heading(page, 'Which bird was that?').waitFor();
      expect(path(page)).toBe('/process');
      await item(other, 'Logout').waitFor();

      const token = await page.evaluate(() => window.localStorage.getItem('token'));
      await item(other, 'Logout').click();
      await other.getByText('You’re signed out.').waitFor();
      await page.getByText('You signed out in another tab.').waitFor();
      expect(path(page)).toBe('/');
      expect(await storedKeys(page)).toEqual([]);
      // The server has ended the session, too.
      const refusal = () => fetch(`${server.origin}/v1/account/terms`, { headers: { authorization: `Bearer ${token}` } });
      await expect.poll(async () => (await refusal()).status).toBe(401);
      expect(withoutRefusals(faults)).toEqual([]);
      await close();
    });

    it('renew a session that is about to end by a button, or after a reload by the password, without leaving the screen', async () => {
      const { page, close } = await openPage(browser, server.origin);
      await createAccount(page, somebody());
      const expiry = () => page.evaluate(() => window.localStorage.getItem('tokenExpiry') ?? '');
      const first = await expiry();
      await page.getByRole('button', { name: 'Stay signed in' }).click();
      await expect.poll(expiry).not.toBe(first);

      await page.reload();
      await heading(page, 'Which bird was that?').waitFor();
      await page.getByRole('button', { name: 'Search for a town' }).click();
      await page.getByLabel('Date of the recording').fill('2026-05-01');
      await page.getByRole('button', { name: 'Sign in again' }).click();
      const dialog = page.getByRole('dialog', { name: 'Sign in again' });
      await dialog.waitFor();
      expect(await findBarriers(page)).toEqual([]);
      const second = await expiry();
      await dialog.getByLabel('Password', { exact: true }).fill(password);
      await dialog.getByRole('button', { name: 'Sign in' }).click();
      await expect.poll(expiry).not.toBe(second);
      expect(await page.getByLabel('Date of the recording').inputValue()).toBe('2026-05-01');
      await close();
    });

    it('renew a session by themselves after a reload if the user asked to be kept signed in', async () => {
      const email = somebody();
      const { page, close } = await openPage(browser, server.origin);
      await createAccount(page, email);
      await item(page, 'Logout').click();
      await page.getByRole('checkbox', { name: 'Keep me signed in on this device' }).check();
      await signIn(page, email);
      await heading(page, 'Which bird was that?').waitFor();
      expect(await storedKeys(page)).toEqual(['refreshToken', 'token', 'tokenExpiry', 'user', 'userId']);
      // As if the browser had been closed for a day.
      await page.evaluate(() => window.localStorage.setItem('tokenExpiry', '2020-01-01T00:00:00.000Z'));
      await page.reload();
      await heading(page, 'Which bird was that?').waitFor();
      await item(page, 'Logout').click();
      await expect.poll(() => storedKeys(page)).toEqual([]);
      await close();
    });
  });

  describe('with a usual session', () => {
    let server: StartedServer;
    beforeAll(async () => {
      server = await startServer({ OPEN_PREDICTION: 'false', DEV_MAILBOX: 'true' });
    });
    afterAll(() => server?.stop());

    it.each(looks)('are accessible: $name', async ({ name, viewport, colorScheme }) => {
      const { page, faults, close } = await openPage(browser, server.origin, { viewport, colorScheme });
      const look = async (screen: string) => {
        await page.evaluate(() => document.fonts.ready.then(() => {}));
        expect(await findBarriers(page), `${screen}, ${name}`).toEqual([]);
        const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        expect(wider, `${screen}, ${name}: wider than the window by`).toBe(0);
      };
      await page.goto('/login');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByText('Please fill this in.').first().waitFor();
      await look('sign in');
      await page.getByRole('button', { name: 'Forgot your password?' }).click();
      await look('forgotten password');
      await createAccount(page, somebody());
      await page.goto('/account');
      await page.getByText('This device', { exact: true }).waitFor();
      for (const summary of await page.locator('summary').all()) await summary.click();
      await look('account');
      await page.goto('/account/action?mode=verifyEmail&oobCode=unknown');
      await heading(page, 'This link doesn’t work').waitFor();
      await look('link');
      expect(withoutRefusals(faults)).toEqual([]);
      await close();
    });

    it('sign the user out when the machine wakes after the end of the session', async () => {
      const { page, close } = await openPage(browser, server.origin);
      await page.clock.install();
      await createAccount(page, somebody());
      // The clock advanced, the timers did not.
      await page.clock.setSystemTime(Date.now() + 2 * 3_600_000);
      await page.evaluate(() => window.dispatchEvent(new Event('focus')));
      await page.getByText('You were signed out. Please sign in again.').waitFor();
      expect(path(page)).toBe('/');
      expect(await storedKeys(page)).toEqual([]);
      await close();
    });

    it('let the user reset the password by email, and delete the account', async () => {
      const email = somebody();
      const { page, faults, close } = await openPage(browser, server.origin);
      await createAccount(page, email);
      await item(page, 'Logout').click();
      await page.getByRole('button', { name: 'Forgot your password?' }).click();
      await page.getByLabel('Email address').fill(email);
      await page.getByRole('button', { name: 'Send link' }).click();
      await page.getByText(`If ${email} has an account`).waitFor();

      await page.goto(await linkIn(server, email, 'PASSWORD_RESET'));
      await passwordField(page, 'New password').fill('a blackbird at dusk');
      await page.getByRole('button', { name: 'Set new password' }).click();
      await page.getByText('Your password has been changed.').waitFor();
      await page.getByRole('link', { name: 'Sign in' }).click();
      await signIn(page, email);
      await page.getByText('The email address or the password is wrong.').waitFor();
      await signIn(page, email, 'a blackbird at dusk');
      await heading(page, 'Which bird was that?').waitFor();

      await item(page, 'Account').click();
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Download', exact: true }).click();
      expect((await saved).suggestedFilename()).toBe('chiffchaff-account.json');
      await page.getByText('Delete my account…').click();
      await page.getByRole('region', { name: 'Delete account' }).getByLabel('Current password').fill('a blackbird at dusk');
      await page.getByRole('button', { name: 'Delete permanently' }).click();
      await page.getByText('Your account and everything stored with it have been deleted.').waitFor();
      expect(await storedKeys(page)).toEqual([]);
      await signIn(page, email, 'a blackbird at dusk');
      await page.getByText('The email address or the password is wrong.').waitFor();
      expect(withoutRefusals(faults)).toEqual([]);
      await close();
    });

    it('change the email address once the new address is confirmed, and let the owner of the old address undo it', async () => {
      const [former, next] = [somebody(), somebody()];
      const { page, faults, close } = await openPage(browser, server.origin);
      await createAccount(page, former);
      await item(page, 'Account').click();
      await page.getByText('Change email address').click();
      await page.getByLabel('New email address').fill(next);
      await page.getByRole('region', { name: 'Email address' }).getByLabel('Current password').fill(password);
      await page.getByRole('button', { name: 'Send link to new address' }).click();
      await page.getByText(`We’ve sent a link to ${next}.`).waitFor();

      await page.goto(await linkIn(server, next, 'VERIFY_AND_CHANGE_EMAIL'));
      await page.getByRole('button', { name: 'Change address' }).click();
      await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click();
      await signIn(page, next);
      await item(page, 'Account').click();
      await page.getByText('confirmed', { exact: true }).waitFor();

      await page.goto(await linkIn(server, former, 'RECOVER_EMAIL'));
      await page.getByRole('button', { name: 'Restore address' }).click();
      await page.getByText(`The address of your account is ${former} again.`).waitFor();
      await page.goto('/login');
      await signIn(page, former);
      await heading(page, 'Which bird was that?').waitFor();
      expect(withoutRefusals(faults)).toEqual([]);
      await close();
    });

    it('keep the session in which the password is changed, and end those on other devices', async () => {
      const email = somebody();
      const [here, there] = [await openPage(browser, server.origin), await openPage(browser, server.origin)];
      await createAccount(here.page, email);
      await there.page.goto('/login');
      await signIn(there.page, email);
      await heading(there.page, 'Which bird was that?').waitFor();
      await item(here.page, 'Account').click();
      await here.page.getByRole('button', { name: /^Sign out Chrome/ }).waitFor();
      await here.page.getByText('Change password').click();
      const section = here.page.getByRole('region', { name: 'Password' });
      await section.getByLabel('Current password').fill(password);
      await section.getByLabel('New password').fill('a blackbird at dusk');
      await section.getByRole('button', { name: 'Set new password' }).click();
      await here.page.getByText('All your other devices have been signed out.').waitFor();
      await item(there.page, 'Account').click();
      await there.page.getByText('You were signed out. Please sign in again.').waitFor();
      await here.page.reload();
      await heading(here.page, 'Your account').waitFor();
      await here.close();
      await there.close();
    });
  });
});
