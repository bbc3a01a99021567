import { describe, expect, it } from 'vitest';
import type { ClipJob } from '../model/session.ts';
import { createRecognizer } from '../recognizer.ts';
import { fakeClip, fakeModel } from '../testing/fake-model.ts';
import { startRunner, type WorkerPort } from './web-runner.ts';
import type { WorkerReply, WorkerRequest } from './worker-messages.ts';

const model = fakeModel([
  ['Turdus merula', 'bird'],
  ['Pica pica', 'bird'],
]);

interface FakeWorker extends WorkerPort {
  readonly requests: WorkerRequest[];
  readonly terminated: boolean;
  say(reply: WorkerReply): void;
  die(message: string): void;
}

/** A worker that the test controls. Messages are cloned, as by a real one. */
function fakeWorker(onRequest: (request: WorkerRequest, worker: FakeWorker) => void = () => undefined): FakeWorker {
  const events = new EventTarget();
  let terminated = false;
  const worker: FakeWorker = {
    requests: [],
    get terminated() {
      return terminated;
    },
    postMessage(request, transfer = []) {
      const received: WorkerRequest = structuredClone(request, { transfer: transfer as ArrayBuffer[] });
      worker.requests.push(received);
      queueMicrotask(() => onRequest(received, worker));
    },
    addEventListener: (type: string, listener: (event: never) => void) =>
      events.addEventListener(type, listener as unknown as EventListener),
    terminate() {
      terminated = true;
    },
    say: (data) => void events.dispatchEvent(Object.assign(new Event('message'), { data })),
    die: (message) => void events.dispatchEvent(Object.assign(new Event('error'), { message })),
  };
  return worker;
}

const files = () => ({
  manifest: model.manifest,
  graph: new ArrayBuffer(8),
  weights: new ArrayBuffer(4),
  runtime: new ArrayBuffer(2),
});

/** Loads at once and runs no clips. */
const loading = () => fakeWorker(({ kind }, worker) => kind === 'start' && worker.say({ kind: 'ready' }));

/** Loads at once. The logit of the first label is the clip's first sample. */
const echoing = () =>
  fakeWorker((request, worker) => {
    if (request.kind === 'start') worker.say({ kind: 'ready' });
    else
      worker.say({
        kind: 'done',
        id: request.id,
        outputs: Float32Array.of(request.samples[0] ?? 0, -9),
        samples: request.samples,
      });
  });

const idsOf = ({ requests }: FakeWorker): number[] =>
  requests.flatMap((request) => (request.kind === 'clip' ? [request.id] : []));

function runWith(job: ClipJob, first: number) {
  const slot = job.take();
  slot.samples.fill(first);
  const done = job.run(slot);
  done.catch(() => undefined);
  return { slot, done };
}

