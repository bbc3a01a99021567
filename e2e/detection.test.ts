import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openPage, shareBrowser } from '@chiffchaff/bench/harness/browser';
import { openLine } from '@chiffchaff/bench/harness/line';
import { makeRecording } from '@chiffchaff/bench/harness/make-recording';
import { createAccount, heading, somebody } from '@chiffchaff/bench/harness/people';
import { fallingNotes, type RecordingFile } from '@chiffchaff/bench/harness/recordings';
import { type StartedServer, startServer } from '@chiffchaff/bench/harness/server';
import { createTestServer, type TestServer } from '@chiffchaff/server/testing/test-server';
import { needsSharedFolder } from '@chiffchaff/testing/shared-folder';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { findBarriers } from './accessibility.ts';

let server: StartedServer;
/** A server in this process whose analyzer a test can hold. */
let held: TestServer;
let heldOrigin: string;
let browser: Browser;
let folder: string;

const noRecording: RecordingFile = {
  name: 'song.wav',
  mimeType: 'audio/wav',
  buffer: Buffer.from('This is a text about a bird. '.repeat(40)),
};
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
const chooseFiles = (page: Page, files: string | readonly RecordingFile[]) =>
  page
    .getByLabel('Recording', { exact: true })
    .and(page.locator('input'))
    .setInputFiles(typeof files === 'string' ? files : [...files]);
const answerShows = (page: Page) => page.getByRole('heading', { name: 'Look and listen' }).waitFor();
const focused = (page: Page) => page.evaluate(() => document.activeElement?.tagName);
const sidewaysScroll = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

/** Resolves when the page shows all patterns at the same time, however briefly: a poll could miss what is shown during an analysis. */
const showsAtSomeTime = (page: Page, patterns: readonly string[]) =>
  page.evaluate(
    (wanted) =>
      new Promise<void>((resolve) => {
        const look = (): void => {
          const text = document.body.textContent;
          if (wanted.every((pattern) => new RegExp(pattern).test(text))) resolve();
        };
        new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
      }),
    patterns,
  );

/** Opens the form to choose a recording, without an account. */
async function open(options: Parameters<typeof openPage>[2] = {}) {
  const opened = await openPage(browser, server.origin, options);
  await opened.page.goto('/process');
  await heading(opened.page, 'Which bird was that?').waitFor();
  return opened;
}
/** Opens the form to choose a recording, signed in. */
async function openSignedIn(options: Parameters<typeof openPage>[2] = {}, origin = server.origin) {
  const opened = await openPage(browser, origin, options);
  await createAccount(opened.page, somebody());
  return opened;
}

