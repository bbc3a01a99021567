import type { FileHandle } from 'node:fs/promises';
import { openRecording } from '@chiffchaff/analysis';
import {
  type ByteSource,
  type Circumstances,
  circumstancesOf,
  type Note,
  type RecordingMetadata,
  readRecordingMetadata,
  readSites,
  type Site,
} from '@chiffchaff/survey';
import { readGiven } from '../files.ts';
import type { IdentifyOptions } from './options.ts';

const UNKNOWN: RecordingMetadata = { date: null, place: null, time: null, offsetMinutes: null, recorders: [], temperature: null };

/** @throws InputError when the list of sites cannot be read */
export async function openSites(file: string | null, startFolder: string, note: Note): Promise<readonly Site[]> {
  if (file === null) return [];
  return readGiven({ what: 'The list of sites', file, startFolder, note }, readSites);
}

/** Where and when a recording was made. A file that cannot be opened has no metadata; its analysis reports the error. */
export async function readCircumstances(path: string, options: IdentifyOptions, sites: readonly Site[]): Promise<Circumstances> {
  const metadata = options.readsMetadata ? await readMetadata(path) : UNKNOWN;
  return circumstancesOf(path, metadata, { sites, stated: options.place });
}

async function readMetadata(path: string): Promise<RecordingMetadata> {
  const file = await openRecording(path).catch(() => null);
  try {
    return await readRecordingMetadata(path, file === null ? NOTHING : await bytesOf(file));
  } finally {
    await file?.close();
  }
}

const NOTHING: ByteSource = { size: 0, read: async () => new Uint8Array(0) };

async function bytesOf(file: FileHandle): Promise<ByteSource> {
  const status = await file.stat();
  // Bytes read from a pipe here would be lost to the decoder.
  if (!status.isFile()) return NOTHING;
  return {
    size: status.size,
    async read(offset, length) {
      const bytes = new Uint8Array(length);
      const { bytesRead } = await file.read(bytes, 0, length, offset);
      return bytes.subarray(0, bytesRead);
    },
  };
}
