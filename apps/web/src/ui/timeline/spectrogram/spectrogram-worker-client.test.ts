import { expect, it, vi } from 'vitest';
import { openSpectrogramWorker, prepareSpectrogramWorker, type SpectrogramRequest } from './spectrogram-worker-client.ts';

it('The client of the spectrogram worker returns to each request the spectrum of the time span that it asked for', async () => {
  const posted: SpectrogramRequest[] = [];
  let hear: (event: MessageEvent) => void = () => {};
  const client = openSpectrogramWorker({
    postMessage: (message: SpectrogramRequest) => void posted.push(message),
    addEventListener: (_: string, listener: unknown) => {
      hear = listener as typeof hear;
    },
    terminate() {},
  });
  const stretch = (startSeconds: number) => ({ startSeconds, endSeconds: startSeconds + 1, maxHz: 15_000, columns: 2, rows: 2 });
  const measured = [1, 2].map((start) => client.measure(stretch(start)));
  expect(posted).toEqual([1, 2].map((start) => ({ type: 'measure', window: stretch(start) })));
  for (const level of [1, 2]) hear({ data: Uint8Array.of(level) } as MessageEvent);
  expect(await Promise.all(measured)).toEqual([Uint8Array.of(1), Uint8Array.of(2)]);
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
