import axios, { type AxiosInstance, type AxiosResponse } from 'axios';
import { type HttpRequest, type HttpResponse, type HttpStack, Upload, type UploadOptions } from 'tus-js-client';
import type { UploadPlace } from './request-prediction.ts';

interface PieceOptions {
  readonly signal: AbortSignal;
  /** Part of the recording that the server has, or is being sent, 0–1. It may go back where a connection broke. */
  readonly onProgress: (progress: number) => void;
  /** Milliseconds before each further try while nothing gets through. */
  readonly retryMs?: readonly number[];
  readonly pieces?: UploadPlace;
}

/** Proxies that limit or gather bodies let this through; a lost connection costs no more than is on the way. */
const PIECE_BYTES = 32 * 1024 * 1024;
/** Some minutes in all, and anew whenever some of it got through: a tunnel, another network, a server that restarts. */
const patientRetryMs = [500, 1000, 2000, 4000, 8000, 16_000, ...Array<number>(8).fill(30_000)];

/**
 * Sends a recording in pieces (tus), going on by itself after a lost connection, and where an earlier page stopped. When the signal aborts, the server throws away what it has.
 *
 * @returns the upload's id; null where the server takes no pieces
 * @throws AxiosError for what the server or the network refuses in the end; DOMException when the signal aborts
 */
export async function sendInPieces(http: AxiosInstance, file: File, options: PieceOptions): Promise<string | null> {
  const { signal, onProgress, pieces, retryMs = patientRetryMs } = options;
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const calls = callsOver(http);
  const upload = new Upload(file, {
    endpoint: new URL(http.getUri({ url: '/v1/uploads' }), window.location.href).href,
    metadata: { filename: file.name },
    ...{ chunkSize: PIECE_BYTES, retryDelays: [...retryMs], storeFingerprintForResuming: false },
    ...{ httpStack: calls.stack, fileReader: readBySlices },
    uploadUrl: pieces?.url ?? null,
    onUploadUrlAvailable: () => upload.url !== null && pieces?.onUrl(upload.url),
    onShouldRetry: ({ originalResponse }) => mayGetThrough(originalResponse?.getStatus() ?? 0),
    onProgress: (sent, total) => onProgress(total > 0 ? sent / total : 0),
    onSuccess: () => resolve(),
    // What the call itself failed with says more than what the library makes of it.
    onError: (error) => reject(calls.lastFailure ?? error),
  });
  const abort = (): void => {
    // What cannot be removed now goes a day later.
    upload.abort(true).catch(() => {});
    reject(signal.reason);
  };
  signal.addEventListener('abort', abort, { once: true });
  try {
    upload.start();
    await promise;
  } catch (error) {
    if (upload.url === null && axios.isAxiosError(error) && [404, 405].includes(error.response?.status ?? 0)) return null;
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
  return upload.url?.split('/').at(-1) ?? null;
}

/** No answer, a connection that the server gave up, an older request that still has the upload, or a server in trouble; not a full disk. */
const mayGetThrough = (status: number): boolean =>
  status === 0 || status === 408 || status === 409 || (status >= 500 && status !== 507);

/** A browser's file is read where it lies. */
const readBySlices: NonNullable<UploadOptions['fileReader']> = {
  openFile: async (file: File) => ({
    size: file.size,
    slice: async (start, end) => ({ value: file.slice(start, end), done: end >= file.size }),
    close() {},
  }),
};

interface Calls {
  readonly stack: HttpStack;
  /** What the last call that failed was rejected with. */
  readonly lastFailure: unknown;
}

/** The library's requests, sent by the page's own client: it knows the server and adds a token that holds. */
function callsOver(http: AxiosInstance): Calls {
  let lastFailure: unknown = null;

  function createRequest(method: string, url: string): HttpRequest {
    const headers: Record<string, string> = {};
    const controller = new AbortController();
    let onSent: (bytes: number) => void = () => {};

    async function call(body: unknown): Promise<AxiosResponse<unknown>> {
      try {
        return await http.request<unknown>({
          ...{ method, url, headers, data: body ?? undefined, signal: controller.signal },
          transformRequest: (piece: unknown) => piece,
          validateStatus: (status) => status >= 200 && status < 300,
          onUploadProgress: ({ loaded }) => onSent(loaded),
        });
      } catch (error) {
        lastFailure = error;
        if (axios.isAxiosError<unknown>(error) && error.response) return error.response;
        throw error;
      }
    }

    return {
      getMethod: () => method,
      getURL: () => url,
      setHeader(name, value) {
        headers[name] = value;
      },
      getHeader: (name) => headers[name],
      setProgressHandler(handler) {
        onSent = handler;
      },
      send: async (body) => describe(await call(body)),
      abort: async () => controller.abort(),
      getUnderlyingObject: () => null,
    };
  }

  return {
    stack: { createRequest, getName: () => 'the page' },
    get lastFailure() {
      return lastFailure;
    },
  };
}

function describe({ status, headers, data }: AxiosResponse<unknown>): HttpResponse {
  return {
    getStatus: () => status,
    getHeader(name) {
      const value: unknown = headers[name.toLowerCase()];
      return typeof value === 'string' ? value : undefined;
    },
    getBody: () => (typeof data === 'string' ? data : ''),
    getUnderlyingObject: () => null,
  };
}
