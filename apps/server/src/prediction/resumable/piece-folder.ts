import { chmod, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hashFile } from '@chiffchaff/acquire';
import { FileStore } from '@tus/file-store';
import { type DataStore, Upload } from '@tus/server';
import { hasCode } from '../../system-error.ts';
import type { UploadStore } from './upload-store.ts';

/** The bytes of resumable uploads, by upload id. */
export interface Pieces {
  /** for the protocol's library */
  readonly datastore: DataStore;
  /** @returns null when there is none */
  bytesOf(id: string): Promise<number | null>;
  /** SHA-256 in hex of a complete upload, which survives a power cut from then on. @throws the signal's reason when it aborts */
  hashOf(id: string, signal: AbortSignal): Promise<string>;
  /** Resolves when nothing of a finished request is still being written. */
  settled(id: string): Promise<void>;
  /** Idempotent. */
  remove(id: string): Promise<void>;
  /** Ids of stored uploads that a sweep may check. */
  found(): Promise<readonly string[]>;
}

export interface PiecesOptions {
  readonly store: UploadStore;
  /** An upload expires this long after its creation. */
  readonly lifetimeMs: number;
}

/** Where the bytes are in the storage. */
export const PIECES = 'resumable-uploads';

/** Opens pieces as files on this machine. */
export async function openPieceFolder(dataDir: string, { store, lifetimeMs }: PiecesOptions): Promise<Pieces> {
  const folder = join(dataDir, PIECES);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const pathOf = (id: string): string => join(folder, id);

  class PrivateFileStore extends FileStore {
    override async create(upload: Upload): Promise<Upload> {
      const created = await super.create(upload);
      await chmod(pathOf(upload.id), 0o600);
      return created;
    }
  }

  const datastore = new PrivateFileStore({
    directory: folder,
    expirationPeriodInMilliseconds: lifetimeMs,
    configstore: {
      async get(id) {
        const row = await store.find(id);
        if (row === null || row.usedAtMs !== null) return undefined;
        const creation_date = new Date(row.createdAtMs).toISOString();
        return new Upload({ id, size: row.bytes, offset: 0, metadata: JSON.parse(row.metadata), creation_date });
      },
      // Rows are written before files: a file without a row is a leftover.
      async set() {},
      delete: (id) => store.remove(id),
    },
  });

  return {
    datastore,
    async bytesOf(id) {
      try {
        return (await stat(pathOf(id))).size;
      } catch (error) {
        if (hasCode(error, 'ENOENT')) return null;
        throw error;
      }
    },
    async hashOf(id, signal) {
      await flush(pathOf(id));
      return hashFile(pathOf(id), signal);
    },
    async settled() {},
    remove: (id) => rm(pathOf(id), { force: true }),
    found: () => readdir(folder),
  };
}

/** A job that resumes after a power cut must find the whole recording. */
async function flush(path: string): Promise<void> {
  await using file = await open(path, 'r+');
  await file.datasync();
}
