import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { ModelError } from '../errors.ts';

/** The members of a zip archive (a Python wheel is one). */
export interface Archive {
  readonly members: readonly string[];
  /** A member's bytes, refused when it is larger than `maxBytes` unpacked. */
  read(member: string, maxBytes: number): Promise<Uint8Array>;
  close(): void;
}

/** Opens a zip without reading its contents. Throws `ModelError` `SOURCE_UNREADABLE` when it is none. */
export async function openArchive(file: string): Promise<Archive> {
  const zip = await openZip(file);
  const entries = new Map<string, Entry>();
  try {
    for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry);
  } catch (error) {
    zip.close();
    throw unreadable(file, error);
  }
  return {
    members: [...entries.keys()],
    read: async (member, maxBytes) => {
      const entry = entries.get(member);
      if (entry === undefined) throw unreadable(file, new Error(`it has no member ${member}`));
      if (entry.uncompressedSize > maxBytes) throw unreadable(file, new Error(`${member} is larger than ${maxBytes} bytes`));
      try {
        // yauzl ends the stream with an error when a member holds more or less than its entry says.
        const stream = await zip.openReadStreamPromise(entry);
        const bytes = new Uint8Array(entry.uncompressedSize);
        let filled = 0;
        for await (const chunk of stream) {
          bytes.set(chunk, filled);
          filled += chunk.length;
        }
        return bytes;
      } catch (error) {
        throw unreadable(file, error);
      }
    },
    close: () => zip.close(),
  };
}

async function openZip(file: string): Promise<ZipFile> {
  try {
    // Kept open: members are read after the list of entries.
    return await openPromise(file, { autoClose: false, lazyEntries: true });
  } catch (error) {
    throw unreadable(file, error);
  }
}

const unreadable = (file: string, cause: unknown): ModelError =>
  new ModelError(
    'SOURCE_UNREADABLE',
    `Reading the model's files: ${file} cannot be read as a wheel or zip (${cause instanceof Error ? cause.message : String(cause)}). Give the whole, unchanged file.`,
    { file },
    { cause },
  );
