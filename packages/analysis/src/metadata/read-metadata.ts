import { once } from 'node:events';
import type { FileHandle } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { type ByteSource, createTagReader, type RecordingMetadata, readRecordingMetadata } from '@chiffchaff/survey/metadata';
import { openRecording, partsOf } from '../decode/open-recording.ts';

/**
 * When, where and by what a recording was made, as its name and its content say. A file that cannot be opened only has its name; its
 * analysis reports the error.
 */
export async function readMetadata(path: string, name: string): Promise<RecordingMetadata> {
  const file = await openRecording(path).catch(() => null);
  try {
    return await readRecordingMetadata(name.normalize('NFC'), file === null ? NOTHING : await bytesOf(file), {
      readOwnTags: () => readOwnTags(path),
    });
  } finally {
    await file?.close();
  }
}

const readOwnTags = createTagReader<string>(() => {
  const worker = new Worker(new URL('./tag-worker.ts', import.meta.url)).on('error', () => {});
  worker.unref();
  return {
    async read(path) {
      worker.postMessage(path);
      const [findings] = await once(worker, 'message');
      return findings;
    },
    end: () => void worker.terminate(),
  };
});

const NOTHING: ByteSource = { size: 0, read: async () => new Uint8Array(0) };

async function bytesOf(file: FileHandle): Promise<ByteSource> {
  const status = await file.stat();
  // Bytes read from a pipe here would be lost to the decoder.
  if (!status.isFile()) return NOTHING;
  return { size: status.size, read: partsOf(file, status.size) };
}
