import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchBrowser, openPage } from '@chiffchaff/bench/harness/browser';
import { makeRecording } from '@chiffchaff/bench/harness/make-recording';
import { signUp, somebody } from '@chiffchaff/bench/harness/people';
import { fallingNotes } from '@chiffchaff/bench/harness/recordings';
import { type StartedServer, startServer } from '@chiffchaff/bench/harness/server';
import { needsSharedFolder } from '@chiffchaff/testing/shared-folder';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { findBarriers } from './accessibility.ts';
import { startFront } from './front.ts';

const SECONDS = 40;

interface Heard {
  readonly detections: readonly { readonly commonName: string; readonly startSeconds: number }[];
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const start = (page: Page) => page.getByRole('button', { name: 'Start listening' });
const row = (page: Page, species: string) =>
  page.getByRole('list', { name: 'Birds heard' }).getByRole('button', { name: species });
const sessionIn = (page: Page) => page.getByRole('button', { name: /^Open the recording from/ });

/** Opens the listening screen and downloads the model to the device. */
async function openListening(page: Page): Promise<void> {
  await page.goto('/listen');
  await heading(page, 'Listen with this device').waitFor();
  await start(page)
    .or(page.getByRole('button', { name: /^Download \(/ }))
    .click({ timeout: 60_000, trial: true });
  if (await start(page).isVisible()) return;
  await page.getByRole('button', { name: /^Download \(/ }).click();
  await start(page).waitFor({ timeout: 90_000 });
}

/** Names of the recorded sessions on the device: their start times. */
const beginnings = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    const recordings = await (await navigator.storage.getDirectory()).getDirectoryHandle('recordings');
    const names: string[] = [];
    for await (const name of recordings.keys()) names.push(name);
    return names;
  });

const timeOf = (id: string): number =>
  Date.parse(id.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z$/, '$1-$2-$3T$4:$5:$6.$7Z'));

/** From now on, records when each species first had a row. */
const watchRows = (page: Page) =>
  page.evaluate(() => {
    const seen: { [species: string]: number } = {};
    Object.assign(window, { seen });
    new MutationObserver(() => {
      for (const { dataset } of document.querySelectorAll<HTMLElement>('li[data-species]')) {
        seen[dataset.species ?? ''] ??= Date.now();
      }
    }).observe(document.body, { subtree: true, childList: true });
  });

/** What a second tap on *Stop* would press when its result has taken its place; null if nothing. */
const watchBelowStop = (page: Page): Promise<string | null> =>
  page.getByRole('button', { name: 'Stop', exact: true }).evaluate(async (stop) => {
    const { left, right, top, bottom } = stop.getBoundingClientRect();
    while (stop.isConnected) await new Promise(requestAnimationFrame);
    const below = document.elementFromPoint((left + 2 * right) / 3, (top + 2 * bottom) / 3);
    return below?.closest('a, button')?.textContent ?? null;
  });

