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
  /** A table of all its detections; the archive reads or destroys it. */
  tableOf(name: TableName): Promise<Readable>;
}

/** The tables of each prediction, in its folder of the archive. */
const TABLES: readonly { readonly file: string; readonly name: TableName }[] = [
  { file: 'detections.csv', name: 'csv' },
  { file: 'selections.txt', name: 'raven' },
  { file: 'labels.txt', name: 'audacity' },
];

/**
 * A ZIP of predictions, written while it is read: `detections.csv` has the detections of all, and each prediction a folder with
 * JSON and tables. However many there are, only one is in memory, and one table is open. When this ends, nothing is being made any more.
 *
 * @param predictions begins anew at each call, oldest first
 * @param onError told why the archive broke off; its reader then gets no end
 */
export async function* writeExportArchive(
  predictions: () => AsyncIterable<Archived>,
  options: TableOptions,
  onError: (error: unknown) => void,
): AsyncGenerator<Uint8Array, void> {
  const archive = new ZipFile();
  // The library's type says less than it is.
  const output = archive.outputStream as Readable;
  const nameFolder = createFolderNames();

  /** Resolves when the file has been written, that is read by the client. */
  async function add(path: string, source: Readable, mtime: Date): Promise<void> {
    const abandon = () => source.destroy();
    output.once('close', abandon);
    archive.addReadStream(source, path, { mtime });
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
    for await (const { prediction, json, tableOf } of predictions()) {
      const createdAt = new Date(prediction.createdAt);
      const folder = nameFolder(createdAt, prediction.recording.fileName);
      // The whole answer: what the place hides is marked in it, whatever the tables leave out.
      await add(`${folder}/prediction.json`, readOnce(await json()), createdAt);
      for (const { file, name } of TABLES) {
        await add(`${folder}/${file}`, await tableOf(name), createdAt);
      }
    }
    archive.end();
  }

  archive.on('error', () => {}); // of a source: `add` hears of it
  const written = write().catch((error: unknown) => {
    if (output.destroyed) return; // the client has gone
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

/** A stream of one piece, which it lets go as it is read: the archive remembers every stream until its end. */
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

/** A table whose first piece begins with its head. */
async function* withoutHead(table: Readable, head: string): AsyncIterable<string | Uint8Array> {
  let isFirst = true;
  for await (const piece of table) {
    yield isFirst ? Buffer.from(piece).subarray(Buffer.byteLength(head)) : piece;
    isFirst = false;
  }
}
