import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPage, shareBrowser } from '@chiffchaff/bench/harness/browser';
import { makeRecording } from '@chiffchaff/bench/harness/make-recording';
import { createAccount, somebody } from '@chiffchaff/bench/harness/people';
import { fallingNotes } from '@chiffchaff/bench/harness/recordings';
import { makeDataFolder, type StartedServer, startServer } from '@chiffchaff/bench/harness/server';
import { needsSharedFolder } from '@chiffchaff/testing/shared-folder';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBarriers } from './accessibility.ts';
import { sampleAnswer, sampleBird, sampleDetection } from './sample-answer.ts';

/** Longer than a lane's place for it on a phone. */
const LONG_NAME = 'Northern Robin of the Woods and Gardens of the Old World';

const plotOf = (page: Page) => page.getByRole('slider', { name: 'Position in the recording' });
const positionOf = (plot: Locator) => plot.getAttribute('aria-valuetext');
/** The browser logs 503 responses while audio is being prepared; these are not faults. */
const isBad = (fault: string) => /^(uncaught|request to)|refused by/.test(fault);
/** The start of the visible timeline and its span, in seconds. */
const viewOf = (plot: Locator) =>
  plot.evaluate((element) => {
    const { style } = element.querySelector<HTMLElement>('[data-testid="playhead"]') ?? element;
    return { from: Number(style.getPropertyValue('--from')), span: Number(style.getPropertyValue('--span')) };
  });
/** The number of different colours in the picture: one if nothing is drawn. */
const coloursIn = (page: Page) =>
  page
    .getByRole('slider', { name: 'Position in the recording' })
    .locator('canvas')
    .evaluate((canvas) => {
      if (!(canvas instanceof HTMLCanvasElement)) return 0;
      const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true });
      copy?.drawImage(canvas, 0, 0);
      const pixels = copy?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
      return new Set(new Uint32Array(new Uint8ClampedArray(pixels).buffer)).size;
    });

async function choose(page: Page, file: ReturnType<typeof fallingNotes> | string): Promise<void> {
  await page.getByLabel('Recording', { exact: true }).and(page.locator('input')).setInputFiles(file);
}

async function listenTo(page: Page, file: ReturnType<typeof fallingNotes> | string): Promise<Locator> {
  await choose(page, file);
  return listen(page);
}

async function listen(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: 'Identify' }).click();
  const plot = plotOf(page);
  await plot.waitFor({ timeout: 240_000 });
  await page.waitForFunction(() => performance.getEntriesByName('spectrogram-drawn').length > 0, null, { timeout: 120_000 });
  await plot.scrollIntoViewIfNeeded();
  return plot;
}

const keepForHalfAnHour = (page: Page) => page.getByRole('checkbox', { name: 'Keep it for half an hour so that I can listen' });