describe('Live listening', () => {
  let server: StartedServer;
  let browser: Browser;
  let folder: string;
  let ofServer: Heard;

  let opened: Promise<void> | undefined;

  async function open(): Promise<void> {
    folder = await mkdtemp(join(tmpdir(), 'chiffchaff-listen-'));
    const sound = join(folder, 'garden.wav');
    await makeRecording(sound, { seconds: SECONDS });
    server = await startServer();
    browser = await launchBrowser([
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
      `--use-file-for-fake-audio-capture=${sound}`,
    ]);
    const form = new FormData();
    form.set('file', new Blob([await readFile(sound)]), 'garden.wav');
    const answered = await fetch(`${server.origin}/get_prediction`, { method: 'POST', body: form });
    ofServer = await answered.json();
  }
  beforeEach(async (context) => {
    needsSharedFolder(context);
    opened ??= open();
    await opened;
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });
  const on = (options: BrowserContextOptions = {}) =>
    openPage(browser, server.origin, { permissions: ['microphone'], ...options });

  it('names birds while they sing without contacting the server, and ends with the result that the server would give', {
    timeout: 300_000,
  }, async () => {
    const { page, close } = await on({ viewport: { width: 1440, height: 900 } });
    await openListening(page);
    expect(await findBarriers(page)).toEqual([]);
    await watchRows(page);
    await start(page).click();
    await page.getByRole('timer').waitFor({ timeout: 60_000 });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await row(page, 'House Finch').waitFor({ timeout: 60_000 });
    expect(await findBarriers(page)).toEqual([]);

    const [id = ''] = await beginnings(page);
    const seen = await page.evaluate(() => Object(window).seen as { readonly [species: string]: number });
    const rowSeconds = (species: string) => ((seen[species] ?? Number.NaN) - timeOf(id)) / 1000;
    // A row appears at most a second after the first three seconds with the bird; the chickadee calls from the first second on.
    expect(rowSeconds('Poecile atricapillus')).toBeLessThan(4);
    const finch = ofServer.detections.find(({ commonName }) => commonName === 'House Finch')?.startSeconds ?? Number.NaN;
    expect(rowSeconds('Haemorhous mexicanus')).toBeLessThan(finch + 4);

    // The page may load fonts and icons late, but requests no answer or place and sends no audio.
    expect(asked.filter((path) => !/^\/(assets\/|favicon)/.test(path))).toEqual([]);
    await row(page, 'House Finch').click();
    const sheet = page.getByRole('dialog', { name: 'House Finch' });
    await sheet.getByRole('button', { name: 'Play', exact: true }).and(sheet.locator(':not([aria-disabled="true"])')).click();
    await page.getByText('Recognition pauses while this plays').waitFor();
    await page.getByText('Recognition pauses while this plays').waitFor({ state: 'hidden' });
    await sheet.getByRole('button', { name: 'Yes, that was it' }).click();
    expect(await findBarriers(page)).toEqual([]);
    await sheet.getByRole('button', { name: 'Close' }).click();
    await row(page, 'House Finch').getByRole('img', { name: 'Confirmed by you' }).waitFor();
    await expect.poll(() => page.getByRole('timer').textContent()).toMatch(/^(0:[3-5]|[1-9]:)/);
    // The sheet asks about the bird; the address in an address is that of its moment, in the page.
    expect(asked.filter((path) => !/^(\/(assets|v1\/(species|models))\/|\/favicon|http:)/.test(path))).toEqual([]);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByRole('slider', { name: 'Position in the recording' }).waitFor({ timeout: 60_000 });
    await page.getByText('1 confirmed').waitFor();
    expect(await findBarriers(page)).toEqual([]);

    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download the sound' }).click();
    const bytes = await readFile(await (await saved).path());
    expect(bytes.subarray(0, 4).toString()).toBe('RIFF');
    expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8);
    expect(bytes.includes('GUANO|Version:1.0')).toBe(true);

    const table = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download', exact: true }).click();
    await page.getByRole('button', { name: 'JSON' }).click();
    const ofDevice: Heard = JSON.parse(await readFile(await (await table).path(), 'utf8'));
    for (const species of ['Black-capped Chickadee', 'House Finch']) {
      const [here, there] = [ofDevice, ofServer].map(({ detections }) =>
        detections.find(({ commonName }) => commonName === species),
      );
      expect(Math.abs((here?.startSeconds ?? Number.NaN) - (there?.startSeconds ?? 0)), species).toBeLessThanOrEqual(1.5);
    }
    await page.getByRole('button', { name: 'Discard', exact: true }).click();
    await page.getByRole('button', { name: 'Yes, discard' }).click();
    await heading(page, 'Listen with this device').waitFor();
    expect(await beginnings(page)).toEqual([]);
    await close();
  });

  it('loses at most five seconds of audio when its tab is killed, and offers the rest on the next visit', {
    timeout: 240_000,
  }, async () => {
    const { page, close } = await on({ viewport: { width: 320, height: 640 }, colorScheme: 'dark' });
    await openListening(page);
    await start(page).click();
    await expect.poll(() => page.getByRole('timer').textContent()).toBe('0:08');
    expect(await findBarriers(page)).toEqual([]);
    const next = await page.context().newPage();
    const killer = await page.context().newCDPSession(page);
    const killedMs = Date.now();
    const [id = ''] = await beginnings(next.url() === 'about:blank' ? page : next);
    const crashed = page.waitForEvent('crash');
    killer.send('Page.crash').catch(() => {});
    await crashed;
    await next.goto('/listen');
    await sessionIn(next).waitFor();
    const seconds = await next.evaluate(async (session) => {
      const recordings = await (await navigator.storage.getDirectory()).getDirectoryHandle('recordings');
      const sound = await (await recordings.getDirectoryHandle(session)).getFileHandle('sound.wav');
      return ((await sound.getFile()).size - 44) / 96_000;
    }, id);
    const elapsed = (killedMs - timeOf(id)) / 1000;
    expect(elapsed - seconds).toBeLessThan(5);
    expect(seconds).toBeGreaterThan(3);
    expect(await findBarriers(next)).toEqual([]);
    await sessionIn(next).click();
    await next.getByRole('slider', { name: 'Position in the recording' }).waitFor({ timeout: 90_000 });
    await close();
  });

  it('ends on Stop, leaves nothing in its place for a second tap, and saves to the account that the user then creates', {
    timeout: 240_000,
  }, async () => {
    const { page, close } = await on({ viewport: { width: 390, height: 844 } });
    await openListening(page);
    await start(page).click();
    await expect.poll(() => page.getByRole('timer').textContent()).toBe('0:06');
    const below = watchBelowStop(page);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    expect(await below).toBeNull();
    const arrived = page.waitForResponse((response) => response.url().endsWith('/get_prediction') && response.ok());
    await page.getByRole('link', { name: 'Sign in to save or correct it' }).first().click({ timeout: 60_000 });
    await signUp(page, somebody());
    // The first until it has arrived, which may be at once.
    await page.getByText(/^Saved (on this device|to your history)\./).waitFor({ timeout: 60_000 });
    expect(await findBarriers(page)).toEqual([]);
    await arrived;
    await page.getByRole('link', { name: 'History' }).last().click();
    await page
      .getByRole('link', { name: /Black-capped Chickadee/ })
      .first()
      .waitFor({ timeout: 60_000 });
    expect(await beginnings(page)).toEqual([]);
    await close();
  });

  it('starts, names birds and shows the recording without a connection', { timeout: 240_000 }, async () => {
    const front = await startFront(server.origin);
    const context = await browser.newContext({ baseURL: front.origin, permissions: ['microphone'], locale: 'de-DE' });
    const page = await context.newPage();
    await page.goto('/listen');
    await page.getByRole('button', { name: /^Herunterladen \(/ }).click({ timeout: 60_000 });
    await page.getByRole('button', { name: 'Live starten', exact: true }).waitFor({ timeout: 90_000 });
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => {}));
    await front.cutOff();
    const next = await context.newPage();
    await next.goto('/listen');
    await next.getByRole('button', { name: 'Live starten', exact: true }).click({ timeout: 60_000 });
    const chickadee = next.locator('li[data-species="Poecile atricapillus"]');
    await chickadee.waitFor({ timeout: 60_000 });
    // On a phone that is held sideways, birds have room beside the picture.
    await next.setViewportSize({ width: 844, height: 390 });
    await expect.poll(() => chickadee.evaluate((bird) => bird.closest('div')?.clientHeight)).toBeGreaterThan(300);
    await next.setViewportSize({ width: 1280, height: 720 });
    await next.getByRole('button', { name: 'Beenden', exact: true }).click();
    await next.getByRole('slider').first().waitFor({ timeout: 60_000 });
    expect(await findBarriers(next)).toEqual([]);
    await context.close();
  });

  it('says that access to the microphone was refused, and starts once it is allowed', { timeout: 180_000 }, async () => {
    const { page, close } = await on();
    await page.addInitScript(() => {
      const { mediaDevices } = navigator;
      const given = mediaDevices.getUserMedia.bind(mediaDevices);
      let isRefused = true;
      mediaDevices.getUserMedia = async (wished) => {
        if (!isRefused) return given(wished);
        isRefused = false;
        throw new DOMException('Permission denied', 'NotAllowedError');
      };
    });
    await openListening(page);
    await start(page).click();
    await page.getByRole('alert').getByText('This page isn’t allowed to use the microphone').waitFor({ timeout: 60_000 });
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('timer').waitFor();
    await close();
  });

  it('says that it needs https when the page was opened over http, where uploading still works', async () => {
    const { page, close } = await on();
    await page.addInitScript(() => Object.defineProperty(window, 'isSecureContext', { value: false }));
    await page.goto('/listen');
    await page.getByRole('alert').getByText('Listening here needs an https address').waitFor();
    await page.getByRole('link', { name: 'Upload a recording instead' }).click();
    await page.getByLabel('Recording', { exact: true }).and(page.locator('input')).setInputFiles(fallingNotes(4));
    await page.getByRole('button', { name: 'Identify' }).click();
    await page.getByRole('heading', { name: 'Look and listen' }).waitFor({ timeout: 60_000 });
    await close();
  });
});
