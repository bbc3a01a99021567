import type { SpectrumExtent } from '@chiffchaff/recognizer/audio';
import type { PaletteName } from './worker/paint-levels.ts';

/** Messages to the worker: optionally a warm-up, then one recording's samples, then any number of jobs. */
export type SpectrogramRequest =
  /** Has no reply; it exists because code that has run before is several times as fast. */
  | { readonly type: 'warm-up' }
  | { readonly type: 'load'; readonly channels: readonly Float32Array<ArrayBuffer>[]; readonly sampleRate: number }
  | { readonly type: 'job'; readonly id: number; readonly job: SpectrogramJob };

export type SpectrogramJob =
  /** Levels of a stretch of the loaded recording. */
  | { readonly kind: 'measure'; readonly window: SpectrumExtent }
  | { readonly kind: 'paint'; readonly levels: Uint8Array<ArrayBuffer>; readonly rows: number; readonly palette: PaletteName };

interface SpectrogramResults {
  measure: Uint8Array<ArrayBuffer>;
  paint: ImageBitmap;
}

export interface SpectrogramReply {
  readonly id: number;
  readonly result: SpectrogramResults[keyof SpectrogramResults];
}

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

interface QueuedJob {
  readonly job: SpectrogramJob;
  readonly signal: AbortSignal;
  readonly resolve: (result: never) => void;
  readonly reject: (reason: unknown) => void;
}

/** Jobs posted to the worker at a time: one in progress and one to continue with. */
const HANDED_OVER = 2;

/** Jobs wait here rather than in the worker, so that one cancelled before its turn costs nothing. */
export function openSpectrogramWorker(worker: WorkerPort = takeWorker()) {
  const underWay = new Map<number, QueuedJob>();
  let queue: QueuedJob[] = [];
  let lastId = 0;
  const post = (message: SpectrogramRequest, transfer: Transferable[]) => worker.postMessage(message, transfer);

  const handOver = () => {
    while (underWay.size < HANDED_OVER) {
      const next = queue.shift();
      if (!next) return;
      lastId += 1;
      underWay.set(lastId, next);
      post({ type: 'job', id: lastId, job: next.job }, []);
    }
  };
  worker.addEventListener('message', (event) => {
    const { id, result } = (event as MessageEvent<SpectrogramReply>).data;
    const done = underWay.get(id);
    underWay.delete(id);
    handOver();
    if (done?.signal.aborted && 'close' in result) result.close();
    else done?.resolve(result as never);
  });
  return {
    /** Transfers a recording's samples; the arrays are empty afterwards. */
    load: (channels: readonly Float32Array<ArrayBuffer>[], sampleRate: number) =>
      post(
        { type: 'load', channels, sampleRate },
        channels.map(({ buffer }) => buffer),
      ),
    /** @throws DOMException (AbortError) when the signal aborts */
    perform<Job extends SpectrogramJob>(job: Job, signal: AbortSignal): Promise<SpectrogramResults[Job['kind']]> {
      return new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const waiting: QueuedJob = { job, signal, resolve, reject };
        signal.addEventListener('abort', () => {
          queue = queue.filter((other) => other !== waiting);
          reject(signal.reason);
        });
        // Painting is quick and gives the user something to look at.
        if (job.kind === 'paint') queue.unshift(waiting);
        else queue.push(waiting);
        handOver();
      });
    },
    close: () => worker.terminate(),
  };
}
