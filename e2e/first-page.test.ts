import { openPage, shareBrowser } from '@chiffchaff/bench/harness/browser';
import { fallingNotes, soundscape } from '@chiffchaff/bench/harness/recordings';
import { type StartedServer, startServer } from '@chiffchaff/bench/harness/server';
import { needsSharedFolder } from '@chiffchaff/testing/shared-folder';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBarriers } from './accessibility.ts';

let server: StartedServer;
let browser: Browser;

const looks = [
  { name: 'wide, light theme', viewport: { width: 1280, height: 860 }, colorScheme: 'light', tags: ['core'] },
  { name: 'wide, dark theme', viewport: { width: 1280, height: 860 }, colorScheme: 'dark', tags: [] },
  { name: 'narrow, light theme', viewport: { width: 360, height: 740 }, colorScheme: 'light', tags: [] },
  { name: 'narrow, dark theme', viewport: { width: 320, height: 640 }, colorScheme: 'dark', tags: ['core'] },
] as const;
const core = { tags: ['core'] };

const heading = (page: Page, name: RegExp | string) => page.getByRole('heading', { level: 1, name });
const chooseFile = (page: Page, file: Parameters<ReturnType<Page['locator']>['setInputFiles']>[0]) =>
  page.getByLabel('Recording', { exact: true }).and(page.locator('input')).setInputFiles(file);
const sidewaysScroll = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

/** Goes from the first page through the gate to the form for choosing a recording. */
async function passGate(page: Page): Promise<void> {
  await page.goto('/');
  await page.getByRole('checkbox', { name: /I agree to the Terms and Conditions/ }).check();
  await page.getByRole('link', { name: 'Start' }).click();
  await heading(page, 'Which bird was that?').waitFor();
}

