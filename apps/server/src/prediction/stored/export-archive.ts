import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Prediction, TableOptions } from '@chiffchaff/contract';
import { ZipFile } from 'yazl';
import { createFolderNames } from './folder-names.ts';
import { type TableName, tableFormats, wholeTable } from './table-formats.ts';

/** A prediction for the archive. */
export interface Archived {
  readonly prediction: Prediction;
  /** A table of all its detections; asked for when the prediction leaves some of them out. */
  tableOf(name: TableName): Promise<AsyncIterable<string | Uint8Array>>;
}

/** The tables of each prediction, in its folder of the archive. */
const tables: readonly { readonly file: string; readonly name: TableName }[] = [
  { file: 'detections.csv', name: 'csv' },
  { file: 'selections.txt', name: 'raven' },
  { file: 'labels.txt', name: 'audacity' },
];

/**
 * A ZIP of predictions, written while it is read: `detections.csv` has the detections of all, and each prediction a folder with
 * JSON and tables. However many there are, only one is in memory.
 *
 * @param predictions begins anew at each call, oldest first
 * @param onError told why the archive broke off; its reader then gets no end
 */
export function writeExportArchive(
  predictions: () => AsyncIterable<Archived>,
  options: TableOptions,
  onError: (error: unknown) => void,
): NodeJS.ReadableStream {
  const archive = new ZipFile();
  // The library's type says less than it is.
  const output = archive.outputStream as Readable;
  const nameFolder = createFolderNames();

  /** Resolves when the file has been written, that is read by whoever wants the archive. */
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
    const { head, rows } = tableFormats.csv;
    yield head(options);
    for await (const { prediction, tableOf } of predictions()) {
      if (prediction.detectionsLeftOut === undefined) yield rows(prediction, options, 0).rows;
      else yield* withoutHead(await tableOf('csv'), head(options));
    }
  }

  async function write(): Promise<void> {
    await add('detections.csv', Readable.from(rowsOfAll(), { objectMode: false }), new Date());
    for await (const { prediction, tableOf } of predictions()) {
      const createdAt = new Date(prediction.createdAt);
      const folder = nameFolder(createdAt, prediction.recording.fileName);
      // The whole answer: what the place hides is marked in it, whatever the tables leave out.
      await add(`${folder}/prediction.json`, readOnce(`${JSON.stringify(prediction, null, 2)}\n`), createdAt);
      for (const { file, name } of tables) {
        const isWhole = prediction.detectionsLeftOut === undefined;
        const table = isWhole
          ? readOnce(wholeTable(name, prediction, options))
          : Readable.from(await tableOf(name), { objectMode: false });
        await add(`${folder}/${file}`, table, createdAt);
      }
    }
    archive.end();
  }

  archive.on('error', () => {}); // of a source: `add` hears of it
  write().catch((error: unknown) => {
    if (output.destroyed) return; // nobody reads any longer
    onError(error);
    output.destroy(error instanceof Error ? error : new Error(String(error)));
  });
  return output;
}

/** A stream of one text, which it lets go as it is read: the archive remembers every stream until its end. */
function readOnce(text: string): Readable {
  let rest: string | null = text;
  return new Readable({
    read() {
      const next = rest;
      rest = null;
      this.push(next);
    },
  });
}

/** A table whose first piece begins with its head. */
async function* withoutHead(table: AsyncIterable<string | Uint8Array>, head: string): AsyncIterable<string | Uint8Array> {
  let isFirst = true;
  for await (const piece of table) {
    yield isFirst ? Buffer.from(piece).subarray(Buffer.byteLength(head)) : piece;
    isFirst = false;
  }
}
