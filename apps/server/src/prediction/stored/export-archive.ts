import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { type TableName, tableFormats } from '@chiffchaff/analysis';
import type { TableOptions } from '@chiffchaff/contract';
import { ZipFile } from 'yazl';
import { HttpProblem } from '../../http/http-problem.ts';
import type { AudioRetention } from '../audio/audio-retention.ts';
import { createFolderNames } from './folder-names.ts';
import { overviewPng } from './overview-png.ts';
import type { PredictionStore, StoredRow } from './prediction-store.ts';
import type { StoredAnswers } from './stored-answers.ts';

/** Where the contents of an archive come from. */
export interface ArchiveSources {
  readonly store: Pick<PredictionStore, 'answersOf' | 'overviewOf'>;
  readonly answers: Pick<StoredAnswers, 'headOf' | 'fileOf' | 'tableOf'>;
  readonly sounds: Pick<AudioRetention, 'play'>;
}

/** The tables in each prediction's folder of the archive. */
const TABLES: readonly { readonly file: string; readonly name: TableName }[] = [
  { file: 'detections.csv', name: 'csv' },
  { file: 'selections.txt', name: 'raven' },
  { file: 'labels.txt', name: 'audacity' },
];

/**
 * Writes a ZIP of an account's predictions while it is read: `detections.csv` with all detections, and a folder per prediction with JSON,
 * tables, overview and kept audio. Only one prediction is in memory and one table open at a time. When this ends, nothing is being made any
 * more.
 *
 * @param signal aborts when the archive is no longer being read
 * @param onError receives the reason when the archive breaks off; then its stream fails
 */
export async function* writeExportArchive(
  { store, answers, sounds }: ArchiveSources,
  accountId: string,
  options: TableOptions,
  signal: AbortSignal,
  onError: (error: unknown) => void,
): AsyncGenerator<Uint8Array, void> {
  const archive = new ZipFile();
  // The library's type is too narrow.
  const output = archive.outputStream as Readable;
  const nameFolder = createFolderNames();

  /** Resolves when the client has read the whole file. */
  async function add(path: string, source: Readable, mtime: Date, compress = true): Promise<void> {
    const abandon = () => source.destroy();
    output.once('close', abandon);
    archive.addReadStream(source, path, { mtime, compress });
    try {
      if (output.destroyed) abandon();
      await finished(source);
    } finally {
      output.off('close', abandon);
    }
  }

  const tableOf = (row: StoredRow, name: TableName): Promise<Readable> => answers.tableOf(row, name, options, { patient: true });

  async function* rowsOfAll(): AsyncIterable<string | Uint8Array> {
    const head = tableFormats.csv.head(options);
    yield head;
    for await (const row of store.answersOf(accountId)) yield* withoutHead(await tableOf(row, 'csv'), head);
  }

  /** What is kept of a prediction's audio; null if nothing is, or if it is still in preparation. */
  async function keptSound(id: string) {
    try {
      const { bytes, mediaType, read } = await sounds.play(accountId, id, signal);
      return { ending: endingOf(mediaType), stream: await read({ firstByte: 0, lastByte: bytes - 1 }) };
    } catch (error) {
      if (error instanceof HttpProblem && (error.code === 'NOT_FOUND' || error.code === 'SOUND_NOT_READY')) return null;
      throw error;
    }
  }

  async function write(): Promise<void> {
    await add('detections.csv', Readable.from(rowsOfAll(), { objectMode: false }), new Date());
    for await (const row of store.answersOf(accountId)) {
      const { prediction } = await answers.headOf(row);
      const createdAt = new Date(prediction.createdAt);
      const folder = nameFolder(createdAt, prediction.recording.fileName);
      // The whole answer: it marks what is hidden by location, whatever the tables leave out.
      await add(`${folder}/prediction.json`, readOnce(await answers.fileOf(row, null, true)), createdAt);
      for (const { file, name } of TABLES) {
        await add(`${folder}/${file}`, await tableOf(row, name), createdAt);
      }
      // Compressed already, or noise to a compressor.
      const levels = await store.overviewOf(row.id);
      if (levels) await add(`${folder}/overview.png`, readOnce(await overviewPng(levels)), createdAt, false);
      const kept = await keptSound(row.id);
      if (kept) await add(`${folder}/sound.${kept.ending}`, kept.stream, createdAt, false);
    }
    archive.end();
  }

  archive.on('error', () => {}); // of a source, which `add` handles
  const written = write().catch((error: unknown) => {
    if (output.destroyed) return; // the client has disconnected
    onError(error);
    output.destroy(error instanceof Error ? error : new Error(String(error)));
  });
  try {
    yield* output;
  } finally {
    output.destroy();
    await written;
  }
}

/** `audio/webm; codecs=opus` → `webm`. */
const endingOf = (mediaType: string): string => /^audio\/(\w+)/.exec(mediaType)?.[1]?.replace('mpeg', 'mp3') ?? 'bin';

/** A stream of one piece, which it releases once read, because the archive holds every stream until its end. */
function readOnce(bytes: Uint8Array): Readable {
  let rest: Uint8Array | null = bytes;
  return new Readable({
    read() {
      const next = rest;
      rest = null;
      this.push(next);
    },
  });
}

/** Removes the head from a table whose first piece begins with it. */
async function* withoutHead(table: Readable, head: string): AsyncIterable<string | Uint8Array> {
  let isFirst = true;
  for await (const piece of table) {
    yield isFirst ? Buffer.from(piece).subarray(Buffer.byteLength(head)) : piece;
    isFirst = false;
  }
}
