import { buffer } from 'node:stream/consumers';
import { type Entry, openPromise } from 'yauzl';
import { AcquireError } from './acquire-error.ts';

/** A zip archive, such as a Python wheel. */
export interface Zip {
  readonly members: readonly string[];
  /** Streams a member's unpacked bytes. Throws AcquireError `SOURCE_UNREADABLE` if there are more than `maxBytes`. */
  open(member: string, maxBytes: number): AsyncIterable<Uint8Array>;
  read(member: string, maxBytes: number): Promise<Uint8Array>;
  close(): void;
}

/** Opens a zip without reading its contents. @throws AcquireError `SOURCE_UNREADABLE` if it is not a zip */
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
    async function* open(member: string, maxBytes: number): AsyncGenerator<Uint8Array> {
      const entry = entries.find(({ fileName }) => fileName === member);
      if (entry === undefined) throw unreadable(`it does not contain ${member}`);
      if (entry.uncompressedSize > maxBytes) throw unreadable(`${member} is larger than ${maxBytes} bytes`);
      try {
        // yauzl ends the stream with an error if a member is longer or shorter than its entry says.
        for await (const chunk of await zip.openReadStreamPromise(entry)) yield chunk;
      } catch (error) {
        throw unreadable(error);
      }
    }
    return {
      members: entries.map(({ fileName }) => fileName),
      open,
      read: (member, maxBytes) => buffer(open(member, maxBytes)),
      close: () => zip.close(),
    };
  } catch (error) {
    throw unreadable(error);
  }
}
