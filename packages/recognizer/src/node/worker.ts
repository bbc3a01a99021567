/** One thread of the pool: one ONNX session with one thread of its own. Does one task after the other, as it is told. */
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { giveWay } from './give-way.ts';
import type { SharedClip, WorkerReply, WorkerRequest, WorkerSetUp } from './worker-messages.ts';

// What the pool passes; both ends are compiled together.
const setUp = workerData as WorkerSetUp;
const { audio, occurrence, labelCount } = setUp;

const port = parentPort;
if (!port) throw new Error('this file is a worker of the pool');
const reply = (message: WorkerReply): void => port.postMessage(message);

/** Many one-thread sessions are faster than one of many threads, and a thread that spins takes the core from its neighbours. */
const sessionOptions: InferenceSession.SessionOptions = {
  graphOptimizationLevel: 'all',
  // The arena hands the same memory out again and again; without it, or with one block planned for a whole run, two workers
  // need up to three times as much.
  enableCpuMemArena: true,
  enableMemPattern: false,
  executionMode: 'sequential',
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  extra: { session: { intra_op: { allow_spinning: '0' }, inter_op: { allow_spinning: '0' } } },
};

giveWay();

const batch = new Float32Array(setUp.maxBatchClips * audio.clipSamples);
let occurrenceSession: Promise<InferenceSession> | null = null;

async function load(file: string): Promise<InferenceSession> {
  return InferenceSession.create(join(setUp.folder, file), sessionOptions);
}

/** The output of that name, as rows of one number a label. */
async function runModel(session: InferenceSession, feeds: Record<string, Tensor>, output: string): Promise<Float32Array> {
  const { data } = (await session.run(feeds, [output]))[output] ?? {};
  if (!(data instanceof Float32Array)) throw new Error(`output ${output} holds no float32 numbers`);
  return data;
}

async function runClips(session: InferenceSession, clips: readonly SharedClip[]): Promise<void> {
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

async function runOccurrence(place: readonly number[]): Promise<Float32Array> {
  if (!occurrence) throw new Error('the model has no occurrence model');
  occurrenceSession ??= load(occurrence.file);
  const input = new Tensor('float32', Float32Array.from(place), [1, place.length]);
  return runModel(await occurrenceSession, { [occurrence.inputName]: input }, occurrence.scoresName);
}

/** Loads the model, checks that it is the one the manifest describes, and lets it run once: the first run allocates and is slow. */
async function start(): Promise<InferenceSession | null> {
  let session: InferenceSession;
  try {
    session = await load(audio.file);
  } catch (error) {
    reply({ kind: 'unreadable', file: audio.file, reason: String(error) });
    return null;
  }
  const missing = [
    ...(session.inputNames.includes(audio.inputName) ? [] : [`input ${audio.inputName}`]),
    ...(session.outputNames.includes(audio.logitsName) ? [] : [`output ${audio.logitsName}`]),
  ];
  if (missing.length > 0) {
    const found = `a graph with inputs ${session.inputNames.join(', ')} and outputs ${session.outputNames.join(', ')}`;
    reply({ kind: 'unfit', found, expected: missing.join(' and ') });
    return null;
  }
  const input = new Tensor('float32', batch, [setUp.maxBatchClips, audio.clipSamples]);
  const outputs = await runModel(session, { [audio.inputName]: input }, audio.logitsName);
  if (outputs.length !== setUp.maxBatchClips * labelCount) {
    reply({ kind: 'unfit', found: `${outputs.length / setUp.maxBatchClips} outputs a clip`, expected: `${labelCount} labels` });
    return null;
  }
  return session;
}

async function answer(session: InferenceSession, request: WorkerRequest): Promise<void> {
  switch (request.kind) {
    case 'clips':
      await runClips(session, request.clips);
      return reply({ kind: 'done', scores: null });
    case 'occurrence':
      return reply({ kind: 'done', scores: await runOccurrence(request.input) });
    case 'close':
      await session.release();
      await (await occurrenceSession)?.release();
      port?.close();
  }
}

const session = await start();
if (session) {
  port.on('message', (request: WorkerRequest) => {
    answer(session, request).catch((error: unknown) => reply({ kind: 'failed', reason: String(error) }));
  });
  reply({ kind: 'ready' });
}
