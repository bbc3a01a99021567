import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Label, labelLine, labelsHeader, readLabels, undoLine, wholeLines } from '@chiffchaff/survey';
import { InputError, SetUpError } from '../command-error.ts';
import { cannotWrite, orInputError } from '../files.ts';

/** Half a million labels; a larger file is something else. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Labels in an append-only CSV file. */
export interface LabelFile extends AsyncDisposable {
  /** labels in the file when it was opened, without undone ones; oldest first */
  readonly labels: readonly Label[];
  /** Whether an incomplete last line was cut off. */
  readonly isTorn: boolean;
  /** Resolves when the label is on disk. @throws SetUpError when it cannot be written; the file is then unchanged */
  add(label: Label): Promise<void>;
  /** Likewise for undoing a label. */
  undo(line: Parameters<typeof undoLine>[0]): Promise<void>;
}

/**
 * Opens a file of labels, or creates one. Cuts off the partial line that a killed program leaves.
 * @throws InputError when it is not a file of labels, SetUpError when it cannot be read or written
 */
export async function openLabelFile(path: string, shownAs: string): Promise<LabelFile> {
  const file = await open(path, 'a+').catch((error: unknown) => cannotWrite(shownAs, error));
  try {
    const { text, labels, isTorn } = await readWhole(file, shownAs);
    let size = Buffer.byteLength(text);
    const append = async (line: string) => {
      await file.appendFile(line);
      await file.datasync();
      size += Buffer.byteLength(line);
    };
    if (text === '') {
      await append(labelsHeader());
      await syncFolder(dirname(path));
    }
    let last: Promise<unknown> = Promise.resolve();
    /** Serialises writes: two lines must not mix, and a failed one is cut off before the next is written. */
    const enqueue = (line: string): Promise<void> => {
      const added = last.then(() =>
        append(line).catch(async (error: unknown) => {
          await file.truncate(size).catch(() => undefined);
          cannotWrite(shownAs, error);
        }),
      );
      last = added.catch(() => undefined);
      return added;
    };
    return {
      labels,
      isTorn,
      add: (label) => enqueue(labelLine(label)),
      undo: (line) => enqueue(undoLine(line)),
      async [Symbol.asyncDispose]() {
        await last;
        await file.close();
      },
    };
  } catch (error) {
    await file.close();
    if (error instanceof InputError || error instanceof SetUpError) throw error;
    return cannotWrite(shownAs, error);
  }
}

/** @returns the file's content, with its end repaired */
async function readWhole(
  file: FileHandle,
  shownAs: string,
): Promise<{ text: string; labels: readonly Label[]; isTorn: boolean }> {
  const { size } = await file.stat();
  if (size > MOST_BYTES)
    throw new InputError(
      `${shownAs} has ${Math.round(size / 1e6)} MB; a file of labels has at most ${MOST_BYTES / 1_048_576} MB.`,
    );
  const bytes = Buffer.alloc(size);
  const { bytesRead } = await file.read(bytes, 0, size, 0);
  const found = bytes.toString('utf8', 0, bytesRead);
  const header = labelsHeader();
  // A program killed during its first write leaves part of the header, or nothing.
  if (!found.startsWith(header) && !header.startsWith(found))
    throw new InputError(
      `${shownAs} is no file of labels that review writes: its first line has to be ${header.trim()}. Choose another name for --labels.`,
    );
  const whole = found.startsWith(header) ? wholeLines(found) : '';
  const kept = isWhole(found.slice(whole.length)) ? `${found}\n` : whole;
  const labels = kept === '' ? [] : orInputError(() => readLabels(kept, shownAs));
  if (kept.length > found.length) await file.appendFile('\n');
  // Counts the bytes of what is kept: a character cut in half at the end decodes as another.
  else if (kept.length < found.length) await file.truncate(Buffer.byteLength(kept));
  if (kept !== found) await file.datasync();
  return { text: kept, labels, isTorn: kept.length < found.length };
}

/** Editors may drop the last line break. A label that lacks only that ends with an empty `Undoes`; a torn one has fewer cells. */
const isWhole = (tail: string): boolean =>
  tail.endsWith(',') && !tail.includes('"') && tail.split(',').length === labelsHeader().split(',').length;

/** A new file is safe only once its folder is synced; systems that cannot open folders go without. */
async function syncFolder(folder: string): Promise<void> {
  const opened = await open(folder, 'r').catch(() => null);
  await opened?.sync().catch(() => undefined);
  await opened?.close();
}
