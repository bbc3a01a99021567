/** The worker of a page, with one TFLite model and its front end. Runs clips one at a time, in order of arrival. */
import { createFrontEnd } from '../audio/front-end.ts';
import { outputMismatch } from '../model/graph-mismatch.ts';
import { bodyBytes, type WebGraph, widenBody } from '../model/stored-body.ts';
import { openTflite } from './litert.ts';
import { hasRelaxedSimd } from './litert-build.ts';
import type { WorkerReply, WorkerRequest, WorkerStart } from './worker-messages.ts';

const reply = (message: WorkerReply, transfer: Transferable[] = []): void => postMessage(message, transfer);

type RunClip = (samples: Float32Array) => Promise<Float32Array<ArrayBuffer>>;

async function load({ audio, graph, weights, runtime }: WorkerStart): Promise<RunClip> {
  const { frontEnd, body }: WebGraph = JSON.parse(new TextDecoder().decode(graph));
  const script = hasRelaxedSimd
    ? import('@litertjs/core/wasm/litert_wasm_internal.js')
    : import('@litertjs/core/wasm/litert_wasm_compat_internal.js');
  const model = await openTflite((await script).default, runtime, bodyBytes(body), (target) =>
    widenBody(body, new Uint8Array(weights), target),
  );
  const writeSpectrogram = createFrontEnd(frontEnd, audio.clipSamples);
  return (samples) => model.run((spectrogram) => writeSpectrogram(samples, spectrogram));
}

/** Frees memory immediately, even if something still refers to it, as the runtime does to its own code. */
function free(buffers: readonly ArrayBuffer[]): void {
  const { port1, port2 } = new MessageChannel();
  port1.postMessage(null, [...buffers]);
  port1.close();
  port2.close();
}

/** Loads the model, checks that it matches the manifest, and runs it once: the first run allocates memory and is slow. */
async function start(message: WorkerStart): Promise<RunClip | null> {
  const { audio, labelCount } = message;
  let run: RunClip;
  try {
    run = await load(message);
    // The runtime has copied all of them.
    free([message.graph, message.weights, message.runtime]);
  } catch (error) {
    reply({ kind: 'unreadable', reason: String(error) });
    return null;
  }
  const mismatch = outputMismatch(await run(new Float32Array(audio.clipSamples)), 1, labelCount);
  reply(mismatch ? { kind: 'unfit', ...mismatch } : { kind: 'ready' });
  return mismatch ? null : run;
}

let running: Promise<RunClip | null> = Promise.resolve(null);

async function runClip(id: number, samples: Float32Array<ArrayBuffer>, loaded: Promise<RunClip | null>): Promise<void> {
  try {
    const run = await loaded;
    if (run === null) throw new Error('the model is not loaded');
    const outputs = await run(samples);
    reply({ kind: 'done', id, outputs, samples }, [outputs.buffer, samples.buffer]);
  } catch (error) {
    reply({ kind: 'failed', id, reason: String(error), samples }, [samples.buffer]);
  }
}

addEventListener('message', ({ data }: MessageEvent<WorkerRequest>) => {
  if (data.kind === 'start') {
    running = start(data);
    return;
  }
  const loaded = running;
  running = runClip(data.id, data.samples, loaded).then(() => loaded);
});
