import type { SpectrumExtent } from '@chiffchaff/recognizer/audio';

/** Messages to the worker: optionally a warm-up, then one recording's samples, then any number of stretches to measure. */
export type SpectrogramRequest =
  /** Has no reply; it exists because code that has run before is several times as fast. */
  | { readonly type: 'warm-up' }
  | { readonly type: 'load'; readonly channels: readonly Float32Array<ArrayBuffer>[]; readonly sampleRate: number }
  /** The reply is the levels; replies come in the order of requests. */
  | { readonly type: 'measure'; readonly window: SpectrumExtent };

type Levels = Uint8Array<ArrayBuffer>;
type WorkerPort = Pick<Worker, 'postMessage' | 'addEventListener' | 'terminate'>;

const startWorker = (): WorkerPort => new Worker(new URL('./worker/spectrogram-worker.ts', import.meta.url), { type: 'module' });

let prepared: WorkerPort | null = null;

/** Starts the worker that is opened next and lets it warm up. Call this while idle, before a recording is drawn. */
export function prepareSpectrogramWorker(): void {
  if (prepared) return;
  prepared = startWorker();
  prepared.postMessage({ type: 'warm-up' } satisfies SpectrogramRequest);
}

function takeWorker(): WorkerPort {
  const worker = prepared ?? startWorker();
  prepared = null;
  return worker;
}

export function openSpectrogramWorker(worker: WorkerPort = takeWorker()) {
  const waiting: ((levels: Levels) => void)[] = [];
  const post = (message: SpectrogramRequest, transfer: Transferable[] = []) => worker.postMessage(message, transfer);
  worker.addEventListener('message', (event) => waiting.shift()?.((event as MessageEvent<Levels>).data));
  return {
    /** Transfers a recording's samples; the arrays are empty afterwards. */
    load: (channels: readonly Float32Array<ArrayBuffer>[], sampleRate: number) =>
      post(
        { type: 'load', channels, sampleRate },
        channels.map(({ buffer }) => buffer),
      ),
    /** Levels of a stretch of the loaded recording. */
    measure(window: SpectrumExtent): Promise<Levels> {
      const { promise, resolve } = Promise.withResolvers<Levels>();
      waiting.push(resolve);
      post({ type: 'measure', window });
      return promise;
    },
    close: () => worker.terminate(),
  };
}
