import { readFile } from 'node:fs/promises';
import { openPage, shareBrowser } from '@chiffchaff/bench/harness/browser';
import { createAccount, somebody } from '@chiffchaff/bench/harness/people';
import { createChance } from '@chiffchaff/bench/harness/random';
import { soundscape } from '@chiffchaff/bench/harness/recordings';
import { makeDataFolder, type StartedServer, startServer } from '@chiffchaff/bench/harness/server';
import { needsSharedFolder } from '@chiffchaff/testing/shared-folder';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fromBufferPromise } from 'yauzl';
import { findBarriers } from './accessibility.ts';

let server: StartedServer;
let browser: Browser;

beforeEach(needsSharedFolder);

/** Sends the soundscape. @returns the path of its stored prediction */
async function askSoundscape(page: Page): Promise<string> {
  await page.goto('/process');
  await page.getByLabel('Recording', { exact: true }).and(page.locator('input')).setInputFiles(soundscape);
  const answered = page.waitForResponse((response) => response.url().endsWith('/get_prediction') && response.status() === 200);
  await page.getByRole('button', { name: /^(Listen|Identify)$/ }).click();
  const { id } = await (await answered).json();
  await page.getByRole('heading', { name: 'Look and listen' }).waitFor();
  return `/history/${id}`;
}

const QUESTION = /^Is (.*) right\?$/;
/** The rows of birds with review buttons. */
const birds = (page: Page) => page.getByRole('listitem').filter({ has: page.getByRole('toolbar', { name: QUESTION }) });
const choice = (bird: Locator, name: RegExp) => bird.getByRole('button', { name });
const stateOf = (bird: Locator) => bird.getByRole('status').first();
const expectState = (bird: Locator, state: string | RegExp) => stateOf(bird).filter({ hasText: state }).waitFor();
const nameOf = async (bird: Locator): Promise<string> =>
  QUESTION.exec((await bird.getByRole('toolbar', { name: QUESTION }).getAttribute('aria-label')) ?? '')?.[1] ?? '';
const listedBirds = (page: Page) => page.getByRole('main').getByRole('listitem');

describe('Reviews of birds', () => {
  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), shareBrowser()]);
  });
  afterAll(() => server?.stop());

  it('are made by keys and clicks, appear in another tab, and are shown in the history', { timeout: 180_000 }, async () => {
    const { page, faults, close } = await openPage(browser, server.origin, { viewport: { width: 1440, height: 900 } });
    await createAccount(page, somebody());
    const address = await askSoundscape(page);
    const sent: string[] = [];
    page.on('request', (request) => /PUT|DELETE/.test(request.method()) && sent.push(request.method()));

    const first = birds(page).first();
    const second = birds(page).nth(1);
    const name = await nameOf(first);
    // Outside a bird's row, the keys do nothing.
    await page.getByRole('heading', { level: 1 }).focus();
    for (const key of ['y', 'n', 'o']) await page.keyboard.press(key);
    await page.getByRole('link', { name: 'History' }).first().focus();
    for (const key of ['y', 'n', 'o']) await page.keyboard.press(key);
    expect(await page.getByRole('combobox', { name: 'Which bird was it?' }).count()).toBe(0);
    expect(sent).toEqual([]);

    await first.getByRole('button').first().focus();
    const topOfSecond = async () => (await second.boundingBox())?.y;
    const unmoved = await topOfSecond();
    await page.keyboard.press('y');
    await expectState(first, 'You confirmed this bird.');
    await page.getByText('1 confirmed', { exact: true }).waitFor();
    expect(await topOfSecond()).toBe(unmoved);
    await page.keyboard.press('n');
    await expectState(first, 'You said it wasn’t this bird.');
    await page.keyboard.press('o');
    await page.keyboard.type('carolina wren');
    await first.getByRole('option', { name: /Carolina Wren/ }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await expectState(first, 'You said it was Carolina Wren.');
    expect(sent).toEqual(['PUT', 'PUT', 'PUT']);
    await choice(second, /^No/).click();
    await expectState(second, 'You said it wasn’t this bird.');
    await choice(second, /^Undo/).click();
    await choice(second, /^Yes/).click();
    await expectState(second, 'You confirmed this bird.');

    await page.goto('/history');
    const answer = page.getByRole('link', { name: /Carolina Wren \(Confirmed by you\)/ });
    await answer.waitFor();
    expect(await answer.textContent()).not.toContain(name);
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('link', { name: 'Life list' }).first().click();
    await page.getByRole('heading', { level: 1, name: /^2 species/ }).waitFor();
    await page.getByRole('list', { name: 'Your birds' }).getByText('Carolina Wren').waitFor();
    expect(await findBarriers(page)).toEqual([]);

    await page.goto(address);
    await expectState(first, 'You said it was Carolina Wren.');
    await page.getByText('1 confirmed', { exact: true }).waitFor();
    // Other birds are left, so the page keeps the name of its headline.
    expect(await page.title()).toBe(`${await page.getByRole('heading', { level: 1 }).textContent()} · Chiffchaff`);
    const other = await page.context().newPage();
    await other.goto(address);
    await choice(birds(other).first(), /^Yes/).click();
    await expectState(birds(other).first(), 'You confirmed this bird.');
    await expect
      .poll(async () => {
        await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
        return stateOf(first).textContent();
      })
      .toBe(`${name}: You confirmed this bird.`);
    for (const [look, width, colorScheme] of [
      ['wide', 1440, 'light'],
      ['phone', 390, 'dark'],
      ['narrow', 320, 'light'],
    ] as const) {
      await page.setViewportSize({ width, height: 844 });
      await page.emulateMedia({ colorScheme });
      expect(await findBarriers(page), look).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth), look).toBe(0);
    }

    await page.keyboard.press('?');
    await page.getByRole('textbox', { name: 'No', exact: true }).fill('k');
    await page.getByRole('dialog', { name: 'Keys' }).getByRole('button', { name: 'Close' }).click();
    await first.getByRole('button').first().focus();
    await page.keyboard.press('n');
    await page.keyboard.press('k');
    await expectState(first, 'You said it wasn’t this bird.');
    expect(faults).toEqual([]);
    await close();
  });
});

