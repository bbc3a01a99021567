import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openPage, shareBrowser } from '@chiffchaff/bench/harness/browser';
import { openLine } from '@chiffchaff/bench/harness/line';
import { createAccount, somebody } from '@chiffchaff/bench/harness/people';
import { hoursOfHum } from '@chiffchaff/bench/harness/recordings';
import { type StartedServer, startServer } from '@chiffchaff/bench/harness/server';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let server: StartedServer;
let browser: Browser;

describe('A large recording uploaded by the page', () => {
  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), shareBrowser()]);
  });
  afterAll(() => server?.stop());

  it('is sent in pieces, continues by itself after a lost connection, and leaves no piece behind on the server', async () => {
    const line = await openLine(server.origin);
    const { page, close } = await openPage(browser, line.address, {});
    await createAccount(page, somebody());
    // 36 MB: a first piece of 32, which arrives, and a second.
    const recording = hoursOfHum(1.25);
    line.cutAfter(34_000_000);
    const calls: string[] = [];
    page.on('request', (request) => {
      if (!request.url().includes('/v1/uploads')) return;
      calls.push(request.method());
    });
    const lost = page.waitForEvent('requestfailed', (request) => request.method() === 'PATCH');
    await page.getByLabel('Recording', { exact: true }).and(page.locator('input')).setInputFiles(recording);
    const asked = page.waitForRequest((request) => request.url().endsWith('/get_prediction'));
    await page.getByRole('button', { name: 'Identify', exact: true }).click();
    await lost;
    line.mend();
    const form = (await asked).postData() ?? '';
    expect(form).toContain('name="upload"');
    expect(form).not.toContain('name="file"');
    expect(calls.slice(0, 3)).toEqual(['POST', 'PATCH', 'PATCH']);
    expect(calls).toContain('HEAD');
    expect(calls.at(-1)).toBe('PATCH');
    await page.getByRole('heading', { name: 'Analysing your recording' }).waitFor();
    expect(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('tus')))).toEqual([]);
    // With a bucket there is no such folder; trials of several machines check the bucket for leftovers.
    const folder = join(server.dataDir, 'resumable-uploads');
    if (!process.env.TEST_STORAGE_URL) await expect.poll(() => readdir(folder)).toEqual([]);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await close();
    line.close();
  }, 120_000);
});
