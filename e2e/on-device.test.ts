import { shareBrowser } from '@chiffchaff/bench/harness/browser';
import { type OnDevicePage, startOnDevicePage } from '@chiffchaff/bench/harness/on-device';
import { fallingNotes } from '@chiffchaff/bench/harness/recordings';
import { installed } from '@chiffchaff/bench/harness/server';
import { measureParity } from '@chiffchaff/models/testing';
import { type Answer, createRecognizer, forBrowsers } from '@chiffchaff/recognizer';
import { openWorkerPool, readModelFolder } from '@chiffchaff/recognizer/node';
import { needsSharedFolder, sharedPath } from '@chiffchaff/testing/shared-folder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectedOutputs, heardRight, testSound } from '../apps/web/src/platform/on-device/test-sound.ts';

const { modelFolder } = installed;
const WAV_HEADER_BYTES = 44;

/** Samples of falling notes, which need no licence, in the model's format. */
function notes(seconds: number): Float32Array {
  const { buffer } = fallingNotes(seconds);
  const count = (buffer.byteLength - WAV_HEADER_BYTES) / 2;
  return Float32Array.from({ length: count }, (_, index) => buffer.readInt16LE(WAV_HEADER_BYTES + 2 * index) / 32_768);
}

/** The server's answer. */
async function answerInNode(samples: Float32Array): Promise<Answer> {
  const model = await readModelFolder(modelFolder);
  const pool = await openWorkerPool({ modelFolder: model, workers: 1 });
  try {
    const recognizer = createRecognizer({ ...model, runner: pool });
    async function* sound() {
      yield samples;
    }
    return recognizer.conclude(await recognizer.collectEvidence(sound()), { occurrence: null });
  } finally {
    await pool.close();
  }
}

describe('The recogniser in the browser', () => {
  let page: OnDevicePage;

  beforeAll(async () => {
    page = await startOnDevicePage(await shareBrowser());
    await page.open();
  });
  afterAll(() => page?.close());

  it('gives the server’s result, with scores and confidences within 0.05, although its weights are smaller', async () => {
    const sound = notes(12);
    const [here, there] = [await page.conclude(sound), await answerInNode(sound)];
    const named = ({ candidates }: Answer) => candidates.map(({ scientificName }) => scientificName);
    expect(here.verdict.kind).toBe(there.verdict.kind);
    expect(named(here)).toEqual(named(there));
    expect(here.candidates.length).toBeGreaterThan(0);
    for (const [index, { score, confidence }] of here.candidates.entries()) {
      expect(score).toBeCloseTo(there.candidates[index]?.score ?? Number.NaN, 1);
      expect(confidence).toBeCloseTo(there.candidates[index]?.confidence ?? Number.NaN, 1);
    }
  });

  it('has nearly the outputs of the reference interpreter, although its weights are stored with fewer bits', async (context) => {
    needsSharedFolder(context);
    const runner = { logits: page.logits, occurrence: null };
    const results = await measureParity({ fixtures: sharedPath('fixtures/parity'), build: 'web', runner });
    for (const result of results) expect(result).toMatchObject({ passed: true, sameFirst: result.rows });
    expect(results.map(({ set, rows }) => [set, rows])).toEqual([
      ['soundscape', 40],
      ['recordings', 27],
      ['equal samples', 3],
      ['edge', 7],
    ]);
    expect(Math.max(...results.map(({ scoreDifference }) => scoreDifference))).toBeGreaterThan(1e-4);
  });

  it('has the expected outputs for the test recording of the installed model', async () => {
    const { audio } = forBrowsers((await readModelFolder(modelFolder)).manifest);
    const expected = expectedOutputs[audio.weights.sha256];
    expect(expected).toBeDefined();
    const sound = testSound(audio.clipSamples, audio.sampleRate);
    expect(heardRight(await page.logits(sound), expected)).toBe(true);
    expect(heardRight(await page.logits(sound.fill(0)), expected)).toBe(false);
  });

  it('loads the model from the browser’s cache the second time, and makes no request that the security policy forbids', async () => {
    const fetched = page.sentOfModel();
    await page.open();
    // Reads the manifest and lists again; they are small.
    expect(page.sentOfModel() - fetched).toBeLessThan(1e6);
    expect(fetched).toBeGreaterThan(15e6);
    expect(page.faults).toEqual([]);
  });
});