describe('The timeline of a recording', () => {
  let server: StartedServer;
  let browser: Browser;
  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer({ OPEN_PREDICTION: 'false' }), shareBrowser()]);
  });
  afterAll(() => server?.stop());

  it('moves its playhead, zooms and is dragged, by mouse, by touch and by keyboard', async () => {
    const { page, faults, close } = await openPage(browser, server.origin, { viewport: { width: 1000, height: 860 } });
    await createAccount(page, somebody());
    const plot = await listenTo(page, fallingNotes(20));
    expect(await coloursIn(page)).toBeGreaterThan(50);
    expect(await viewOf(plot)).toEqual({ from: 0, span: 20 });
    const box = await plot.boundingBox();
    if (!box) throw new Error('The timeline has no place');
    const y = box.y + 40;

    await page.mouse.click(box.x + box.width / 4, y);
    await expect.poll(() => positionOf(plot)).toMatch(/^0:0(5\.0|4\.9) of/);
    await page.keyboard.press('+');
    await expect.poll(async () => (await viewOf(plot)).span).toBeCloseTo(12.5);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Shift+ArrowRight');
    await expect.poll(() => positionOf(plot)).toMatch(/^0:06\.[01] of/);

    const before = await viewOf(plot);
    await page.mouse.move(box.x + box.width * 0.8, y);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.4, y, { steps: 5 });
    await page.mouse.up();
    const dragged = await viewOf(plot);
    expect(dragged.from - before.from).toBeCloseTo(0.4 * before.span, 1);
    expect(await positionOf(plot)).toMatch(/^0:06\.[01] of/);

    // A pinch that spreads two fingers by half.
    const touch = await page.context().newCDPSession(page);
    const fingers = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...places: readonly number[]) =>
      touch.send('Input.dispatchTouchEvent', { type, touchPoints: places.map((x, id) => ({ x: box.x + x, y, id })) });
    await fingers('touchStart', 200, 400);
    await fingers('touchMove', 180, 420);
    await fingers('touchMove', 150, 450);
    await fingers('touchEnd');
    await expect.poll(async () => (await viewOf(plot)).span).toBeLessThan(dragged.span / 1.3);

    await page.keyboard.press('-');
    await page.keyboard.press('-');
    await page.keyboard.press('-');
    await page.keyboard.press('-');
    await expect.poll(() => viewOf(plot)).toEqual({ from: 0, span: 20 });
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    await page.keyboard.press('p'); // letters are not shortcuts
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();

    const ink = await coloursIn(page);
    await page.getByRole('button', { name: 'Picture and sound' }).click();
    await page.getByRole('checkbox', { name: 'In colour, yellow on purple' }).check();
    await expect.poll(() => coloursIn(page)).not.toBe(ink);
    expect(faults.filter(isBad)).toEqual([]);
    await close();
  });

  it('has one stop of the Tab key for all detections, and arrow keys to move among them', async () => {
    const { page, faults, close } = await openPage(browser, server.origin, { viewport: { width: 390, height: 844 } });
    await createAccount(page, somebody());
    const [wren, robin] = [sampleBird(1, 'Winter Wren', 10, 0.95), sampleBird(2, LONG_NAME, 0, 0.8)];
    const faint = { ...sampleBird(3, 'Faint Crow', 40, 0.2), confidenceWord: 'none' as const };
    const detections = [
      ...[10, 30, 50].map((start) => sampleDetection(wren, start)),
      ...[0, 28].map((start) => sampleDetection(robin, start)),
      ...[40, 46].map((start) => sampleDetection(faint, start)),
    ];
    await page.route('**/get_prediction', (route) => route.fulfill({ json: sampleAnswer(60, [wren, robin], detections) }));
    const plot = await listenTo(page, fallingNotes(60));
    const lanes = page.getByRole('list', { name: 'Detections, one row for each bird' });
    const focused = () => page.evaluate(() => document.activeElement?.textContent);

    // Tab: the link past it, the tools, the picture, the lanes, and on.
    const skip = page.getByRole('link', { name: 'Skip the timeline' });
    await skip.focus();
    await expect.poll(() => skip.evaluate((link) => link.getBoundingClientRect().height)).toBeGreaterThan(40);
    const address = page.url();
    await page.keyboard.press('Enter');
    expect(await focused()).toMatch(/ in 60 seconds, plus one less likely bird\.$/);
    expect(page.url()).toBe(address);

    await plot.focus();
    await page.keyboard.press('Tab');
    expect(await focused()).toMatch(/^Winter Wren, 0:10.0 to 0:16.0/);
    await page.keyboard.press('ArrowRight');
    expect(await focused()).toMatch(/^Winter Wren, 0:30.0/);
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toContain(`${LONG_NAME}, 0:28.0`);
    await page.keyboard.press('Home');
    expect(await focused()).toContain(`${LONG_NAME}, 0:00.0`);
    expect(await positionOf(plot)).toMatch(/^0:00.0 of/);
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('How we got this result');
    await page.getByRole('button', { name: 'Show one less likely bird' }).click();
    await plot.focus();
    await page.keyboard.press('Tab');
    expect(await focused()).toContain(`${LONG_NAME}, 0:00.0`);
    await page.keyboard.press('ArrowDown');
    // Too close together for two buttons, until it zooms in.
    expect(await focused()).toMatch(/^Faint Crow, 2 detections close together/);
    await page.keyboard.press('Enter');
    await expect.poll(focused).toMatch(/^Faint Crow, 0:40.0/);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowUp');
    await expect.poll(focused).toMatch(/^Winter Wren, 0:30.0/);
    // What has the focus is brought into view.
    await expect.poll(async () => (await viewOf(plot)).from).toBeLessThan(30);
    await page.keyboard.press('Enter');
    await expect.poll(() => positionOf(plot)).toMatch(/^0:3/);
    expect(await lanes.getByRole('listitem').count()).toBe(3);

    // Lanes and picture have the same time axis and are as wide as the screen; even a long name is whole above its lane.
    const name = lanes.getByTitle(LONG_NAME).locator('> span');
    expect(await name.evaluate((cell) => cell.scrollWidth <= cell.clientWidth)).toBe(true);
    const edgesOf = (part: Locator) =>
      part.evaluate((element) => [element.getBoundingClientRect().left, element.getBoundingClientRect().right]);
    expect(await edgesOf(lanes)).toEqual(await edgesOf(plot));
    expect(await edgesOf(plot)).toEqual([0, 390]);
    const heights = await lanes
      .getByRole('listitem')
      .evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height));
    expect(Math.max(...heights)).toBeLessThanOrEqual(42);
    expect(await findBarriers(page)).toEqual([]);
    expect(faults.filter(isBad)).toEqual([]);
    await close();
  });

  it('has labels that do not overlap, and stay in view with their detections', async () => {
    const { page, close } = await openPage(browser, server.origin, { viewport: { width: 1000, height: 860 } });
    await createAccount(page, somebody());
    const birds = ['Wren', 'Robin', 'Dunnock', 'Crow', 'Great Tit'].map((name, index) =>
      sampleBird(index + 1, name, index, 0.95 - index / 10),
    );
    const detections = birds.map((bird, index) => sampleDetection(bird, 4 + index));
    await page.route('**/get_prediction', (route) => route.fulfill({ json: sampleAnswer(60, birds, detections) }));
    const plot = await listenTo(page, fallingNotes(60));
    const boxes = () =>
      plot.locator('[data-label] > span').evaluateAll((labels) =>
        labels
          .filter((label) => label.checkVisibility())
          .map((label) => {
            const { left, right, top, bottom } = label.getBoundingClientRect();
            return { name: label.textContent, weight: Number(getComputedStyle(label).fontWeight), left, right, top, bottom };
          }),
      );
    const expectApart = async () => {
      const labels = await boxes();
      for (const one of labels)
        for (const other of labels)
          if (one !== other)
            expect(one.right <= other.left || other.right <= one.left || one.bottom <= other.top || other.bottom <= one.top).toBe(
              true,
            );
      return labels;
    };
    // The surest four have room at the place where all five are.
    const labels = await expectApart();
    expect(labels.map(({ name }) => name)).toEqual(['Wren', 'Robin', 'Dunnock', 'Crow']);
    expect(labels.map(({ weight }) => weight).toSorted((one, other) => other - one)).toEqual(labels.map(({ weight }) => weight));
    expect(labels[0]?.weight).toBeGreaterThan(labels[3]?.weight ?? 0);

    await plot.focus();
    for (let step = 0; step < 8; step += 1) await page.keyboard.press('ArrowRight');
    for (let step = 0; step < 6; step += 1) await page.keyboard.press('+');
    await expect.poll(async () => (await viewOf(plot)).from).toBeGreaterThan(7);
    const left = (await plot.boundingBox())?.x ?? 0;
    // It began four seconds before.
    await expect.poll(async () => (await expectApart()).find(({ name }) => name === 'Wren')?.left).toBeCloseTo(left + 3, 0);

    // On a phone that is held sideways, the picture leaves room for the first bird below it.
    await page.setViewportSize({ width: 844, height: 390 });
    await expect.poll(async () => (await plot.boundingBox())?.height).toBeLessThan(180);
    await close();
  });

  it('draws and plays from the server a recording that is too long for the browser to decode', { timeout: 600_000 }, async () => {
    const { page, faults, close } = await openPage(browser, server.origin, { viewport: { width: 1000, height: 860 } });
    await createAccount(page, somebody());
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname.replace(/^.*\//, '')));
    const folder = await mkdtemp(join(tmpdir(), 'chiffchaff-e2e-'));
    const path = join(folder, 'long.wav');
    await writeFile(path, fallingNotes(630).buffer);
    await choose(page, path);
    await page.getByText('Too long to show in this browser: long.wav.').waitFor();
    await keepForHalfAnHour(page).check();
    const plot = await listen(page);
    expect(await coloursIn(page)).toBeGreaterThan(20);
    // The whole is drawn from the overview.
    expect(asked).toContain('overview');
    expect(await page.evaluate(() => performance.getEntriesByName('recording-decoded').length)).toBe(0);

    await plot.press('End');
    await plot.press('ArrowLeft');
    await plot.press('ArrowLeft');
    const before = asked.filter((what) => what === 'spectrogram').length;
    for (let step = 0; step < 12; step += 1) await plot.press('+');
    await expect.poll(() => asked.filter((what) => what === 'spectrogram').length).toBeGreaterThan(before);
    await expect.poll(async () => (await viewOf(plot)).span).toBeLessThan(3);

    const play = page.getByRole('button', { name: 'Play', exact: true });
    await play.click();
    const audio = page.locator('audio');
    const timeOf = () => audio.evaluate((element) => (element instanceof HTMLAudioElement ? element.currentTime : 0));
    await expect.poll(timeOf).toBeGreaterThan(628.2);
    expect(await audio.getAttribute('src')).toContain('ticket=');
    expect(faults.filter(isBad)).toEqual([]);
    await close();
    await rm(folder, { recursive: true, force: true });
  });

  it('resumes playback after restarts of the server, without saying that the browser cannot play the recording', {
    timeout: 600_000,
  }, async (context) => {
    needsSharedFolder(context);
    const dataDir = await makeDataFolder();
    let restarted = await startServer({ OPEN_PREDICTION: 'false' }, { dataDir });
    const { origin } = restarted;
    const startAgain = async () => {
      restarted = await startServer({ OPEN_PREDICTION: 'false', PORT: new URL(origin).port }, { dataDir });
    };
    const { page, close } = await openPage(browser, origin);
    try {
      await createAccount(page, somebody());
      const path = join(dataDir, 'long.mp3');
      await makeRecording(path, { seconds: 630, loopSeconds: 60 });
      await choose(page, path);
      await keepForHalfAnHour(page).check();
      await page.getByRole('button', { name: 'Identify' }).click();
      await page.getByRole('heading', { name: 'Analysing your recording' }).waitFor();
      // The server finishes its work, and no longer answers the page's next requests.
      await restarted.stop();
      const play = page.getByRole('button', { name: 'Play', exact: true });
      const blame = page.getByText('This browser can’t play this type of file.');
      await startAgain();
      await play.or(blame).waitFor({ timeout: 240_000 });
      expect(await blame.count()).toBe(0);
      await expect.poll(() => play.isEnabled()).toBe(true);

      // A restart invalidates the URL that the audio is played from.
      await restarted.kill();
      await plotOf(page).press('End');
      await plotOf(page).press('PageUp');
      await startAgain();
      await play.click({ timeout: 60_000 });
      const audio = page.locator('audio');
      const timeOf = () => audio.evaluate((element) => (element instanceof HTMLAudioElement ? element.currentTime : 0));
      await expect.poll(timeOf).toBeGreaterThan(620.2);
      expect(await blame.count()).toBe(0);
    } finally {
      await close();
      await restarted.stop();
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});