describe('The part of the page that runs the model in a worker (`startRunner`)', () => {
  it('passes the model files to its worker and is ready when they are loaded', async () => {
    const worker = loading();
    const options = files();
    await startRunner(options, worker);
    expect(worker.requests).toMatchObject([{ kind: 'start', labelCount: 2, audio: { file: 'audio.onnx' } }]);
    expect([options.graph, options.weights, options.runtime].map(({ byteLength }) => byteLength)).toEqual([0, 0, 0]);
  });

  it('returns each clip’s own outputs, in whatever order the worker sends them', async () => {
    const worker = loading();
    const job = (await startRunner(files(), worker)).openJob();
    const [first, second] = [runWith(job, 1), runWith(job, 2)];
    const [one = 0, two = 0] = idsOf(worker);
    worker.say({ kind: 'done', id: two, outputs: Float32Array.of(20, 21), samples: new Float32Array(fakeClip.clipSamples) });
    worker.say({ kind: 'done', id: one, outputs: Float32Array.of(10, 11), samples: new Float32Array(fakeClip.clipSamples) });
    await Promise.all([first.done, second.done]);
    expect([[...first.slot.outputs], [...second.slot.outputs]]).toEqual([
      [10, 11],
      [20, 21],
    ]);
  });

  it('transfers a clip’s memory to the worker, and reuses it', async () => {
    const worker = echoing();
    const job = (await startRunner(files(), worker)).openJob();
    const { slot, done } = runWith(job, 3);
    const length = (): number => slot.samples.length;
    expect(length()).toBe(0);
    await done;
    expect(length()).toBe(fakeClip.clipSamples);
    expect(slot.outputs[0]).toBe(3);
    job.release(slot);
    expect(job.take()).toBe(slot);
  });

  it('analyses a recording through the recognizer', async () => {
    const recognizer = createRecognizer({ ...model, runner: await startRunner(files(), echoing()) });
    async function* sound() {
      yield new Float32Array(10 * fakeClip.sampleRate).fill(4);
    }
    const evidence = await recognizer.collectEvidence(sound());
    expect(recognizer.conclude(evidence, { occurrence: null }).candidates[0]?.scientificName).toBe('Turdus merula');
  });

  it('drops the clips of a cancelled job, but not those of others', async () => {
    const worker = loading();
    const runner = await startRunner(files(), worker);
    const controller = new AbortController();
    const [cancelled, other] = [runner.openJob(controller.signal), runner.openJob()];
    const [lost, kept] = [runWith(cancelled, 1), runWith(other, 2)];
    controller.abort(new Error('enough'));
    await expect(lost.done).rejects.toThrow('enough');
    await expect(cancelled.run(cancelled.take())).rejects.toThrow('enough');
    const [one = 0, two = 0] = idsOf(worker);
    worker.say({ kind: 'done', id: one, outputs: Float32Array.of(5, 5), samples: new Float32Array(fakeClip.clipSamples) });
    worker.say({ kind: 'done', id: two, outputs: Float32Array.of(6, 6), samples: new Float32Array(fakeClip.clipSamples) });
    await kept.done;
    expect([...lost.slot.outputs]).toEqual([0, 0]);
    expect([...kept.slot.outputs]).toEqual([6, 6]);
  });

  it('rejects a clip that could not be run, and runs the next', async () => {
    const worker = loading();
    const job = (await startRunner(files(), worker)).openJob();
    const failed = runWith(job, 1);
    worker.say({
      kind: 'failed',
      id: idsOf(worker)[0] ?? 0,
      reason: 'out of memory',
      samples: new Float32Array(fakeClip.clipSamples),
    });
    await expect(failed.done).rejects.toMatchObject({ code: 'INFERENCE_FAILED', details: { reason: 'out of memory' } });
    const next = runWith(job, 2);
    worker.say({
      kind: 'done',
      id: idsOf(worker)[1] ?? 0,
      outputs: Float32Array.of(1, 1),
      samples: new Float32Array(fakeClip.clipSamples),
    });
    await expect(next.done).resolves.toBeUndefined();
  });

  it.each([
    [
      { kind: 'unreadable', reason: 'no protobuf' },
      { code: 'MODEL_UNREADABLE', details: { file: 'audio.onnx' } },
    ],
    [{ kind: 'unfit', found: '3 outputs', expected: '2 labels' }, { code: 'MODEL_MISMATCH' }],
  ] as const)('ends its worker if the model cannot be used: %o', async (said, error) => {
    const worker = fakeWorker((_request, told) => told.say(said));
    await expect(startRunner(files(), worker)).rejects.toMatchObject(error);
    expect(worker.terminated).toBe(true);
  });

  it('rejects every job when its worker dies', async () => {
    const worker = loading();
    const runner = await startRunner(files(), worker);
    const clip = runWith(runner.openJob(), 1);
    worker.die('memory access out of bounds');
    await expect(clip.done).rejects.toMatchObject({ code: 'INFERENCE_FAILED' });
    expect(() => runner.openJob()).toThrow(expect.objectContaining({ code: 'INFERENCE_FAILED' }));
  });

  it('rejects all work when it is closed', async () => {
    const worker = loading();
    const runner = await startRunner(files(), worker);
    const clip = runWith(runner.openJob(), 1);
    runner.close();
    await expect(clip.done).rejects.toMatchObject({ code: 'RUNNER_CLOSED' });
    expect(worker.terminated).toBe(true);
  });
});
