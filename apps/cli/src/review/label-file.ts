import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from '@chiffchaff/acquire';
import {
  encodingOf,
  type Label,
  labelForm,
  labelLine,
  labelsHeader,
  type Note,
  readLabels,
  undoLine,
  wholeLines,
} from '@chiffchaff/survey';
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
 * Opens a file of labels, or creates one. Cuts off the partial line that a killed program leaves. To a file that a spreadsheet saved, labels
 * are added with its separator, encoding, decimal sign and line ends.
 *
 * @throws InputError when it is not a file of labels, SetUpError when it cannot be read or written
 */
export async function openLabelFile(path: string, shownAs: string, note: Note = () => {}): Promise<LabelFile> {
  const file = await open(path, 'a+').catch((error: unknown) => cannotWrite(shownAs, error));
  try {
    const { size: found, labels, isTorn, form, encode } = await readWhole(file, shownAs, note);
    let size = found;
    const append = async (line: string) => {
      const bytes = encode(line);
      await file.appendFile(bytes);
      await file.datasync();
      size += bytes.length;
    };
    if (size === 0) {
      await append(labelsHeader());
      // A new file is safe only once its folder is synced; systems that cannot open folders go without.
      await syncFolder(dirname(path)).catch(() => undefined);
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
      add: (label) => enqueue(labelLine(label, form.line)),
      undo: (line) => enqueue(undoLine(line, form.line)),
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

/** Repairs the file's end. @returns what it has, and the form in which lines are added */
async function readWhole(file: FileHandle, shownAs: string, note: Note) {
  const { size } = await file.stat();
  if (size > MOST_BYTES)
    throw new InputError(
      `${shownAs} has ${Math.round(size / 1e6)} MB; a file of labels has at most ${MOST_BYTES / 1_048_576} MB.`,
    );
  const bytes = Buffer.alloc(size);
  await file.read(bytes, 0, size, 0);
  const { decode, encode } = orInputError(() => encodingOf(bytes, shownAs));
  const found = decode(bytes);
  // A program killed during its first write leaves part of the header, or nothing.
  const isBegun = labelsHeader().startsWith(found);
  const form = orInputError(() => labelForm(isBegun ? labelsHeader() : found, shownAs));
  const whole = isBegun ? '' : wholeLines(found);
  const kept = !isBegun && form.isWhole(found.slice(whole.length), whole) ? found + form.lineEnd : whole;
  const keptBytes = encode(kept);
  const labels = kept === '' ? [] : orInputError(() => readLabels(keptBytes, shownAs, note));
  if (kept.length > found.length) await file.appendFile(encode(form.lineEnd));
  // Counts the bytes of what is kept: a character cut in half at the end decodes as another.
  else if (kept.length < found.length) await file.truncate(keptBytes.length);
  if (kept !== found) await file.datasync();
  return { size: keptBytes.length, labels, isTorn: kept.length < found.length, form, encode };
}