describe('The Detect Bird screen', () => {
  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), shareBrowser()]);
    held = await createTestServer({ pageFolder: fileURLToPath(new URL('../apps/web/dist', import.meta.url)) });
    heldOrigin = await held.listen();
    folder = await mkdtemp(join(tmpdir(), 'chiffchaff-detection-'));
  });
  afterAll(async () => {
    await held?.close();
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it.each([
    { name: 'light theme, touch', colorScheme: 'light', viewport: { width: 320, height: 640 }, touch: true },
    { name: 'dark theme, mouse', colorScheme: 'dark', viewport: { width: 1280, height: 860 }, touch: false },
  ] as const)('identifies three recordings one after another, by touch and by mouse, and is accessible: $name', async (look) => {
    const { name, colorScheme, viewport, touch } = look;
    const { page, faults, close } = await open({ colorScheme, viewport, hasTouch: touch, isMobile: touch });
    const press = (target: ReturnType<typeof button>) => (touch ? target.tap() : target.click());
    const inspect = async (screen: string) => {
      await page.evaluate(() => document.fonts.ready.then(() => {}));
      expect(await findBarriers(page), screen).toEqual([]);
      expect(await sidewaysScroll(page), `${screen}: wider than the window by`).toBe(0);
    };
    await chooseFiles(page, [fallingNotes(3, '20260501_051200.wav'), noRecording, fallingNotes(2, '20260502_051200.wav')]);
    await press(button(page, 'Search for a town'));
    await page.getByText('Each recording uses the date in its file').waitFor();
    await inspect('choice of three');
    await press(button(page, 'Identify 3 recordings'));
    await page.getByText('2 of 3 analysed. One couldn’t be analysed.').waitFor();
    expect(await page.getByRole('heading', { name: '3 recordings' }).count()).toBe(1);
    await inspect('queue');
    await press(button(page, /^song\.wav/));
    await heading(page, 'That didn’t work').waitFor();
    expect(await focused(page)).toBe('H1');
    if (touch) await press(button(page, 'List'));
    // The table of species below leads to the answer, too.
    await press(button(page, /^20260502_051200\.wav/).first());
    await answerShows(page);
    await page.getByText('How we got this result').click();
    if (touch) await press(button(page, 'List'));
    await press(button(page, 'Remove song.wav'));
    await page.getByText('2 of 2 analysed.').waitFor();
    await press(button(page, 'Clear the list'));
    await heading(page, 'Which bird was that?').waitFor();
    expect(faults.filter((fault) => !/422|The prediction failed|RECORDING_UNSUPPORTED|415/.test(fault))).toEqual([]);
    await close();
  });

  it('accepts files dropped anywhere on it, without leaving the page', async () => {
    const { page, close } = await open();
    await page.evaluate(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['x'], 'dropped.wav'));
      const target = document.querySelector('footer') ?? document.body;
      for (const type of ['dragover', 'drop'])
        target.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
    });
    await page.getByText('dropped.wav').first().waitFor();
    await close();
  });

  it('shows the birds heard so far, and computes the result for another place, by keyboard alone', async (context) => {
    needsSharedFolder(context);
    // The soundscape repeated for ten minutes, which even a fast machine needs seconds for.
    const garden = join(folder, 'garden.flac');
    await makeRecording(garden, { seconds: 600, loopSeconds: 120 });
    const { page, faults, close } = await openSignedIn({ viewport: { width: 1280, height: 900 } });
    const events = page.waitForResponse((response) => new URL(response.url()).pathname.endsWith('/events'));
    const heard = showsAtSomeTime(page, ['\\d+% analysed', 'Found so far']);
    const chooser = page.waitForEvent('filechooser');
    await button(page, 'Choose a recording').focus();
    await page.keyboard.press('Enter');
    await (await chooser).setFiles(garden);
    await button(page, 'Identify').focus();
    await page.keyboard.press('Enter');
    expect((await events).status()).toBe(200);
    await heard;
    await answerShows(page);
    expect(await focused(page)).toBe('H1');

    const before = await page.getByRole('heading', { level: 1 }).textContent();
    await page.locator('summary', { hasText: /Change place|Add the place/ }).focus();
    await page.keyboard.press('Enter');
    const fill = async (label: string, text: string) => {
      await page.getByLabel(label, { exact: true }).focus();
      await page.keyboard.type(text);
    };
    await page.getByText('Advanced', { exact: true }).focus();
    await page.keyboard.press('Enter');
    // The soundscape is from Ithaca; none of its birds is expected in Tasmania.
    await fill('Latitude', '-42');
    await fill('Longitude', '147');
    await page.keyboard.press('Enter');
    await button(page, 'Back to the first result').waitFor();
    // The form is closed, and the focus is where the change can be seen.
    expect(await focused(page)).toBe('H1');
    expect(await button(page, 'Update result').isVisible()).toBe(false);
    await page.getByRole('button', { name: /^Show \d+ less likely birds$/ }).click();
    await page
      .getByText(/^not expected here; .+ if the place is ignored$/)
      .first()
      .waitFor();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).not.toBe(before);
    expect(await findBarriers(page)).toEqual([]);

    await page.route('**/conditions', (route) => route.abort());
    await page.locator('summary', { hasText: /Change place|Add the place/ }).click();
    await button(page, 'Update result').focus();
    await page.keyboard.press('Enter');
    await page.getByText('This is still the previous result.').waitFor();
    expect(faults.filter((fault) => !fault.includes('ERR_FAILED'))).toEqual([]);
    await close();
  });

  it('logs nothing to the console when it requests the events of an upload that the server does not know yet', async () => {
    const { page, faults, close } = await openSignedIn({}, heldOrigin);
    // Admits each recording only after another request for events.
    const arrived: (() => void)[] = [];
    let asked = 0;
    page.on('request', (request) => {
      if (!new URL(request.url()).pathname.endsWith('/events')) return;
      asked += 1;
      arrived.shift()?.();
    });
    const { requireRoom } = held.predictions.queue;
    let letIn = 0;
    vi.spyOn(held.predictions.queue, 'requireRoom').mockImplementation(async (sender) => {
      letIn += 1;
      if (asked < letIn) await new Promise<void>((resolve) => arrived.push(resolve));
      return requireRoom(sender);
    });
    await chooseFiles(
      page,
      [1, 2, 3].map((seconds) => fallingNotes(seconds, `${seconds}.wav`)),
    );
    await button(page, 'Identify 3 recordings').click();
    await page.getByText('3 of 3 analysed.').waitFor();
    vi.restoreAllMocks();
    expect(faults).toEqual([]);
    await close();
  });

  it('continues to wait for the result when the connection is lost after the upload', async () => {
    const gate = held.analyzer.hold();
    const line = await openLine(heldOrigin);
    const { page, close } = await openSignedIn({}, line.address);
    const lost = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/get_prediction'));
    await chooseFiles(page, [fallingNotes(3)]);
    await button(page, 'Identify').click();
    // Waits until the server has the whole recording, because cutting the line would lose data in transit.
    await page
      .getByText(/\d+% analysed/)
      .first()
      .waitFor();
    line.cut();
    await lost;
    gate.release();
    line.mend();
    await answerShows(page);
    expect(await page.getByRole('alert').count()).toBe(0);
    await close();
    line.close();
  });

  it('stops the analysis on the server when the user cancels it, and keeps the chosen file', async () => {
    const gate = held.analyzer.hold();
    const { page, close } = await openSignedIn({}, heldOrigin);
    await chooseFiles(page, [fallingNotes(3, 'garden.wav')]);
    const told = page.waitForRequest((request) => request.method() === 'DELETE');
    const stopped = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/get_prediction'));
    await button(page, 'Identify').click();
    await page.getByRole('heading', { name: 'Analysing your recording' }).waitFor();
    await expect.poll(() => held.analyzer.requests.at(-1)?.content).toContain('WAVE');
    await button(page, 'Cancel').click();
    await stopped;
    const path = new URL((await told).url()).pathname;
    expect(path).toMatch(/^\/v1\/predictions\/[0-9a-f-]{36}$/);
    await heading(page, 'Which bird was that?').waitFor();
    await page.getByText('garden.wav').first().waitFor();
    const authorization = await (await told).headerValue('authorization');
    await expect
      .poll(async () => {
        const list = await fetch(`${heldOrigin}/v1/predictions`, { headers: { authorization: authorization ?? '' } });
        return list.json();
      })
      .toMatchObject({ inWork: [], predictions: [] });
    gate.release();
    await close();
  });

  it.each([
    [
      'a failed request',
      'The server can’t be reached',
      (page: Page) => page.route('**/get_prediction', (route) => route.abort()),
    ],
    [
      'an interrupted transfer',
      'The server can’t be reached',
      (page: Page) => page.route('**/get_prediction', (route) => route.abort('connectionreset')),
    ],
    [
      'another status than 200',
      'this page doesn’t understand',
      (page: Page) => page.route('**/get_prediction', (route) => route.fulfill({ status: 204 })),
    ],
    [
      'a busy server',
      'Please wait 7 seconds',
      (page: Page) =>
        page.route('**/get_prediction', (route) =>
          route.fulfill({
            status: 503,
            headers: { 'retry-after': '7' },
            contentType: 'application/problem+json',
            body: JSON.stringify({
              type: 'about:blank',
              title: 'Busy',
              status: 503,
              detail: 'Too many recordings wait already.',
              instance: 'r-1',
              code: 'SERVER_BUSY',
              retryable: true,
            }),
          }),
        ),
    ],
  ] as const)('explains %s in a sentence', async (_name, sentence, spoil) => {
    const { page, close } = await open();
    await spoil(page);
    await chooseFiles(page, [fallingNotes(1)]);
    await button(page, 'Identify').click();
    await heading(page, 'That didn’t work').waitFor();
    expect(await page.getByRole('alert').textContent()).toContain(sentence);
    expect(await focused(page)).toBe('H1');
    await page.unroute('**/get_prediction');
    if ((await button(page, 'Try again').count()) > 0) {
      await button(page, 'Try again').click();
      await answerShows(page);
    } else await button(page, 'Choose another recording').click();
    await close();
  });

  it('shows HTML in a file name as text', async () => {
    const { page, faults, close } = await open({ viewport: { width: 320, height: 640 } });
    const name = `<img src=x onerror="document.title='taken'">\u202Egpj.${'a'.repeat(200)}.wav`;
    await chooseFiles(page, [fallingNotes(1, name)]);
    await page.getByText('<img src=x').first().waitFor();
    await button(page, 'Identify').click();
    await answerShows(page);
    expect(await page.locator('main img').count()).toBe(0);
    expect(await page.title()).not.toBe('taken');
    expect(await sidewaysScroll(page)).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });

  it('copies a summary of the result', async () => {
    const { page, close } = await open({ permissions: ['clipboard-read', 'clipboard-write'] });
    await chooseFiles(page, [fallingNotes(1)]);
    await button(page, 'Identify').click();
    await answerShows(page);
    await button(page, 'Share').click();
    await button(page, 'Copy text').click();
    await page.getByText('Copied.').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/\n1 second\nIdentified by /);
    await close();
  });
});
