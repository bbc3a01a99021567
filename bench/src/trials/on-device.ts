/** `npm run trial -- on-device`: the same recordings analysed in the page and on the server, as the page shows their results. */
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { sharedPath } from '@chiffchaff/testing/shared-folder';
import type { Page } from 'playwright-core';
import { launchBrowser, openPage } from '../harness/browser.ts';
import { chooseFiles, openWithModel } from '../harness/device.ts';
import { heading } from '../harness/people.ts';
import { startServer } from '../harness/server.ts';
import type { TrialResult } from './trial-result.ts';

export interface OnDeviceOptions {
  /** null for the recordings of ../shared */
  readonly folder: string | null;
  readonly say: (line: string) => void;
}

const RECORDINGS = sharedPath('fixtures/audio');
const SOUND = /\.(wav|flac|mp3|ogg|m4a|webm)$/;
/** The share of recordings that must have the same verdict and first bird. */
const LEAST_EQUAL = 0.98;

export async function runOnDevice({ folder, say }: OnDeviceOptions): Promise<TrialResult> {
  const from = folder ?? RECORDINGS;
  const names = (await readdir(from, { recursive: true })).filter((name) => SOUND.test(name)).sort();
  const [server, browser] = await Promise.all([startServer(), launchBrowser()]);
  try {
    const { page, faults } = await openPage(browser, server.origin);
    await openWithModel(page);
    const here = await showEach(page, from, names, say);
    await page.getByText('Options', { exact: true }).click();
    await page.getByRole('radio', { name: 'On the server' }).check();
    const there = await showEach(page, from, names, say);
    const found = names.map((name, index) => ({ name, here: here[index], there: there[index] }));
    const differences = found.filter((each) => each.here !== each.there);
    const equal = found.length - differences.length;
    return {
      report: { recordings: found.length, equal, differences, faults },
      passed: equal >= LEAST_EQUAL * found.length && faults.length === 0,
    };
  } finally {
    await browser.close();
    await server.stop();
  }
}

/** @returns the headline of each result, and the first bird listed */
async function showEach(page: Page, folder: string, names: readonly string[], say: (line: string) => void): Promise<string[]> {
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const result = page.getByRole('heading', { name: 'Look and listen' });
  const shown: string[] = [];
  for (const name of names) {
    await chooseFiles(page, join(folder, name));
    await button('Identify').click();
    const failure = heading(page, 'That didn’t work');
    const asked = button('Upload it as it is');
    await result.or(failure).or(asked).first().waitFor({ timeout: 300_000 });
    if (await asked.isVisible()) await asked.click();
    await result.or(failure).first().waitFor({ timeout: 300_000 });
    const headline = (await page.getByRole('heading', { level: 1 }).textContent()) ?? '';
    // Figures may differ in the last digit; the button has the name.
    const why = page.getByRole('button', { name: /^Why and when\?/ });
    const first = (await why.count()) === 0 ? '' : await why.first().textContent();
    shown.push(`${headline} · ${first}`);
    say(`${name}: ${shown.at(-1)}`);
    if (await failure.isVisible()) {
      await button('Choose another recording').click();
      await button(`Remove ${basename(name)}`).click();
    } else await button('Try another recording').click();
  }
  return shown;
}
