import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { type TableName, tableFormats } from '@chiffchaff/analysis';
import type { Prediction, TableOptions } from '@chiffchaff/contract';
import { ZipFile } from 'yazl';
import { createFolderNames } from './folder-names.ts';

/** A prediction for the archive. */
export interface Archived {
  readonly prediction: Pick<Prediction, 'createdAt' | 'recording'>;
  /** The whole answer as a file. */
  json(): Promise<Uint8Array>;
  /** A table of all its detections, which the archive reads or destroys. */
  tableOf(name: TableName): Promise<Readable>;
  /** A picture of the whole recording as PNG; null if there is none. */
  overview(): Promise<Uint8Array | null>;
  /** What is kept of its audio, which the archive reads or destroys; null if nothing is. */
  sound(): Promise<{ readonly fileName: string; readonly stream: Readable } | null>;
}

/** The tables in each prediction's folder of the archive. */
const TABLES: readonly { readonly file: string; readonly name: TableName }[] = [
  { file: 'detections.csv', name: 'csv' },
  { file: 'selections.txt', name: 'raven' },
  { file: 'labels.txt', name: 'audacity' },
];

/**
 * Writes a ZIP of predictions while it is read: `detections.csv` with all detections, and a folder per prediction with JSON, tables,
 * overview and kept audio. Only one prediction is in memory and one table open at a time. When this ends, nothing is being made any more.
 *
 * @param predictions starts over at each call, oldest first
 * @param onError receives the reason when the archive breaks off; then its stream fails
 */
export async function* writeExportArchive(
  predictions: () => AsyncIterable<Archived>,
  options: TableOptions,
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

  async function* rowsOfAll(): AsyncIterable<string | Uint8Array> {
    const head = tableFormats.csv.head(options);
    yield head;
    for await (const { tableOf } of predictions()) yield* withoutHead(await tableOf('csv'), head);
  }

  async function write(): Promise<void> {
    await add('detections.csv', Readable.from(rowsOfAll(), { objectMode: false }), new Date());
    for await (const { prediction, json, tableOf, overview, sound } of predictions()) {
      const createdAt = new Date(prediction.createdAt);
      const folder = nameFolder(createdAt, prediction.recording.fileName);
      // The whole answer: it marks what is hidden by location, whatever the tables leave out.
      await add(`${folder}/prediction.json`, readOnce(await json()), createdAt);
      for (const { file, name } of TABLES) {
        await add(`${folder}/${file}`, await tableOf(name), createdAt);
      }
      // Compressed already, or noise to a compressor.
      const picture = await overview();
      if (picture) await add(`${folder}/overview.png`, readOnce(picture), createdAt, false);
      const kept = await sound();
      if (kept) await add(`${folder}/${kept.fileName}`, kept.stream, createdAt, false);
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
