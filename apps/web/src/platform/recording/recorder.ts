import { createStore, type Store } from '../browser/store.ts';
import type { RecorderFailure, RecorderReply, RecorderRequest } from './recorder-messages.ts';
import { lockOf, type SessionNotes, sessionIdOf } from './sessions.ts';
import { fromPcm } from './wave-file.ts';

/** Writes one recording as it comes, at most some seconds behind. */
export interface Recorder {
  readonly id: string;
  /** Why no more is written; null while all is well. */
  readonly failure: Store<RecorderFailure | null>;
  /** @param samples mono, −1…1; they are handed over */
  add(samples: Float32Array<ArrayBuffer>): void;
  note(notes: SessionNotes): void;
  /** What has been written of some seconds; shorter where there is less. */
  read(startSeconds: number, endSeconds: number): Promise<Float32Array<ArrayBuffer>>;
  /** Settles when all is written that could be. */
  close(): Promise<void>;
}

type WorkerPort = Pick<Worker, 'postMessage' | 'addEventListener' | 'terminate'>;

const startWorker = (): WorkerPort => new Worker(new URL('./recording-worker.ts', import.meta.url), { type: 'module' });

/** Starts a recording. Other tabs do not list it before it is closed or its tab is gone. */
export function openRecorder(startedAt: Date, sampleRate: number, worker: WorkerPort = startWorker()): Recorder {
  const id = sessionIdOf(startedAt);
  const failure = createStore<RecorderFailure | null>(null);
  const readers: ((pcm: Int16Array) => void)[] = [];
  const closed = Promise.withResolvers<void>();
  void navigator.locks.request(lockOf(id), () => closed.promise);

  const post = (request: RecorderRequest, transfer: Transferable[] = []) => worker.postMessage(request, transfer);
  worker.addEventListener('message', ({ data }: MessageEvent<RecorderReply>) => {
    if (data.kind === 'failed') failure.set(data.why);
    if (data.kind === 'read') readers.shift()?.(data.pcm);
    if (data.kind === 'closed') {
      worker.terminate();
      closed.resolve();
    }
  });
  post({ kind: 'open', id, sampleRate });
  return {
    id,
    failure,
    add: (samples) => post({ kind: 'samples', samples }, [samples.buffer]),
    note: (notes) => post({ kind: 'notes', text: JSON.stringify(notes) }),
    async read(startSeconds, endSeconds) {
      const { promise, resolve } = Promise.withResolvers<Int16Array>();
      readers.push(resolve);
      const [fromSample, toSample] = [startSeconds, endSeconds].map((seconds) => Math.round(seconds * sampleRate));
      post({ kind: 'read', fromSample: fromSample ?? 0, toSample: toSample ?? 0 });
      return fromPcm(await promise);
    },
    async close() {
      post({ kind: 'close' });
      await closed.promise;
    },
  };
}