describe('The first page', () => {
  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), shareBrowser()]);
  });
  afterAll(() => server?.stop());

  for (const { name, viewport, colorScheme, tags } of looks)
    it(`leads to the birds in a real recording, and is accessible: ${name}`, {
      tags: [...tags],
    }, async (context) => {
      needsSharedFolder(context);
      const { page, faults, close } = await openPage(browser, server.origin, { viewport, colorScheme });
      const look = async (screen: string) => {
        await page.evaluate(() => document.fonts.ready.then(() => {}));
        expect(await findBarriers(page), `${screen}, ${name}`).toEqual([]);
        expect(await sidewaysScroll(page), `${screen}, ${name}: wider than the window by`).toBe(0);
      };

      await page.goto('/');
      await page.getByRole('checkbox').check();
      await page.getByRole('link', { name: 'Start' }).waitFor();
      await look('first page');
      await page.getByRole('link', { name: 'Start' }).click();
      await heading(page, 'Which bird was that?').waitFor();
      await look('choice');
      await chooseFile(page, soundscape);
      await page.getByRole('button', { name: 'Identify' }).click();
      await page.getByRole('heading', { name: 'Look and listen' }).waitFor();

      await page.getByRole('heading', { level: 2, name: 'Dark-eyed Junco' }).waitFor();
      await page.getByRole('button', { name: /^Show \d+ less likely birds$/ }).click();
      await page.getByRole('heading', { level: 2, name: 'Black-capped Chickadee' }).waitFor();
      await page.getByRole('button', { name: 'Why and when? (House Finch)' }).click();
      const table = page.getByRole('table', { name: 'Detections of House Finch' });
      expect(await table.getByRole('button', { name: /^Play .+ at \d+:\d\d\.\d$/ }).count()).toBeGreaterThan(3);
      expect(await page.getByText(/Powered by BirdNET.*CC-BY-NC-SA-4.0/).count()).toBeGreaterThan(0);
      await page.waitForFunction(() => performance.getEntriesByName('spectrogram-drawn').length > 0);
      await look('answer');
      expect(faults).toEqual([]);
      await close();
    });

  it.each(['light', 'dark'] as const)('leads to other screens that are accessible: %s', core, async (colorScheme) => {
    const { page, faults, close } = await openPage(browser, server.origin, {
      colorScheme,
      viewport: { width: 360, height: 740 },
    });
    for (const [path, title] of [
      ['/toc', 'Terms and Conditions'],
      ['/about', 'About the model'],
      ['/login', 'Sign in'],
      ['/no-such-page', 'Page not found'],
    ] as const) {
      await page.goto(path);
      await heading(page, title).waitFor();
      expect(await findBarriers(page), path).toEqual([]);
      expect(await sidewaysScroll(page), path).toBe(0);
    }
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('dialog', { name: 'Menu' }).getByRole('link', { name: 'Detect Bird' }).waitFor();
    expect(await findBarriers(page), 'drawer').toEqual([]);
    expect(faults).toEqual([]);
    await close();
  });

  it('leads from the choice of a file to its result and through the recording by keyboard alone', core, async () => {
    const { page, close } = await openPage(browser, server.origin);
    await page.goto('/');
    await page.getByRole('checkbox').focus();
    await page.keyboard.press('Space');
    for (let presses = 0; presses < 4; presses += 1) {
      if ((await page.evaluate(() => document.activeElement?.textContent)) === 'Start') break;
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    await heading(page, 'Which bird was that?').waitFor();
    const chooseButton = page.getByRole('button', { name: 'Choose a recording' });
    // Set up before the press, because the browser takes a moment to intercept file choosers.
    const chooser = page.waitForEvent('filechooser');
    await chooseButton.focus();
    await page.keyboard.press('Enter');
    await (await chooser).setFiles(fallingNotes(8));
    await page.getByRole('button', { name: 'Identify' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Look and listen' }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1');

    const playhead = page.getByRole('slider', { name: 'Position in the recording' });
    await playhead.focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => playhead.getAttribute('aria-valuetext')).toBe('0:02.0 of 0:08.0');
    await page.keyboard.press('+');
    await expect.poll(() => page.getByRole('button', { name: 'Zoom out' }).isEnabled()).toBe(true);
    await page.keyboard.press('End');
    await expect.poll(() => playhead.getAttribute('aria-valuetext')).toBe('0:08.0 of 0:08.0');
    await page.keyboard.press('Home');
    await page.keyboard.press('Space');
    await expect
      .poll(() => page.locator('audio').evaluate((audio) => audio instanceof HTMLAudioElement && audio.currentTime))
      .toBeGreaterThan(0.2);
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    await close();
  });

  // `npm run bench:page` measures accuracy and delay.
  it('leads to a spectrogram of the recording, whose playhead moves while the recording plays', core, async () => {
    const { page, close } = await openPage(browser, server.origin, { viewport: { width: 1280, height: 860 } });
    await passGate(page);
    // Long enough to still be playing when it is paused.
    await chooseFile(page, fallingNotes(60));
    await page.getByRole('button', { name: 'Identify' }).click();
    await page.waitForFunction(() => performance.getEntriesByName('spectrogram-drawn').length > 0);
    const position = () =>
      page.getByTestId('playhead').evaluate((playhead) => Number.parseFloat(playhead.style.getPropertyValue('--at')));
    expect(await position()).toBe(0);
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await expect.poll(position).toBeGreaterThan(1);
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    const heard = await page.locator('audio').evaluate((audio) => audio instanceof HTMLAudioElement && audio.currentTime);
    await expect.poll(position).toBe(heard);
    await close();
  });

  it('leads to a timeline that seeks on a click, and moves the picture but not the playhead on a drag', core, async () => {
    const { page, close } = await openPage(browser, server.origin, { viewport: { width: 1280, height: 860 } });
    await passGate(page);
    await chooseFile(page, fallingNotes(8));
    await page.getByRole('button', { name: 'Identify' }).click();
    const plot = page.getByRole('slider', { name: 'Position in the recording' });
    await plot.scrollIntoViewIfNeeded();
    const box = await plot.boundingBox();
    if (!box) throw new Error('The timeline has no place');
    await page.mouse.click(box.x + box.width / 2, box.y + 40);
    await expect.poll(() => plot.getAttribute('aria-valuetext')).toMatch(/^0:0(4\.0|3\.9)/);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await page.mouse.move(box.x + box.width / 2, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + 20, box.y + 40, { steps: 4 });
    await page.mouse.up();
    // A drag moves the picture and not the playhead.
    expect(await plot.getAttribute('aria-valuetext')).toMatch(/^0:0(4\.0|3\.9)/);
    await expect.poll(async () => (await page.getByTestId('playhead').boundingBox())?.x).toBeLessThan(box.x + box.width * 0.2);
    await close();
  });

  it('leads to a sentence about what to try if the chosen file is not a recording', core, async () => {
    const { page, faults, close } = await openPage(browser, server.origin);
    await passGate(page);
    await chooseFile(page, {
      name: 'song.wav',
      mimeType: 'audio/wav',
      buffer: Buffer.from('This is a text about a bird. '.repeat(40)),
    });
    await page.getByRole('button', { name: 'Identify' }).click();
    await heading(page, 'That didn’t work').waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('Try a recording in WAV, FLAC, MP3');
    expect(await findBarriers(page)).toEqual([]);
    // Logged to the console, as specified; the browser adds its own line about the status.
    expect(faults.filter((fault) => fault.includes('The prediction failed:'))).toHaveLength(1);
    await close();
  });

  it('loads at most 150 kB of scripts, gzipped', core, async () => {
    const { page, close } = await openPage(browser, server.origin);
    const sizes: Promise<readonly [string, number]>[] = [];
    page.on('response', (response) => {
      if (response.request().resourceType() !== 'script') return;
      const path = new URL(response.url()).pathname;
      sizes.push(
        fetch(server.origin + path, { headers: { 'accept-encoding': 'gzip' } }).then(async (answer) => {
          expect(answer.headers.get('content-encoding')).toBe('gzip');
          await answer.arrayBuffer();
          return [path, Number(answer.headers.get('content-length'))] as const;
        }),
      );
    });
    await page.goto('/', { waitUntil: 'networkidle' });
    const total = (await Promise.all(sizes)).reduce((sum, [, bytes]) => sum + bytes, 0);
    process.stdout.write(`the first page loads ${(total / 1000).toFixed(1)} kB of script in ${sizes.length} files\n`);
    expect(total).toBeGreaterThan(50_000);
    expect(total).toBeLessThan(150_000);
    await close();
  });

  it('is in German for a German browser', core, async () => {
    const { page, close } = await openPage(browser, server.origin, { locale: 'de-DE' });
    await page.goto('/');
    await heading(page, /Manche Vögel singen/).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
    await close();
  });
});

describe('The page of a server that requires sign-in', () => {
  it('offers Login on the first page, and does not open the Detect Bird screen for a signed-out visitor', core, async () => {
    const closed = await startServer({ OPEN_PREDICTION: 'false' });
    try {
      const { page, close } = await openPage(await shareBrowser(), closed.origin);
      await page.goto('/process');
      await page.getByRole('checkbox').check();
      await page.getByRole('link', { name: 'Login' }).last().click();
      await heading(page, 'Sign in').waitFor();
      await close();
    } finally {
      await closed.stop();
    }
  });
});
