import { Readable } from 'node:stream';
import { Server } from '@tus/server';
import { StorageError } from '../../storage/storage-error.ts';
import type { Pieces } from './piece-folder.ts';
import type { UploadStore } from './upload-store.ts';

/** One request of the tus protocol, whose sender was checked before. */
export interface TusRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The sender of a new upload. */
  readonly accountId: string;
  readonly body: Readable | null;
}

export interface TusAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface TusExchangeOptions {
  readonly pieces: Pick<Pieces, 'datastore'>;
  readonly store: UploadStore;
  readonly maxBytes: number;
  /** What the protocol's addresses begin with. */
  readonly path: string;
  readonly newId: () => string;
  readonly now: () => number;
}

/**
 * The tus protocol (tus.io, version 1.0.0) by its authors' own library, with our database in the place of its files of metadata. Who
 * may do what, other origins, limits of time and room are not its matter: its own headers for other origins are left out.
 */
export function createTusExchange(options: TusExchangeOptions): (request: TusRequest) => Promise<TusAnswer> {
  const { pieces, store, maxBytes, path, newId, now } = options;
  /** Who has sent the request that an upload is created by; the library hands it through. */
  const senders = new WeakMap<object, string>();

  const failures = new WeakMap<Request, unknown>();

  const { datastore } = pieces;
  // A length that comes later could be any.
  datastore.extensions = datastore.extensions.filter((name) => name !== 'creation-defer-length');

  const server = new Server({
    ...{ path, datastore, relativeLocation: true, maxSize: maxBytes },
    namingFunction: newId,
    async onResponseError(request, error) {
      failures.set(request, error);
      return undefined;
    },
    async onUploadCreate(request, { id, size = 0, metadata = {} }) {
      const accountId = senders.get(request);
      if (accountId === undefined) throw new Error('An upload without a sender.');
      await store.add({ id, accountId, createdAtMs: now(), bytes: size, metadata: JSON.stringify(metadata) });
      return {};
    },
  });

  return async ({ method, path: address, headers, accountId, body }) => {
    const known = Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' && FORWARDED.has(name) ? [[name, value] as const] : [],
    );
    const request = new Request(`http://localhost${address}`, {
      ...{ method, headers: Object.fromEntries(known) },
      ...(body === null ? {} : { body: Readable.toWeb(body) as ReadableStream<Uint8Array>, duplex: 'half' }),
    });
    senders.set(request, accountId);
    const response = await server.handleWeb(request);
    const failure = failures.get(request);
    if (failure instanceof StorageError) throw failure;
    const answered = [...response.headers].filter(([name]) => !name.startsWith('access-control-') && name !== 'content-length');
    return { status: response.status, headers: Object.fromEntries(answered), text: await response.text() };
  };
}

/** Headers that the protocol reads; a proxy's are none of them. */
const FORWARDED = new Set([
  'content-length',
  'content-type',
  'tus-resumable',
  'upload-concat',
  'upload-defer-length',
  'upload-length',
  'upload-metadata',
  'upload-offset',
]);
