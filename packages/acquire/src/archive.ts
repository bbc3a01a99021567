import { buffer } from 'node:stream/consumers';
import { type Entry, openPromise } from 'yauzl';
import { AcquireError } from './acquire-error.ts';

/** A zip archive (a Python wheel is one). */
export interface Zip {
  readonly members: readonly string[];
  /** A member's bytes, refused when it is larger than `maxBytes` unpacked. */
  read(member: string, maxBytes: number): Promise<Uint8Array>;
  close(): void;
}

/** Opens a zip without reading its contents. @throws AcquireError `SOURCE_UNREADABLE` when it is none */
export async function openZip(file: string): Promise<Zip> {
  const unreadable = (cause: unknown): AcquireError => {
    const why = cause instanceof Error ? cause.message : String(cause);
    return new AcquireError('SOURCE_UNREADABLE', `${file} cannot be read as a wheel or zip (${why})`, { cause });
  };
  try {
    const zip = await openPromise(file, { autoClose: false, lazyEntries: true });
    const entries: Entry[] = [];
    try {
      for await (const entry of zip.eachEntry()) entries.push(entry);
    } catch (error) {
      zip.close();
      throw error;
    }
    return {
      members: entries.map(({ fileName }) => fileName),
      read: async (member, maxBytes) => {
        const entry = entries.find(({ fileName }) => fileName === member);
        if (entry === undefined) throw unreadable(`it has no member ${member}`);
        if (entry.uncompressedSize > maxBytes) throw unreadable(`${member} is larger than ${maxBytes} bytes`);
        try {
          // yauzl ends the stream with an error when a member holds more or less than its entry says.
          return await buffer(await zip.openReadStreamPromise(entry));
        } catch (error) {
          throw unreadable(error);
        }
      },
      close: () => zip.close(),
    };
  } catch (error) {
    throw unreadable(error);
  }
}
