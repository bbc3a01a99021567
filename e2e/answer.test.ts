import { openPage, shareBrowser } from '@chiffchaff/bench/harness/browser';
import { createAccount, heading, somebody } from '@chiffchaff/bench/harness/people';
import { fallingNotes } from '@chiffchaff/bench/harness/recordings';
import { type StartedServer, startServer } from '@chiffchaff/bench/harness/server';
import type { Prediction } from '@chiffchaff/contract';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBarriers } from './accessibility.ts';
import { chooseLanguage } from './account-actions.ts';
import { sampleAnswer, sampleBird, sampleDetection, sampleHour } from './sample-answer.ts';

let server: StartedServer;
let browser: Browser;

const looks = [
  { name: '1440 px, light theme', viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
  { name: '390 px, dark theme', viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
  { name: '320 px, light theme', viewport: { width: 320, height: 640 }, colorScheme: 'light' },
] as const;

const fiveBirds = [
  sampleBird(2, 'Wren', 2, 0.96),
  sampleBird(5, 'Dunnock', 9, 0.55),
  sampleBird(1, 'Blackbird', 20, 0.98),
  sampleBird(3, 'Robin', 41, 0.9),
  sampleBird(4, 'Great Tit', 80, 0.74),
];
/** Opens a stored prediction whose server response is faked. */
async function openAnswer(look: (typeof looks)[number], prediction: Prediction) {
  const opened = await openPage(browser, server.origin, look);
  const { page } = opened;
  await createAccount(page, somebody());
  await page.route('**/v1/predictions/made-up', (route) =>
    route.fulfill({ json: { state: 'done', prediction, keptAudio: null } }),
  );
  await page.goto('/history/made-up');
  await page.getByRole('heading', { level: 1, name: /birds found/ }).waitFor();
  return opened;
}

async function inspect(page: Page, name: string): Promise<void> {
  await page.evaluate(() => document.fonts.ready.then(() => {}));
  expect(await findBarriers(page), name).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth), name).toBe(0);
}

describe('The result page', () => {
  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), shareBrowser()]);
  });
  afterAll(() => server?.stop());

  it.each(looks)(
    'lists five birds, those that are only “perhaps” below the others, in English and German: $name',
    async (look) => {
      const { page, close } = await openAnswer(
        look,
        sampleAnswer(
          120,
          fiveBirds,
          fiveBirds.map((one) => sampleDetection(one, one.firstSeconds)),
        ),
      );
      const birds = page.locator('article section').first().getByRole('heading', { level: 2 });
      expect(await birds.allTextContents()).toEqual(['Wren', 'Blackbird', 'Robin', 'Great Tit', 'Dunnock']);
      await heading(page, '4 birds found, perhaps one more.').waitFor();
      await page.getByRole('list', { name: 'Perhaps also' }).getByRole('heading', { name: 'Dunnock' }).waitFor();
      expect(await page.getByText('Lives in Western Europe and Northern Europe.').count()).toBe(5);
      // The first names are in sight, with the others one scroll away.
      for (const name of ['Wren', 'Blackbird', 'Robin'].slice(0, look.viewport.width > 320 ? 3 : 2)) {
        const box = await page.getByRole('heading', { level: 2, name, exact: true }).boundingBox();
        expect((box?.y ?? 0) + (box?.height ?? 0), name).toBeLessThan(look.viewport.height);
      }
      expect(await page.getByRole('button', { name: /^Play / }).count()).toBe(0); // no audio is kept

      const why = page.getByRole('button', { name: 'Why and when? (Wren)' });
      await why.focus();
      await page.keyboard.press('Enter');
      await page.getByText('The model’s raw score is 0.81 out of 1').first().waitFor();
      await page.getByRole('button', { name: 'What do these words mean?' }).click();
      await page.getByRole('dialog', { name: 'What do these words mean?' }).getByRole('rowheader', { name: 'Perhaps' }).waitFor();
      await inspect(page, `words, ${look.name}`);
      await page.keyboard.press('Escape');
      await inspect(page, `five birds, ${look.name}`);

      await page.locator('summary', { hasText: 'Add the place' }).click();
      await page.getByRole('combobox', { name: 'Place' }).focus();
      await chooseLanguage(page, 'de');
      await page.getByRole('heading', { level: 1, name: '4 Arten gefunden, vielleicht eine weitere.' }).waitFor();
      expect(await page.getByText('Verbreitung: Westeuropa und Nordeuropa.').count()).toBe(5);
      await inspect(page, `five birds in German, ${look.name}`);
      await close();
    },
  );

  it.each(looks)(
    'lists the birds of an hour-long recording by species, and the detections of a species on request: $name',
    async (look) => {
      const { page, close } = await openAnswer(look, sampleHour());
      const overview = page.locator('article section').first();
      const rows = overview.getByRole('heading', { level: 2 });
      expect(await rows.count()).toBe(40);
      const heights = await overview.getByRole('listitem').evaluateAll((all) => all.map((row) => row.clientHeight));
      expect(Math.max(...heights)).toBeLessThanOrEqual(64);
      await overview.getByRole('img', { name: /^Bird 1: heard in 24 of 24 parts of the recording/ }).waitFor();
      await overview.getByLabel('Find a bird').fill('Bird 17');
      await overview.getByText('One bird.').waitFor();
      await overview.getByRole('button', { name: 'Why and when? (Bird 17)' }).focus();
      await page.keyboard.press('Enter');
      await overview.getByText(/500 times, first at 0:00/).waitFor();
      const table = overview.getByRole('table', { name: 'Detections of Bird 17' });
      expect(await table.getByRole('row').count()).toBe(11);
      await overview.getByRole('button', { name: 'Show 100 more of 500 detections' }).click();
      expect(await table.getByRole('row').count()).toBe(111);
      await inspect(page, `an hour, ${look.name}`);
      await close();
    },
  );

  it.each(looks)('names no bird for a silent recording, and has no button to play: $name', async (look) => {
    const { page, close } = await openPage(browser, server.origin, look);
    await createAccount(page, somebody());
    const silence = fallingNotes(4, 'silence.wav');
    silence.buffer.fill(0, 44);
    await page.getByLabel('Recording', { exact: true }).and(page.locator('input')).setInputFiles(silence);
    await page.getByRole('button', { name: /^(Listen|Identify)$/ }).click();
    await heading(page, 'The recording is silent.').waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('The recording is silent.');
    expect(await page.getByRole('heading', { name: 'Look and listen' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: /^Play / }).count()).toBe(0);
    await inspect(page, `silence, ${look.name}`);
    await close();
  });
});
