import { Readable } from 'node:stream';
import { Server } from '@tus/server';
import { StorageError } from '../../storage/storage-error.ts';
import type { Pieces } from './piece-folder.ts';
import type { UploadStore } from './upload-store.ts';

/** A request of the tus protocol, whose sender has been checked. */
export interface TusRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** the sender of a new upload */
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
  /** what the protocol's URLs begin with */
  readonly path: string;
  readonly newId: () => string;
  readonly now: () => number;
}

/**
 * The tus protocol (tus.io, version 1.0.0) by its authors' library, with our database in place of its metadata files. Access, CORS, and
 * limits of time and space are handled elsewhere: its own CORS headers are dropped.
 */
export function createTusExchange(options: TusExchangeOptions): (request: TusRequest) => Promise<TusAnswer> {
  const { pieces, store, maxBytes, path, newId, now } = options;
  /** The sender of each request that creates an upload, by the request that the library passes on. */
  const senders = new WeakMap<object, string>();

  const failures = new WeakMap<Request, unknown>();

  const { datastore } = pieces;
  // A length that is stated later could be any.
  datastore.extensions = datastore.extensions.filter((name) => name !== 'creation-defer-length');

  const server = new Server({
    path,
    datastore,
    relativeLocation: true,
    maxSize: maxBytes,
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
      method,
      headers: Object.fromEntries(known),
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

/** Headers that the protocol reads. Those of proxies are not among them. */
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
