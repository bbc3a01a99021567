import { randomUUID } from 'node:crypto';
import { launchBrowser, openPage } from '@chiffchaff/bench/harness/browser';
import { type StartedServer, startServer } from '@chiffchaff/bench/harness/server';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEmulatorClient, emulatorServer, startAtEmulator } from './identity-services.ts';

describe('The page of a server that trusts the Firebase Auth emulator', () => {
  let server: StartedServer;
  let browser: Browser;

  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(emulatorServer), launchBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  const password = 'correct horse';
  const somebody = () => `ada-${randomUUID()}@example.org`;
  async function openLogin(): Promise<{ readonly page: Page; refusedByPolicy(): readonly string[]; close(): Promise<void> }> {
    const { page, faults, close } = await openPage(browser, server.origin);
    await page.goto('/');
    await page.getByRole('checkbox').check();
    await page.getByRole('link', { name: 'Login' }).last().click();
    return { page, close, refusedByPolicy: () => faults.filter((fault) => /refused by|Content Security|CORS/.test(fault)) };
  }

  it('creates an account in the emulator, which can then sign in from anywhere', async () => {
    const email = somebody();
    const { page, refusedByPolicy, close } = await openLogin();
    await page.getByRole('button', { name: 'I’m new here' }).click();
    await page.getByLabel('Email address').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { level: 1, name: 'Which bird was that?' }).waitFor();
    expect(refusedByPolicy()).toEqual([]);
    expect((await createEmulatorClient().signIn({ email, password })).localId).not.toBe('');
    await close();
  });

  // Unless it protects addresses, the emulator's code says which was wrong; the page does not.
  it.each([
    { about: 'also if the emulator has a code for each', isProtected: false },
    { about: 'also if the emulator has one code for both', isProtected: true },
  ])('says the same about a wrong password and an unknown address, $about', async ({ isProtected }) => {
    await startAtEmulator(isProtected);
    const known = somebody();
    await createEmulatorClient().signUp({ email: known, password });
    for (const email of [known, somebody()]) {
      const { page, close } = await openLogin();
      await page.getByLabel('Email address').fill(email);
      await page.getByLabel('Password', { exact: true }).fill('wrong horse');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByText('The email address or the password is wrong.').first().waitFor();
      await close();
    }
  });
});
