import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { DataStore, ERRORS, Upload } from '@tus/server';
import { HttpProblem } from '../../http/http-problem.ts';
import { type ObjectStorage, removeAll } from '../../storage/object-storage.ts';
import { StorageError } from '../../storage/storage-error.ts';
import type { UploadStore } from './upload-store.ts';

export interface UploadPartsOptions {
  readonly storage: ObjectStorage;
  readonly rows: Pick<UploadStore, 'findUnused' | 'remove'>;
}

/** A part of an upload: its bytes from `start` to before `end`. */
interface Part {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** An upload expires this long after its creation. */
export const LIFETIME_MS = 86_400_000;
const FOLDER = 'resumable-uploads/';
const MIB = 1024 * 1024;
/** Larger parts mean fewer requests; smaller ones, fewer bytes to send again after a broken connection. */
const PART_BYTES = 8 * MIB;
/** An upload has hardly more parts than this, also if it arrives in small pieces. */
const MOST_PARTS = 1000;

/**
 * The bytes of resumable uploads, for the library of the protocol: each upload has a row, and its parts are objects
 * `resumable-uploads/ID.START-END` of the storage. Parts are stored whole or not at all and never change, so what has arrived is as much
 * as they cover from the start on. Two requests may write the same upload, on two machines as well: at worst, some bytes are stored twice.
 *
 * Every request of the protocol has its own, which `create` or `getUpload` tells of the upload that `write` continues.
 */
export class UploadParts extends DataStore {
  override readonly extensions = ['creation', 'creation-with-upload', 'expiration', 'termination'];
  readonly #storage: ObjectStorage;
  readonly #rows: UploadPartsOptions['rows'];
  #continued: { readonly bytes: number; readonly last: Part | undefined } = { bytes: 0, last: undefined };

  constructor({ storage, rows }: UploadPartsOptions) {
    super();
    this.#storage = storage;
    this.#rows = rows;
  }

  override getExpiration(): number {
    return LIFETIME_MS;
  }

  override async create(upload: Upload): Promise<Upload> {
    this.#continued = { bytes: upload.size ?? 0, last: undefined };
    return upload;
  }

  override async getUpload(id: string): Promise<Upload> {
    const row = await this.#rows.findUnused(id);
    if (row === null) throw ERRORS.FILE_NOT_FOUND;
    const last = (await this.partsOf(id)).at(-1);
    this.#continued = { bytes: row.bytes, last };
    return new Upload({
      id,
      size: row.bytes,
      offset: last?.end ?? 0,
      metadata: JSON.parse(row.metadata),
      creation_date: new Date(row.createdAtMs).toISOString(),
    });
  }

  /** Stores a body in parts. A last part that is short is joined with what follows it. @returns the bytes that have arrived then */
  override async write(body: Readable, id: string, offset: number): Promise<number> {
    const { bytes, last } = this.#continued;
    const leastBytes = Math.max(MIB, bytes / MOST_PARTS);
    const chunks: AsyncIterator<Buffer> = body[Symbol.asyncIterator]();
    let short = last?.end === offset && last.end - last.start < leastBytes ? last : null;
    let end = offset;
    for (let isOver = false; !isOver; ) {
      const { start } = short ?? { start: end };
      const before = end;
      const content = async function* (this: UploadParts): AsyncIterable<Buffer> {
        if (short) yield* this.read([short], new AbortController().signal);
        while (end - start < Math.max(PART_BYTES, leastBytes)) {
          const { done, value } = await chunks.next();
          isOver = done === true;
          if (done) return;
          end += value.length;
          yield value;
        }
      };
      const draft = await this.#storage.draftPathFor();
      try {
        // Flushed: the client may forget what is acknowledged.
        await pipeline(content.call(this), createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true }));
        if (end > before) await this.#storage.put(`${FOLDER}${id}.${start}-${end}`, draft);
      } finally {
        await rm(draft, { force: true });
      }
      if (short && end > before) await this.#storage.remove([short.name]);
      short = null;
      // The upload may have been removed meanwhile: first its row, then its parts.
      if ((await this.#rows.findUnused(id)) === null) {
        await this.removeParts(id);
        throw new HttpProblem('UPLOAD_NOT_FOUND', {});
      }
    }
    return end;
  }

  override async remove(id: string): Promise<void> {
    await this.#rows.remove(id);
    await this.removeParts(id);
  }

  removeParts(id: string): Promise<void> {
    return removeAll(this.#storage, `${FOLDER}${id}.`);
  }

  /** Ids of uploads that have parts. */
  async ids(): Promise<ReadonlySet<string>> {
    const ids = new Set<string>();
    for await (const { name } of this.#storage.list(FOLDER)) ids.add(name.slice(FOLDER.length).replace(/\..*$/, ''));
    return ids;
  }

  /** The parts that cover an upload from its start on, as far as there are any. */
  async partsOf(id: string): Promise<readonly Part[]> {
    const found: Part[] = [];
    for await (const { name } of this.#storage.list(`${FOLDER}${id}.`)) {
      const [start = 0, end = 0] = name.slice(`${FOLDER}${id}.`.length).split('-').map(Number);
      found.push({ name, start, end });
    }
    const parts: Part[] = [];
    for (const part of found.sort((one, other) => one.start - other.start || other.end - one.end)) {
      const covered = parts.at(-1)?.end ?? 0;
      if (part.start <= covered && part.end > covered) parts.push(part);
    }
    return parts;
  }

  /** Reads what has arrived. @throws HttpProblem UPLOAD_NOT_FOUND, StorageError. @throws the signal's reason when it aborts */
  async *read(parts: readonly Part[], signal: AbortSignal): AsyncIterable<Buffer> {
    let at = parts[0]?.start ?? 0;
    for (const { name, start, end } of parts) {
      const stream = await this.#storage.read(name, { firstByte: at - start, lastByte: end - start - 1 }, signal);
      if (stream === null) throw new HttpProblem('UPLOAD_NOT_FOUND', {});
      try {
        yield* stream;
      } catch (error) {
        signal.throwIfAborted();
        throw new StorageError('AWAY', 'The storage cannot be reached.', { cause: error });
      }
      at = end;
    }
  }
}
