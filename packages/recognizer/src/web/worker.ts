/** The worker of a page, with a single-threaded ONNX session. Runs clips one at a time, in order of arrival. */
import { env, InferenceSession, Tensor } from 'onnxruntime-web/wasm';
import { graphMismatch, outputMismatch } from '../model/graph-mismatch.ts';
import type { WorkerReply, WorkerRequest, WorkerStart } from './worker-messages.ts';

// More threads need a cross-origin isolated page, and gain nothing where cores are shared.
env.wasm.numThreads = 1;

const reply = (message: WorkerReply, transfer: Transferable[] = []): void => postMessage(message, transfer);

type RunClip = (samples: Float32Array) => Promise<Float32Array>;

async function load({ audio, graph, weights, runtime }: WorkerStart): Promise<InferenceSession> {
  if (runtime) env.wasm.wasmBinary = runtime;
  return InferenceSession.create(new Uint8Array(graph), {
    executionProviders: ['wasm'],
    graphOptimizationLevel: 'all',
    executionMode: 'sequential',
    externalData: [{ path: audio.weights.file, data: new Uint8Array(weights) }],
  });
}

/** Frees memory immediately, even if something still refers to it, as the runtime does to its own code. */
function free(buffers: readonly (ArrayBuffer | undefined)[]): void {
  const { port1, port2 } = new MessageChannel();
  port1.postMessage(
    null,
    buffers.filter((buffer) => buffer !== undefined),
  );
  port1.close();
  port2.close();
}

/** Loads the model, checks that it matches the manifest, and runs it once: the first run allocates memory and is slow. */
async function start(message: WorkerStart): Promise<RunClip | null> {
  const { audio, labelCount } = message;
  let session: InferenceSession;
  try {
    session = await load(message);
    // The runtime has copied all of them.
    free([message.graph, message.weights, message.runtime]);
  } catch (error) {
    reply({ kind: 'unreadable', reason: String(error) });
    return null;
  }
  const run: RunClip = async (samples) => {
    const input = new Tensor('float32', samples, [1, audio.clipSamples]);
    const { data } = (await session.run({ [audio.inputName]: input }, [audio.logitsName]))[audio.logitsName] ?? {};
    if (!(data instanceof Float32Array)) throw new Error(`output ${audio.logitsName} holds no float32 numbers`);
    return data;
  };
  const mismatch = graphMismatch(session, audio) ?? outputMismatch(await run(new Float32Array(audio.clipSamples)), 1, labelCount);
  reply(mismatch ? { kind: 'unfit', ...mismatch } : { kind: 'ready' });
  return mismatch ? null : run;
}

let running: Promise<RunClip | null> = Promise.resolve(null);

async function runClip(id: number, samples: Float32Array<ArrayBuffer>, loaded: Promise<RunClip | null>): Promise<void> {
  try {
    const run = await loaded;
    if (run === null) throw new Error('the model is not loaded');
    // A copy, because the output may lie in the runtime's own memory, which cannot be transferred.
    const outputs = Float32Array.from(await run(samples));
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