type Verdict = 'confirmed' | 'rejected' | 'corrected' | 'added' | '';

interface Said {
  readonly bird: string;
  /** empty: withdrawn */
  readonly verdict: Verdict;
  readonly isAcknowledged: boolean;
}

const told: readonly (readonly [state: RegExp, verdict: Verdict])[] = [
  [/You confirmed/, 'confirmed'],
  [/wasn’t this bird/, 'rejected'],
  [/You said it was/, 'corrected'],
];
const verdictOf = async (bird: Locator): Promise<Verdict> => {
  const text = (await stateOf(bird).textContent()) ?? '';
  return told.find(([state]) => state.test(text))?.[1] ?? '';
};
const addedBirds = (page: Page) => page.getByRole('list', { name: 'Birds you added' }).getByRole('listitem');

/** Names that no bird of the soundscape has; each tab says its own. */
const CORRECTED_TO = 'Hoatzin';
const ADDED = ['King Penguin', 'Little Penguin'] as const;

async function chooseSpecies(part: Locator, name: string): Promise<void> {
  await part.getByRole('combobox', { name: 'Which bird was it?' }).fill(name);
  await part.getByRole('option', { name: new RegExp(name) }).click();
}

describe('A hundred reviews of birds', () => {
  it('from two tabs survive a kill of the server, in the life list and in the export', { timeout: 280_000 }, async () => {
    const dataDir = await makeDataFolder();
    let running = await startServer({}, { dataDir });
    const { origin } = running;
    const { page, close } = await openPage(await shareBrowser(), origin);
    await createAccount(page, somebody());
    const address = await askSoundscape(page);
    const tabs = [page, await page.context().newPage()];
    const chance = createChance(14);
    const log: Said[] = [];
    const back = Promise.withResolvers<void>();

    async function wrote(said: Omit<Said, 'isAcknowledged'>, part: Locator): Promise<void> {
      const isAcknowledged = (await part.getByRole('alert').count()) === 0;
      log.push({ ...said, isAcknowledged });
      if (!isAcknowledged) await back.promise;
    }
    /** Adds the tab's own bird, or takes it out again. */
    async function sayAdded(tab: Page, half: number): Promise<void> {
      const bird = ADDED[half] ?? '';
      const also = tab.getByRole('button', { name: 'There was also…' });
      const part = also.locator('xpath=../..');
      const listed = addedBirds(tab).filter({ hasText: bird });
      const wasAdded = (await listed.count()) > 0;
      if (wasAdded) await listed.getByRole('button', { name: /^Remove/ }).click();
      else {
        await also.click();
        await chooseSpecies(part, bird);
      }
      const alert = part.getByRole('alert');
      await expect.poll(async () => (await alert.count()) > 0 || (await listed.count()) > 0 !== wasAdded).toBe(true);
      await wrote({ bird, verdict: wasAdded ? '' : 'added' }, part);
    }
    /** Reviews a random bird of the tab's own half, so that each bird's last review is known. */
    async function say(tab: Page, half: number): Promise<void> {
      const count = await birds(tab).count();
      const index = half + 2 * Math.floor(chance.next() * Math.ceil((count - half + 2) / 2));
      if (index >= count) return sayAdded(tab, half);
      const bird = birds(tab).nth(index);
      const before = await verdictOf(bird);
      const verdict = before === 'confirmed' ? 'rejected' : before === 'rejected' ? 'corrected' : 'confirmed';
      await choice(bird, { confirmed: /^Yes/, rejected: /^No/, corrected: /^It was/ }[verdict]).click();
      if (verdict === 'corrected') await chooseSpecies(bird, CORRECTED_TO);
      const state = told.find(([, one]) => one === verdict)?.[0] ?? /./;
      const outcome = stateOf(bird).filter({ hasText: state }).or(bird.getByRole('alert'));
      await outcome.first().waitFor();
      await wrote({ bird: await nameOf(bird), verdict }, bird);
    }
    const sayMany = async (times: number) =>
      Promise.all(
        tabs.map(async (tab, half) => {
          for (let time = 0; time < times; time += 1) await say(tab, half);
        }),
      );

    for (const tab of tabs) {
      await tab.goto(address);
      await birds(tab).first().waitFor();
      for (const disclosure of await tab.locator('details:has([role=group]) > summary').all()) await disclosure.click();
    }
    await sayMany(25);
    // The server dies while both tabs are reviewing; what is said meanwhile shows an error.
    const rest = sayMany(25);
    await expect.poll(() => log.length).toBeGreaterThan(60);
    await running.kill();
    running = await startServer({ PORT: new URL(origin).port }, { dataDir });
    back.resolve();
    await rest;
    expect(log).toHaveLength(100);
    expect(new Set(log.map(({ verdict }) => verdict))).toEqual(new Set(['confirmed', 'rejected', 'corrected', 'added', '']));

    await page.goto('/history');
    await page.goto(address);
    await birds(page).first().waitFor();
    const allowed = new Map<string, Set<Verdict>>();
    for (const { bird, verdict, isAcknowledged } of log) {
      // Unacknowledged reviews may have been stored anyway.
      const before = isAcknowledged ? [] : (allowed.get(bird) ?? ['']);
      allowed.set(bird, new Set<Verdict>([...before, verdict]));
    }
    const found = new Map<string, Verdict>();
    for (const bird of await birds(page).all()) found.set(await nameOf(bird), await verdictOf(bird));
    const added = (await addedBirds(page).allTextContents()).join();
    for (const name of ADDED) found.set(name, added.includes(name) ? 'added' : '');
    const lost = [...found].filter(([name, verdict]) => !(allowed.get(name) ?? new Set([''])).has(verdict));
    expect(lost).toEqual([]);

    await page.goto('/life-list');
    await listedBirds(page).first().waitFor();
    const life = await listedBirds(page).allTextContents();
    const counts = (name: string) => life.some((line) => line.startsWith(name));
    for (const [name, verdict] of found) {
      if (verdict !== '') expect(counts(name), `${name} ${verdict}`).toBe(verdict === 'confirmed' || verdict === 'added');
    }
    expect(counts(CORRECTED_TO)).toBe([...found.values()].includes('corrected'));
    await page.goto('/history');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: /^Download everything/ }).click();
    const zip = await fromBufferPromise(await readFile(await (await download).path()));
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName !== 'detections.csv') continue;
      const text = Buffer.concat(await (await zip.openReadStreamPromise(entry)).toArray()).toString();
      const rows = text
        .trim()
        .split('\n')
        .slice(1)
        .map((row) => row.split(','));
      expect(rows.length).toBeGreaterThan(10);
      for (const row of rows) {
        const verdict = found.get(row[3] ?? '') ?? '';
        expect(row.at(-2), row.join()).toBe(verdict === 'corrected' ? `corrected to ${CORRECTED_TO}` : verdict);
        const isSame = verdict === 'confirmed' || verdict === 'added';
        expect(row.at(-1), row.join()).toBe(isSame ? row[2] : verdict === 'corrected' ? 'Opisthocomus hoazin' : '');
      }
      const named = new Set(rows.map((row) => row[3]));
      for (const [name, verdict] of found) if (!['', 'rejected'].includes(verdict)) expect(named, name).toContain(name);
    }
    const failed = log.filter(({ isAcknowledged }) => !isAcknowledged).length;
    process.stdout.write(`reviews: ${log.length} said, ${failed} told as not saved, ${lost.length} lost\n`);
    await close();
    await running.stop();
  });
});
