import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readLabels } from '@chiffchaff/survey';
import { openPage, shareBrowser } from '../../harness/browser.ts';
import { median, round } from '../../harness/measures.ts';
import { createChance } from '../../harness/random.ts';
import { makeReviewFolder, startReview } from '../../harness/review.ts';

export interface ReviewTrialOptions {
  readonly labels: number;
  readonly kills: number;
  readonly seed: number;
  readonly say: (line: string) => void;
}

const keys = ['y', 'y', 'n', 'y', 'u'] as const;

/**
 * Labels by keyboard as soon as the spectrogram of a detection is shown, and kills the command at random moments, sometimes while it
 * saves a label. Labels that the page called saved must be in the file, once; a label without acknowledgement may or may not be there.
 */
export async function runReviewTrial({ labels, kills, seed, say }: ReviewTrialOptions) {
  const chance = createChance(seed);
  const faults: string[] = [];
  const { folder, remove } = await makeReviewFolder(labels * 4);
  const browser = await shareBrowser();
  const labelSeconds: number[] = [];
  let acknowledged = 0;
  let killed = 0;
  const killsAt = Array.from({ length: kills }, () => Math.floor(chance.next() * labels)).sort((one, other) => one - other);
  const inFile = async () => readLabels(await readFile(join(folder, 'labels.csv'), 'utf8'), 'labels.csv');
  try {
    while (acknowledged < labels) {
      const review = await startReview(folder);
      const { page, faults: seen, close } = await openPage(browser, new URL(review.address).origin);
      await page.goto(review.address);
      const status = page.getByRole('status').first();
      /** number of labels that the page has called saved since it was opened */
      const saved = async () => {
        const [, count = '0'] = /(\d+|One) labels? saved/.exec((await status.textContent()) ?? '') ?? [];
        return count === 'One' ? 1 : Number(count);
      };
      const before = acknowledged;
      const stage = page.getByRole('region', { name: 'Detection to label' });
      let isKilled = false;
      while (acknowledged < labels && !isKilled) {
        const startedAt = performance.now();
        // Choose species by button: all labels of one could be known before the trial is over.
        if (!(await stage.isVisible())) await Promise.race([stage.waitFor(), page.getByText('Everything is known').waitFor()]);
        if (!(await stage.isVisible()))
          await page
            .getByRole('button', { name: /^Label / })
            .nth(acknowledged % 3)
            .click();
        await page.locator('canvas').first().waitFor();
        const isKillDue = (killsAt[killed] ?? Number.POSITIVE_INFINITY) <= acknowledged;
        await page.keyboard.press(keys[acknowledged % keys.length] ?? 'y');
        if (isKillDue) {
          await review.end('SIGKILL');
          isKilled = true;
          killed += 1;
          acknowledged = before + (await saved());
        } else {
          const count = acknowledged - before + 1;
          await status.getByText(count === 1 ? 'One label saved' : `${count} labels saved`).waitFor();
          acknowledged += 1;
          labelSeconds.push((performance.now() - startedAt) / 1000);
        }
      }
      if (!isKilled) await review.end('SIGINT');
      else say(`killed ${killed} times, ${acknowledged} labels acknowledged`);
      const found = await inFile();
      if (found.length < acknowledged) faults.push(`${acknowledged} labels were acknowledged, ${found.length} are in the file`);
      if (found.length > acknowledged + 1)
        faults.push(`${found.length} labels are in the file, ${acknowledged} were acknowledged`);
      // A label may have been written without being acknowledged in time.
      acknowledged = found.length;
      if (new Set(found.map(({ id }) => id)).size !== found.length) faults.push('a label is in the file twice');
      const real = seen.filter((fault) => !/ERR_CONNECTION|Failed to load resource/.test(fault));
      faults.push(...real);
      await close();
    }
    const perMinute = round(60 / median(labelSeconds), 0);
    return {
      labels: (await inFile()).length,
      kills: killed,
      medianSecondsPerLabel: round(median(labelSeconds), 2),
      perMinute,
      faults,
    };
  } finally {
    await browser.close();
    await remove();
  }
}
