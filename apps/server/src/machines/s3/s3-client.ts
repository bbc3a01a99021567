import type { S3ClientConfig } from '@aws-sdk/client-s3';
import { StorageError } from '../../storage/storage-error.ts';

export interface S3Access {
  /** null for Amazon's */
  readonly endpoint: string | null;
  readonly region: string;
  /** null for the machine's own role */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string; readonly sessionToken?: string } | null;
}

/** A server without a bucket does not load the client. */
export const loadS3 = () => import('@aws-sdk/client-s3');

const CONNECTION_MS = 2_000;
/** Playback holds a connection until the response has been read. */
const MOST_CONNECTIONS = 1024;

export function settingsOf({ endpoint, region, credentials }: S3Access): S3ClientConfig {
  return {
    region,
    ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
    ...(credentials === null ? {} : { credentials }),
    // Storages other than Amazon's do not support checksums at the end of a body.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: CONNECTION_MS,
      httpAgent: { keepAlive: true, maxSockets: MOST_CONNECTIONS },
      httpsAgent: { keepAlive: true, maxSockets: MOST_CONNECTIONS },
    },
    // The client also reports problems as errors.
    logger: { trace() {}, debug() {}, info() {}, warn() {}, error() {} },
  };
}

interface Described {
  readonly name: string;
  readonly code?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

const describe = (error: unknown): Described => (error instanceof Error ? error : { name: '' });

/** Whether the object does not exist. A missing bucket is another error: it must not pass for a missing object. */
export const isMissing = (error: unknown): boolean => ['NoSuchKey', 'NotFound'].includes(describe(error).name);

const NO_ROOM = ['QuotaExceeded', 'XMinioStorageFull', 'InsufficientStorage'];

/**
 * Converts errors of the S3 client to StorageErrors; returns unknown errors unchanged.
 *
 * @param deadline if it ended the request early, its reason is returned
 */
export function explainS3(error: unknown, deadline?: AbortSignal): unknown {
  if (error instanceof StorageError) return error;
  if (deadline?.aborted) return deadline.reason;
  if (!(error instanceof Error)) return error;
  const { name, code, $metadata } = describe(error);
  const status = $metadata?.httpStatusCode;
  const options = { cause: error };
  if (status === 507 || NO_ROOM.includes(name)) {
    return new StorageError('FULL', 'The storage is full.', options);
  }
  if (status !== undefined && status >= 400 && status < 500 && status !== 408 && status !== 429) {
    return new StorageError(
      'REFUSED',
      `The storage refused a request: ${name}. Check STORAGE_URL, its permissions and its access key.`,
      options,
    );
  }
  if (name === 'CredentialsProviderError') return new StorageError('REFUSED', 'There is no access key for the storage.', options);
  if (status !== undefined || name === 'TimeoutError' || isOfConnection(code)) {
    return new StorageError('AWAY', 'The storage cannot be reached.', options);
  }
  return error;
}

/** System error codes of connections that failed or broke off. */
const isOfConnection = (code: unknown): boolean =>
  typeof code === 'string' &&
  /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_|UND_ERR|ERR_STREAM_PREMATURE_CLOSE|ERR_SSL)/.test(code);

/** Aborts when the storage has made no progress in time, or when the given signal aborts. */
export function openDeadline(ms: number, signal?: AbortSignal) {
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  /** Call after progress. @param longerMs allowed from now on */
  const extend = (longerMs: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => late.abort(new StorageError('AWAY', 'The storage is not responding.')), longerMs);
  };
  extend(ms);
  return {
    signal: signal === undefined ? late.signal : AbortSignal.any([late.signal, signal]),
    extend,
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}
