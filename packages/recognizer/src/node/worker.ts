/** A thread of the pool, with one single-threaded ONNX session. The pool sends it one task at a time. */
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { graphMismatch, outputMismatch } from '../model/graph-mismatch.ts';
import type { ModelManifest } from '../model/manifest.ts';
import { lowerThreadPriority } from './lower-thread-priority.ts';
import { findChangedFile } from './model-folder.ts';
import type { SharedClip, WorkerReply, WorkerRequest, WorkerSetUp } from './worker-messages.ts';

// Passed by the pool; both ends are compiled together.
const setUp = workerData as WorkerSetUp;
const { occurrence, labelCount, maxBatchClips } = setUp;

const port = parentPort;
if (!port) throw new Error('this file is a worker of the pool');
const reply = (message: WorkerReply): void => port.postMessage(message);

/** Many single-threaded sessions are faster than one with many threads, and a spinning thread takes the core from its neighbours. */
const sessionOptions: InferenceSession.SessionOptions = {
  graphOptimizationLevel: 'all',
  // The arena reuses memory. Without it, or with one block planned for a whole run, two workers need up to three times as much.
  enableCpuMemArena: true,
  enableMemPattern: false,
  executionMode: 'sequential',
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  extra: { session: { intra_op: { allow_spinning: '0' }, inter_op: { allow_spinning: '0' } } },
};

lowerThreadPriority();

/** The loaded audio model, and memory for a batch of clips. */
interface Acoustic {
  readonly session: InferenceSession;
  readonly audio: ModelManifest['audio'];
  readonly batch: Float32Array;
}

let occurrenceSession: Promise<InferenceSession> | null = null;

/** Hashes are checked at every load: this thread may replace another one, days after the model's folder was opened. */
async function load({ file, sha256, weights }: ModelManifest['webAudio']): Promise<InferenceSession> {
  const hashes = [{ file, sha256 }, weights].map((part) => [part.file, part.sha256] as const);
  const changed = await findChangedFile(setUp.folder, new Map(hashes));
  if (changed !== null) throw new Error(`${changed} has changed since it was installed`);
  return InferenceSession.create(join(setUp.folder, file), sessionOptions);
}

/** The named output: rows with one number per label. */
async function runModel(session: InferenceSession, feeds: Record<string, Tensor>, output: string): Promise<Float32Array> {
  const { data } = (await session.run(feeds, [output]))[output] ?? {};
  if (!(data instanceof Float32Array)) throw new Error(`output ${output} holds no float32 numbers`);
  return data;
}

async function runClips({ session, audio, batch }: Acoustic, clips: readonly SharedClip[]): Promise<void> {
  clips.forEach(({ samples }, index) => {
    batch.set(samples, index * audio.clipSamples);
  });
  const input = new Tensor('float32', batch.subarray(0, clips.length * audio.clipSamples), [clips.length, audio.clipSamples]);
  const logits = await runModel(session, { [audio.inputName]: input }, audio.logitsName);
  if (logits.length !== clips.length * labelCount) throw new Error(`${logits.length} outputs for ${clips.length} clips`);
  clips.forEach(({ outputs }, index) => {
    outputs.set(logits.subarray(index * labelCount, (index + 1) * labelCount));
  });
}

/** @param places latitude, longitude and week of each place, place after place */
async function runOccurrence(places: readonly number[]): Promise<Float32Array> {
  if (!occurrence) throw new Error('the model has no occurrence model');
  occurrenceSession ??= load(occurrence);
  const input = new Tensor('float32', Float32Array.from(places), [places.length / 3, 3]);
  return runModel(await occurrenceSession, { [occurrence.inputName]: input }, occurrence.scoresName);
}

/** Loads the model, checks that it matches the manifest, and runs it once: the first run allocates memory and is slow. */
async function start(audio: ModelManifest['audio']): Promise<Acoustic | null> {
  let session: InferenceSession;
  try {
    session = await load(audio);
  } catch (error) {
    reply({ kind: 'unreadable', file: audio.file, reason: String(error) });
    return null;
  }
  const batch = new Float32Array(maxBatchClips * audio.clipSamples);
  const feeds = { [audio.inputName]: new Tensor('float32', batch, [maxBatchClips, audio.clipSamples]) };
  const mismatch =
    graphMismatch(session, audio) ?? outputMismatch(await runModel(session, feeds, audio.logitsName), maxBatchClips, labelCount);
  if (mismatch === null) return { session, audio, batch };
  reply({ kind: 'unfit', ...mismatch });
  return null;
}

async function answer(acoustic: Acoustic | null, request: WorkerRequest): Promise<void> {
  switch (request.kind) {
    case 'clips':
      if (acoustic === null) throw new Error('this worker was started without the acoustic model');
      await runClips(acoustic, request.clips);
      return reply({ kind: 'done', scores: null });
    case 'occurrence':
      return reply({ kind: 'done', scores: await runOccurrence(request.input) });
    case 'close':
      await acoustic?.session.release();
      await (await occurrenceSession)?.release();
      port?.close();
  }
}

const acoustic = setUp.audio === null ? null : await start(setUp.audio);
if (acoustic !== null || setUp.audio === null) {
  port.on('message', (request: WorkerRequest) => {
    answer(acoustic, request).catch((error: unknown) => reply({ kind: 'failed', reason: String(error) }));
  });
  reply({ kind: 'ready' });
}
