import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import {
  audacityLabels,
  CSV_HEADER,
  csvRows,
  csvTable,
  type Prediction,
  ravenTable,
  type TableOptions,
} from '@chiffchaff/contract';
import { ZipFile } from 'yazl';
import { createFolderNames } from './folder-names.ts';

/** What there is of each prediction, in its folder of the archive. */
const files: readonly { readonly name: string; readonly write: (prediction: Prediction, options: TableOptions) => string }[] = [
  // The whole answer: what the place hides is marked in it, whatever the tables leave out.
  { name: 'prediction.json', write: (prediction) => `${JSON.stringify(prediction, null, 2)}\n` },
  { name: 'detections.csv', write: (prediction, options) => csvTable([prediction], options) },
  { name: 'selections.txt', write: (prediction, options) => ravenTable([prediction], options) },
  { name: 'labels.txt', write: audacityLabels },
];

/**
 * A ZIP of predictions, written while it is read: `detections.csv` has the detections of all, and each prediction a folder with
 * JSON and tables. However many there are, only one is in memory.
 *
 * @param predictions begins anew at each call, oldest first
 * @param onError told why the archive broke off; its reader then gets no end
 */
export function writeExportArchive(
  predictions: () => AsyncIterable<Prediction>,
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

  async function* table(): AsyncIterable<string> {
    yield CSV_HEADER;
    for await (const prediction of predictions()) yield csvRows(prediction, options);
  }

  async function write(): Promise<void> {
    await add('detections.csv', Readable.from(table(), { objectMode: false }), new Date());
    for await (const prediction of predictions()) {
      const createdAt = new Date(prediction.createdAt);
      const folder = nameFolder(createdAt, prediction.recording.fileName);
      for (const file of files) await add(`${folder}/${file.name}`, readOnce(file.write(prediction, options)), createdAt);
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
