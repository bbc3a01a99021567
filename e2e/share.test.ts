import { readFile } from 'node:fs/promises';
import { openPage, shareBrowser } from '@chiffchaff/bench/harness/browser';
import { createAccount, somebody } from '@chiffchaff/bench/harness/people';
import { createChance } from '@chiffchaff/bench/harness/random';
import { type StartedServer, startServer } from '@chiffchaff/bench/harness/server';
import type { Prediction } from '@chiffchaff/contract';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBarriers } from './accessibility.ts';
import { chooseLanguage } from './account-actions.ts';
import { sampleAnswer, sampleBird } from './sample-answer.ts';

let server: StartedServer;
let browser: Browser;

const words = {
  en: { share: 'Share', download: 'Download picture', title: 'Share result', close: 'Close' },
  de: { share: 'Teilen', download: 'Bild herunterladen', title: 'Ergebnis teilen', close: 'Schließen' },
} as const;

const named = (rank: number, commonName: string, scientificName: string, confidence: number) => ({
  ...sampleBird(rank, commonName, rank * 4, confidence),
  scientificName,
});
const german = [
  named(1, 'Bartlaubsänger', 'Phylloscopus schwarzi', 0.97),
  named(2, 'Gelbbrauen-Laubsänger', 'Phylloscopus inornatus', 0.93),
  named(3, 'Graubrust-Schneeballwürger', 'Dryoscopus gambensis malzacii', 0.88),
  named(4, 'Westliches Nördliches Felsenkleiberchen', 'Sitta tephronota', 0.81),
  named(5, 'Grünlaubsänger', 'Phylloscopus trochiloides', 0.6),
];
const place = { latitude: 50.83, longitude: 12.92, placeSource: 'stated', date: '2026-05-17', week: 19 } as const;
const answers: { readonly [name: string]: { readonly prediction: Prediction; readonly hasSound: boolean } } = {
  'one bird': {
    prediction: sampleAnswer(20, [named(1, 'Common Chiffchaff', 'Phylloscopus collybita', 0.96)], []),
    hasSound: true,
  },
  'five long names': { prediction: sampleAnswer(60, german, []), hasSound: true },
  'five without sound': { prediction: sampleAnswer(60, german, []), hasSound: false },
  'eight birds': {
    prediction: sampleAnswer(
      60,
      Array.from({ length: 8 }, (_, index) =>
        named(index + 1, `Eurasian Blackcap ${index + 1}`, 'Sylvia atricapilla', 0.9 - index / 50),
      ).map((bird, index) => ({ ...bird, scientificName: `Sylvia atricapilla ${'abcdefgh'[index]}` })),
      [],
    ),
    hasSound: true,
  },
  perhaps: { prediction: sampleAnswer(20, [named(1, 'Eurasian Wren', 'Troglodytes troglodytes', 0.55)], []), hasSound: true },
  'one very long name': {
    prediction: sampleAnswer(20, [named(1, 'Donaudampfschifffahrtsgesellschaftsrohrsänger', 'Acrocephalus danubii', 0.9)], []),
    hasSound: true,
  },
};

/** Levels of falling tones, in the form the server sends. */
function levels(url: string): Buffer {
  const { searchParams } = new URL(url);
  const [columns, rows] = [Number(searchParams.get('columns')), Number(searchParams.get('rows'))];
  const { next } = createChance(1);
  const tone = (column: number, row: number) => Math.exp(-(((row - rows * (0.75 - 0.5 * ((column % 120) / 120))) / 8) ** 2));
  return Buffer.from(
    Array.from({ length: columns * rows }, (_, at) => {
      const [column, row] = [Math.floor(at / rows), at % rows];
      return Math.min(255, 18 * next() + (column % 120 < 80 ? 220 * tone(column, row) : 0));
    }),
  );
}

