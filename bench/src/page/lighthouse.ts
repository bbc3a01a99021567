/**
 * `npm run lighthouse`: runs Lighthouse on the built page, from a server with the real model, set up like an operator's. Uses
 * Lighthouse's mobile settings: a simulated slow phone on a slow network. Reports medians of the runs, and exits with 1 if a score is
 * below 95.
 *
 * Lighthouse slows the processor down four times, which turns a fast desktop computer into a mid-tier phone, but a slow or busy one into
 * something much slower. As its documentation advises (docs/throttling.md, "Calibrating the CPU slowdown"), the factor is derived from
 * the speed that Lighthouse has measured on this machine, so that the same phone is simulated everywhere; the table shows both.
 */
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import lighthouse from 'lighthouse';
import { launchBrowser } from '../harness/browser.ts';
import { median } from '../harness/measures.ts';
import { startServer } from '../harness/server.ts';

const least = 95;
/** Lighthouse's benchmark index in the middle of the fast desktop computers that its factor of 4 is meant for. */
const fastDesktopIndex = 1750;
const fastDesktopSlowdown = 4;
const slowdownFor = (index: number): number => Math.max(1, (fastDesktopSlowdown * index) / fastDesktopIndex);
const screens = [
  { path: '/', categories: ['performance', 'accessibility', 'best-practices', 'seo'] },
  // No SEO: search engines do not see screens behind the sign-in.
  { path: '/process', categories: ['performance', 'accessibility', 'best-practices'] },
] as const;

/** What explains a performance score: all in milliseconds except the layout shift. */
const metrics = [
  'first-contentful-paint',
  'largest-contentful-paint',
  'total-blocking-time',
  'speed-index',
  'cumulative-layout-shift',
];

/** A currently free port. */
function findPort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => (address !== null && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port'))));
    });
  });
}

interface Run {
  readonly scores: { readonly [category: string]: number };
  readonly metrics: { readonly [metric: string]: number };
  /** Audits that cost points, worst first. */
  readonly faults: readonly string[];
  /** Lighthouse's measurement of this machine's speed during the run. */
  readonly benchmarkIndex: number;
}

/** One run in a new browser, so that nothing is cached from the previous run. */
async function measure(url: string, categories: readonly string[], cpuSlowdownMultiplier: number): Promise<Run> {
  const port = await findPort();
  const browser = await launchBrowser([`--remote-debugging-port=${port}`, '--disable-gpu']);
  try {
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
      metrics: Object.fromEntries(metrics.map((name) => [name, lhr.audits[name]?.numericValue ?? Number.NaN])),
      faults: faults.map(({ id, score }) => `${id} ${Math.round(score * 100)}`),
      benchmarkIndex: lhr.environment.benchmarkIndex,
    };
  } finally {
    await browser.close();
  }
}

/** Measures each screen, prints a table, and writes the figures to `json` unless it is null. @returns whether every score is high enough */
export async function runLighthouse({ runs, json }: { readonly runs: number; readonly json: string | null }): Promise<boolean> {
  const server = await startServer();
  const found = [];
  try {
    for (const { path, categories } of screens) {
      const url = server.origin + path;
      // The first run only measures the machine's speed, and warms up the server's files.
      const speeds = [(await measure(url, ['performance'], fastDesktopSlowdown)).benchmarkIndex];
      const measured: Run[] = [];
      for (let index = 0; index < runs; index += 1) {
        const run = await measure(url, categories, slowdownFor(median(speeds)));
        speeds.push(run.benchmarkIndex);
        measured.push(run);
      }
      const medians = <Name extends 'scores' | 'metrics'>(kind: Name, names: readonly string[]) =>
        Object.fromEntries(names.map((name) => [name, median(measured.map((run) => run[kind][name] ?? Number.NaN))]));
      const scores = medians('scores', categories);
      found.push({
        path,
        runs,
        scores,
        metrics: medians('metrics', metrics),
        benchmarkIndex: Math.round(median(speeds)),
        cpuSlowdown: Math.round(slowdownFor(median(speeds)) * 10) / 10,
        faults: [...new Set(measured.flatMap((run) => run.faults))],
      });
    }
  } finally {
    await server.stop();
  }

  const show = (value: number | undefined) => (value === undefined ? '' : value < 10 ? value.toFixed(2) : value.toFixed(0));
  process.stdout.write(
    '| Screen | Performance | Accessibility | Best practices | SEO | FCP, LCP, TBT, SI (ms), CLS | machine (index), slowed down |\n|---|---|---|---|---|---|---|\n',
  );
  for (const { path, scores, metrics: numbers, faults, benchmarkIndex, cpuSlowdown } of found) {
    const cells = ['performance', 'accessibility', 'best-practices', 'seo'].map((name) => scores[name] ?? '');
    process.stdout.write(
      `| \`${path}\` | ${cells.join(' | ')} | ${metrics.map((name) => show(numbers[name])).join(', ')} | ${benchmarkIndex}, ${cpuSlowdown} × |\n`,
    );
    if (faults.length > 0) process.stdout.write(`  ${path}, audits below 90: ${faults.join(', ')}\n`);
  }
  if (json !== null) await writeFile(json, `${JSON.stringify(found, null, 2)}\n`);
  const passed = found.every(({ scores }) => Object.values(scores).every((score) => score >= least));
  if (!passed) process.stdout.write(`Below ${least}.\n`);
  return passed;
}
