/** A page that contains only the recogniser, for tests and measurements. */
import '../../../../apps/web/src/platform/browser/without-eval.ts';
import { type Answer, createRecognizer, forBrowsers, modelManifestSchema, readSpeciesTable } from '@chiffchaff/recognizer';
import { createWebRunner, runtimeUrl, sha256Of, type WebRunner } from '@chiffchaff/recognizer/web';

const MODEL = '/model/';

const textOf = async (url: string): Promise<string> => (await fetch(url)).text();

async function readKnowledge() {
  const manifest = forBrowsers(modelManifestSchema.parse(JSON.parse(await textOf(`${MODEL}manifest.json`))));
  const [labels, nonBirds] = await Promise.all([
    textOf(MODEL + manifest.labels.file),
    textOf(MODEL + manifest.labels.nonBirdsFile),
  ]);
  return { manifest, species: readSpeciesTable({ labels, nonBirds, manifest }) };
}

const samplesOf = async (url: string): Promise<Float32Array> => new Float32Array(await (await fetch(url)).arrayBuffer());

/** Gets a file of the model from the cache, or fetches and caches it, and checks its hash either way. */
async function obtain(file: string, sha256: string, cache: Cache): Promise<ArrayBuffer> {
  const url = MODEL + file;
  const kept = await cache.match(url);
  const bytes = await (kept ?? (await fetch(url))).arrayBuffer();
  if ((await sha256Of(bytes)) !== sha256) throw new Error(`${url} has another hash`);
  if (kept === undefined) await cache.put(url, new Response(bytes));
  return bytes;
}

/** Fetches the model, or takes it from the cache, and loads it. */
async function open(): Promise<OnDevice> {
  const knowledge = await readKnowledge();
  const { manifest } = knowledge;
  const { file, sha256, weights } = manifest.audio;
  const started = performance.now();
  const cache = await caches.open('model');
  const [graph, data, runtime] = await Promise.all([
    obtain(file, sha256, cache),
    obtain(weights.file, weights.sha256, cache),
    fetch(runtimeUrl).then((answer) => answer.arrayBuffer()),
  ]);
  const runner: WebRunner = await createWebRunner({ manifest, graph, weights: data, runtime });
  const readyMs = performance.now() - started;
  const job = runner.openJob();
  const run = async (samples: Float32Array): Promise<Float32Array> => {
    const slot = job.take();
    slot.samples.set(samples);
    await job.run(slot);
    const outputs = slot.outputs.slice();
    job.release(slot);
    return outputs;
  };
  return {
    readyMs,
    logits: async (url) => [...(await run(await samplesOf(url)))],
    conclude: async (url) => {
      const recognizer = createRecognizer({ ...knowledge, runner });
      async function* sound() {
        yield await samplesOf(url);
      }
      return recognizer.conclude(await recognizer.collectEvidence(sound()), { occurrence: null });
    },
    time: async (url, runs) => {
      const samples = await samplesOf(url);
      const times: number[] = [];
      for (let index = 0; index < runs; index++) {
        const before = performance.now();
        await run(samples);
        times.push(performance.now() - before);
      }
      return times;
    },
  };
}

/** What the page can do once the model is loaded. Audio is given by a URL that returns float32 samples at the model's rate. */
export interface OnDevice {
  /** milliseconds until the model's files were fetched and verified, and the worker was ready for clips */
  readonly readyMs: number;
  /** logits of one clip */
  logits(url: string): Promise<number[]>;
  /** answer for a recording, without a place */
  conclude(url: string): Promise<Answer>;
  /** milliseconds of each run on one clip */
  time(url: string, runs: number): Promise<number[]>;
}

declare global {
  interface Window {
    openOnDevice: typeof open;
    onDevice?: OnDevice;
  }
}

window.openOnDevice = async () => {
  window.onDevice = await open();
  return window.onDevice;
};