async function openAnswer(page: Page, { prediction, hasSound }: (typeof answers)[string]): Promise<void> {
  await createAccount(page, somebody());
  await page.route('**/v1/predictions/made-up', (route) =>
    route.fulfill({
      json: {
        ...{ state: 'done', prediction: { ...prediction, conditions: { ...prediction.conditions, ...place } } },
        keptAudio: hasSound ? { kind: 'recording', keptUntil: '2126-05-01T12:00:00.000Z' } : null,
      },
    }),
  );
  await page.route('**/v1/predictions/made-up/spectrogram*', (route) =>
    route.fulfill({ body: levels(route.request().url()), contentType: 'application/octet-stream' }),
  );
  const empty = { body: '', contentType: 'application/octet-stream' };
  await page.route('**/v1/predictions/made-up/overview', (route) => route.fulfill(empty));
  await page.route('**/v1/predictions/made-up/ticket', (route) =>
    route.fulfill({ json: { url: '/v1/predictions/made-up/audio', expiresAt: '2126-05-01T12:00:00.000Z' } }),
  );
  await page.route('**/v1/predictions/made-up/audio', (route) => route.fulfill({ body: '', contentType: 'audio/wav' }));
  await page.goto('/history/made-up');
  await page.locator('article').waitFor();
}

/** The chunk types of a PNG, in order. */
function chunksOf(png: Buffer): readonly string[] {
  const found: string[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) found.push(png.toString('latin1', at + 4, at + 8));
  return found;
}

async function downloaded(page: Page, language: keyof typeof words): Promise<Buffer> {
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: words[language].download }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe('chiffchaff.png');
  return readFile(await file.path());
}

describe('Sharing a result', () => {
  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), shareBrowser()]);
    // Makes the server build its table of towns, which a share picture would not wait for.
    await fetch(`${server.origin}/v1/places/region?latitude=50.8&longitude=12.9`);
  });
  afterAll(() => server?.stop());

  it.each(Object.keys(answers))('draws a picture whose file contains no metadata: %s', async (name) => {
    const { page, faults, close } = await openPage(browser, server.origin);
    const answer = answers[name];
    if (!answer) throw new Error('There is no such answer');
    await openAnswer(page, answer);
    await page.getByRole('button', { name: 'Share' }).click();
    const picture = page.getByRole('dialog', { name: 'Share result' }).getByRole('img');
    await picture.waitFor();
    expect(await picture.getAttribute('alt')).toContain('Germany · May 2026');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download picture' }).click();
    const png = await readFile(await (await download).path());
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1080, 1350]);
    expect([...new Set(chunksOf(png))]).toEqual(['IHDR', 'IDAT', 'IEND']);
    expect(faults).toEqual([]);
    await close();
  });

  it.each([
    { viewport: { width: 1440, height: 900 }, colorScheme: 'light', language: 'en' },
    { viewport: { width: 390, height: 844 }, colorScheme: 'dark', language: 'de' },
    { viewport: { width: 320, height: 640 }, colorScheme: 'light', language: 'de' },
  ] as const)('can be done by keyboard alone, and passes the picture to another app: %j', async ({ language, ...look }) => {
    const { page, faults, close } = await openPage(browser, server.origin, look);
    await page.addInitScript(() => {
      const own = {
        canShare: () => true,
        share: async ({ files }: ShareData) => {
          document.title = `shared ${files?.[0]?.type}`;
        },
      };
      for (const [name, value] of Object.entries(own)) Object.defineProperty(navigator, name, { value });
    });
    await openAnswer(page, answers['five long names'] as (typeof answers)[string]);
    await chooseLanguage(page, language);
    const { share, title, close: closing } = words[language];
    const opener = page.getByRole('button', { name: share, exact: true });
    await opener.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: title });
    await dialog.getByRole('img').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect(await dialog.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    expect(chunksOf(await downloaded(page, language))).toContain('IDAT');
    await dialog.getByRole('button', { name: /^(Share picture|Bild teilen)$/ }).click();
    await page.waitForFunction(() => document.title === 'shared image/png');
    await dialog.getByRole('button', { name: closing }).focus();
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(await opener.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(faults).toEqual([]);
    await close();
  });
});
