import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Prediction, predictionSchema } from '@chiffchaff/contract';
import { launchBrowser } from '../../harness/browser.ts';
import { startOnDevicePage } from '../../harness/on-device.ts';
import { startServer } from '../../harness/server.ts';
import type { TrialResult } from '../trial-result.ts';

const recordings = fileURLToPath(new URL('../../../../../shared/fixtures/audio', import.meta.url));
const SOUND = /\.(wav|flac|mp3|ogg|m4a|webm)$/;
/** The share of recordings that must have the same verdict and first bird. */
const LEAST_EQUAL = 0.98;
const timeZone = 'Europe/Berlin';

interface ComparedAnswer {
  readonly verdict: string;
  readonly first: string | null;
  readonly confidence: number | null;
}

const toldBy = ({ verdict, candidates }: Prediction): ComparedAnswer => ({
  verdict: verdict.kind,
  first: candidates[0]?.scientificName ?? null,
  confidence: candidates[0]?.confidence ?? null,
});

/** Analyses every recording in a folder on the device and on the server, compares verdict and first bird, and lists each difference. */
export async function compareAnswers({
  folder = recordings,
  say,
}: {
  readonly folder?: string | undefined;
  readonly say: (line: string) => void;
}): Promise<TrialResult> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => SOUND.test(name)).sort();
  const [server, browser] = await Promise.all([startServer(), launchBrowser()]);
  try {
    const page = await startOnDevicePage(browser, server.origin);
    await page.open();
    const found = [];
    for (const name of names) {
      const sound = await readFile(join(folder, name));
      const question = { latitude: null, longitude: null, placeSource: 'stated', timeZone, week: null, date: null } as const;
      const there = toldBy(await askServer(server.origin, sound, name));
      try {
        const outcome = await page.analyzeHere(sound, basename(name), { ...question, language: 'en' });
        const here = toldBy(outcome.prediction);
        const { durationSeconds } = outcome.prediction.recording;
        const isEqual = here.verdict === there.verdict && here.first === there.first;
        const speed = Math.round((1000 * durationSeconds) / outcome.totalMs);
        found.push({ name, here, there, isEqual, durationSeconds, speed, answerSoFarMs: outcome.answerSoFarMs });
      } catch (error) {
        found.push({ name, here: null, there, isEqual: false, why: String(error) });
      }
      say(`${name}: ${found.at(-1)?.isEqual ? 'the same' : 'another answer'}`);
    }
    await page.close();
    const equal = found.filter(({ isEqual }) => isEqual).length;
    const differences = found.filter(({ isEqual }) => !isEqual);
    return {
      report: { recordings: found.length, equal, differences, faults: page.faults, found },
      passed: equal >= LEAST_EQUAL * found.length && page.faults.length === 0,
    };
  } finally {
    await browser.close();
    await server.stop();
  }
}

async function askServer(origin: string, sound: Uint8Array<ArrayBuffer>, name: string): Promise<Prediction> {
  const form = new FormData();
  form.set('file', new Blob([sound]), basename(name));
  form.set('timeZone', timeZone);
  form.set('language', 'en');
  const answer = await fetch(`${origin}/get_prediction`, { method: 'POST', body: form });
  if (!answer.ok) throw new Error(`The server answered ${answer.status}: ${await answer.text()}`);
  return predictionSchema.parse(await answer.json());
}
