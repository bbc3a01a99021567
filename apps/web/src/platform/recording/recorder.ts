import { createStore, type Store } from '../browser/store.ts';
import { accountHere } from '../storage/registry.ts';
import type { RecorderFailure, RecorderReply, RecorderRequest } from './recorder-messages.ts';
import { lockOf, type SessionNotes, sessionIdOf } from './sessions.ts';
import { fromPcm } from './wave-file.ts';

type WorkerPort = Pick<Worker, 'postMessage' | 'addEventListener' | 'terminate'>;

const startWorker = (): WorkerPort => new Worker(new URL('./recording-worker.ts', import.meta.url), { type: 'module' });

/** Starts a recording of the signed-in account, or else of the device. Other tabs list it only once it is closed or its tab is gone. */
export function openRecorder(startedAt: Date, sampleRate: number, worker: WorkerPort = startWorker()) {
  const id = sessionIdOf(startedAt, accountHere());
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
    /** Why writing has stopped; null while it works. */
    failure: failure as Store<RecorderFailure | null>,
    /** @param samples mono, −1…1; ownership passes to the worker */
    add: (samples: Float32Array<ArrayBuffer>) => post({ kind: 'samples', samples }, [samples.buffer]),
    note: (notes: SessionNotes) => post({ kind: 'notes', text: JSON.stringify(notes) }),
    /** The samples written in a stretch of time; fewer if less has been recorded. */
    async read(startSeconds: number, endSeconds: number) {
      const { promise, resolve } = Promise.withResolvers<Int16Array>();
      readers.push(resolve);
      const sampleAt = (seconds: number) => Math.round(seconds * sampleRate);
      post({ kind: 'read', fromSample: sampleAt(startSeconds), toSample: sampleAt(endSeconds) });
      return fromPcm(await promise);
    },
    /** Resolves when everything that could be written has been. */
    async close() {
      post({ kind: 'close' });
      await closed.promise;
    },
  };
}

/** Writes one recording while it is made, at most a few seconds behind. */
export type Recorder = ReturnType<typeof openRecorder>;
