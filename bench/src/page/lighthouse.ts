/**
 * `npm run lighthouse`: runs Lighthouse on the built page, from a server with the real model, set up like an operator's. Uses
 * Lighthouse's mobile settings: a simulated slow phone on a slow network. Reports medians of the runs, and exits with 1 if a score is
 * below 95.
 *
 * Lighthouse slows the processor down four times, which turns a fast desktop computer into a mid-tier phone, but a slow or busy one into
 * something much slower. As its documentation advises (docs/throttling.md, "Calibrating the CPU slowdown"), the factor is derived from
 * the speed that Lighthouse has measured on this machine, so that the same phone is simulated everywhere; the table shows both.
 */
import { freePort } from '@chiffchaff/server/testing/free-port';
import lighthouse from 'lighthouse';
import { launchBrowser } from '../harness/browser.ts';
import { median, round } from '../harness/measures.ts';
import { limitedRow, type Row, rowText } from '../harness/report.ts';
import { startServer } from '../harness/server.ts';

const least = 95;
/** Lighthouse's benchmark index in the middle of the fast desktop computers that its factor of 4 is meant for. */
const fastDesktopIndex = 1750;
const fastDesktopSlowdown = 4;
const slowdownFor = (index: number): number => Math.max(1, (fastDesktopSlowdown * index) / fastDesktopIndex);
const ofAll = ['performance', 'accessibility', 'best-practices'];
const screens: readonly { readonly path: string; readonly categories: readonly string[] }[] = [
  { path: '/', categories: [...ofAll, 'seo'] },
  // No SEO: search engines do not see screens behind the sign-in.
  { path: '/process', categories: ofAll },
  { path: '/listen', categories: [...ofAll, 'seo'] },
  { path: '/birds/Erithacus%20rubecula', categories: [...ofAll, 'seo'] },
];

interface Run {
  readonly scores: { readonly [category: string]: number };
  /** Audits that cost points, worst first. */
  readonly faults: readonly string[];
  /** Lighthouse's measurement of this machine's speed during the run. */
  readonly benchmarkIndex: number;
}

/** One run in a new browser, so that nothing is cached from the previous run. */
async function measure(url: string, categories: readonly string[], cpuSlowdownMultiplier: number): Promise<Run> {
  const port = await freePort('127.0.0.1');
  await using _browser = await launchBrowser([`--remote-debugging-port=${port}`, '--disable-gpu']);
  const result = await lighthouse(
    url,
    { port, output: 'json', logLevel: 'error', onlyCategories: [...categories] },
    { extends: 'lighthouse:default', settings: { throttling: { cpuSlowdownMultiplier } } },
  );
  if (!result) throw new Error(`Lighthouse said nothing of ${url}`);
  const { lhr } = result;
  if (lhr.runtimeError) throw new Error(`Lighthouse could not measure ${url}: ${lhr.runtimeError.message}`);
  const faults = Object.values(lhr.categories)
    .flatMap(({ auditRefs }) => auditRefs.filter(({ weight }) => weight > 0).map(({ id }) => lhr.audits[id]))
    .flatMap((audit) => (audit && audit.score !== null && audit.score < 0.9 ? [{ score: audit.score, id: audit.id }] : []))
    .toSorted((a, b) => a.score - b.score);
  return {
    scores: Object.fromEntries(categories.map((name) => [name, Math.round((lhr.categories[name]?.score ?? 0) * 100)])),
    faults: faults.map(({ id, score }) => `${id} ${Math.round(score * 100)}`),
    benchmarkIndex: lhr.environment.benchmarkIndex,
  };
}

/** Measures each screen and prints its scores. @returns whether each is high enough */
export async function runLighthouse(runs: number): Promise<boolean> {
  await using server = await startServer();
  const rows: Row[] = [];
  for (const { path, categories } of screens) {
    const url = server.origin + path;
    // The first run only measures the machine's speed, and warms up the server's files.
    const speeds = [(await measure(url, ['performance'], fastDesktopSlowdown)).benchmarkIndex];
    const measured: Run[] = [];
    while (measured.length < runs) {
      const run = await measure(url, categories, slowdownFor(median(speeds)));
      speeds.push(run.benchmarkIndex);
      measured.push(run);
    }
    for (const name of categories) {
      const score = median(measured.map(({ scores }) => scores[name] ?? Number.NaN));
      rows.push(limitedRow(`${path} ${name}`, score, { unit: 'of 100', least }));
    }
    const audits = [...new Set(measured.flatMap(({ faults }) => faults))];
    rows.push(
      { what: `${path} below 90`, figure: audits.join(', ') || 'no audit' },
      { what: 'machine', figure: `index ${round(median(speeds), 0)}, slowed down ${round(slowdownFor(median(speeds)))} times` },
    );
  }
  process.stdout.write(rows.map(rowText).join(''));
  return rows.every(({ faults = [] }) => faults.length === 0);
}
