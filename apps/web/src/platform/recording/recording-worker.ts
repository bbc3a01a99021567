import { WAVE_HEADER_BYTES } from '@chiffchaff/recognizer/audio';
import { openFolder } from '../storage/registry.ts';
import { NOTES_FILE, type RecorderReply, type RecorderRequest, SOUND_FILE } from './recorder-messages.ts';
import { firstHeader, toPcm } from './wave-file.ts';

/*
 * Writes one recording to the origin's private file system. A worker, because only workers can write a file in place: everything written
 * survives if the tab is killed.
 */

/** The most that a killed tab loses, apart from samples on their way to this worker. */
const WRITE_EVERY_SECONDS = 1;

const say = (reply: RecorderReply, transfer: Transferable[] = []) => self.postMessage(reply, { transfer });

async function openRecording(id: string, sampleRate: number) {
  const folder = await (await openFolder('recordings')).getDirectoryHandle(id, { create: true });
  const open = async (name: string) => await (await folder.getFileHandle(name, { create: true })).createSyncAccessHandle();
  const [sound, notes] = [await open(SOUND_FILE), await open(NOTES_FILE)];
  sound.write(firstHeader(sampleRate), { at: 0 });
  sound.flush();
  let end = WAVE_HEADER_BYTES;
  let waiting: Float32Array[] = [];
  let waitingSamples = 0;

  const write = () => {
    for (const piece of waiting.splice(0)) {
      const pcm = toPcm(piece);
      const written = sound.write(pcm, { at: end });
      end += written;
      if (written < pcm.byteLength) throw new DOMException('The disk is full', 'QuotaExceededError');
    }
    waitingSamples = 0;
    sound.flush();
  };
  return {
    add(samples: Float32Array) {
      waiting.push(samples);
      waitingSamples += samples.length;
      if (waitingSamples >= WRITE_EVERY_SECONDS * sampleRate) write();
    },
    note(text: string) {
      notes.truncate(0);
      notes.write(new TextEncoder().encode(text), { at: 0 });
      notes.flush();
    },
    read(fromSample: number, toSample: number): Int16Array<ArrayBuffer> {
      write();
      const pcm = new Int16Array(Math.max(0, toSample - fromSample));
      const bytes = sound.read(pcm, { at: WAVE_HEADER_BYTES + fromSample * pcm.BYTES_PER_ELEMENT });
      return pcm.slice(0, Math.floor(bytes / pcm.BYTES_PER_ELEMENT));
    },
    close() {
      try {
        write();
      } finally {
        waiting = [];
        sound.close();
        notes.close();
      }
    },
  };
}

let recording: Awaited<ReturnType<typeof openRecording>> | null = null;
let hasFailed = false;

async function handle(request: RecorderRequest): Promise<void> {
  switch (request.kind) {
    case 'open':
      recording = await openRecording(request.id, request.sampleRate);
      break;
    case 'samples':
      if (!hasFailed) recording?.add(request.samples);
      break;
    case 'notes':
      recording?.note(request.text);
      break;
    case 'read': {
      const pcm = recording?.read(request.fromSample, request.toSample) ?? new Int16Array(0);
      say({ kind: 'read', pcm }, [pcm.buffer]);
      break;
    }
    case 'close':
      recording?.close();
      say({ kind: 'closed' });
  }
}

// Handled one after another: messages wait while the file is being opened.
let before: Promise<void> = Promise.resolve();
self.addEventListener('message', ({ data }: MessageEvent<RecorderRequest>) => {
  before = before
    .then(() => handle(data))
    .catch((error: unknown) => {
      hasFailed = true;
      const isFull = error instanceof DOMException && error.name === 'QuotaExceededError';
      say({ kind: 'failed', why: isFull ? 'full' : 'refused' });
      if (data.kind === 'close') say({ kind: 'closed' });
      if (data.kind === 'read') say({ kind: 'read', pcm: new Int16Array(0) });
    });
});
