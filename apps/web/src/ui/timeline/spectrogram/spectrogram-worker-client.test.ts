import { expect, it, vi } from 'vitest';
import {
  openSpectrogramWorker,
  prepareSpectrogramWorker,
  type SpectrogramJob,
  type SpectrogramRequest,
} from './spectrogram-worker-client.ts';

const window = (startSeconds: number) => ({ startSeconds, endSeconds: startSeconds + 1, maxHz: 15_000, columns: 2, rows: 2 });
const measure = (startSeconds: number): SpectrogramJob & { kind: 'measure' } => ({
  kind: 'measure',
  window: window(startSeconds),
});
const goOn = new AbortController().signal;

/** A worker whose jobs the test completes. */
function fakeWorker() {
  const jobs: (SpectrogramRequest & { type: 'job' })[] = [];
  let hear: (event: MessageEvent) => void = () => {};
  const client = openSpectrogramWorker({
    postMessage: (message: SpectrogramRequest) => {
      if (message.type === 'job') jobs.push(message);
    },
    addEventListener: (_: string, listener: unknown) => {
      hear = listener as typeof hear;
    },
    terminate() {},
  });
  const answer = (index: number, result: unknown) => hear({ data: { id: jobs[index]?.id, result } } as MessageEvent);
  const starts = () => jobs.map(({ job }) => (job.kind === 'measure' ? job.window.startSeconds : 'paint'));
  return { client, answer, starts };
}

it('The spectrogram worker gets two jobs at a time and returns each its own result', async () => {
  const { client, answer, starts } = fakeWorker();
  const [first, second, third] = [1, 2, 3].map((start) => client.perform(measure(start), goOn));
  expect(starts()).toEqual([1, 2]);
  answer(1, Uint8Array.of(2));
  expect(starts()).toEqual([1, 2, 3]);
  answer(0, Uint8Array.of(1));
  answer(2, Uint8Array.of(3));
  expect(await Promise.all([first, second, third])).toEqual([Uint8Array.of(1), Uint8Array.of(2), Uint8Array.of(3)]);
});

it('The spectrogram worker gets no cancelled job, and paints measured tiles before it measures more', async () => {
  const { client, answer, starts } = fakeWorker();
  const cancelled = new AbortController();
  void client.perform(measure(1), goOn);
  void client.perform(measure(2), goOn);
  const given = client.perform(measure(3), cancelled.signal);
  void client.perform(measure(4), goOn);
  void client.perform({ kind: 'paint', levels: new Uint8Array(4), rows: 2, palette: 'ink' }, goOn);
  cancelled.abort();
  await expect(given).rejects.toThrow('abort');
  answer(0, Uint8Array.of(1));
  answer(1, Uint8Array.of(2));
  expect(starts()).toEqual([1, 2, 'paint', 4]);
});

it('A spectrogram uses the worker that was started in advance, and each later spectrogram starts a worker of its own', () => {
  const started: unknown[][] = [];
  vi.stubGlobal(
    'Worker',
    class extends EventTarget {
      readonly #posted: unknown[] = [];
      constructor() {
        super();
        started.push(this.#posted);
      }
      postMessage({ type }: SpectrogramRequest) {
        this.#posted.push(type);
      }
    },
  );
  // Takes a worker that a screen of another test may have prepared.
  openSpectrogramWorker().load([], 32_000);
  started.length = 0;
  prepareSpectrogramWorker();
  prepareSpectrogramWorker();
  openSpectrogramWorker().load([new Float32Array(1)], 32_000);
  expect(started).toEqual([['warm-up', 'load']]);
  openSpectrogramWorker().load([new Float32Array(1)], 32_000);
  expect(started).toEqual([['warm-up', 'load'], ['load']]);
});
