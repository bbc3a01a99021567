import axios, { type AxiosInstance, type AxiosResponse } from 'axios';
import { type HttpRequest, type HttpResponse, Upload, type UploadOptions } from 'tus-js-client';

export interface UploadPlace {
  /** null if none has started */
  readonly url: string | null;
  readonly onUrl: (url: string) => void;
}

interface PieceOptions {
  readonly signal: AbortSignal;
  /** Fraction of the recording that the server has or is receiving, 0–1. It may decrease after a broken connection. */
  readonly onProgress: (progress: number) => void;
  /** Delays in milliseconds between attempts while nothing gets through. */
  readonly retryMs?: readonly number[];
  readonly pieces?: UploadPlace | undefined;
}

/** Small enough for proxies that limit or buffer bodies; a lost connection costs one piece at most. */
const PIECE_BYTES = 32 * 1024 * 1024;
/** A few minutes in total, starting over whenever a piece gets through: a tunnel, another network, a server's restart. */
const patientRetryMs = [500, 1000, 2000, 4000, 8000, 16_000, ...Array<number>(8).fill(30_000)];

/**
 * Uploads a recording in pieces (tus). Resumes after a lost connection, and where an earlier page stopped. When the signal aborts, the
 * server deletes what it has received.
 *
 * @returns the upload's id; null if the server accepts no pieces
 * @throws AxiosError when the server or the network finally refuses; the signal's reason when it aborts
 */
export async function sendInPieces(http: AxiosInstance, file: File, options: PieceOptions): Promise<string | null> {
  const { signal, onProgress, pieces, retryMs = patientRetryMs } = options;
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  /** Says more than the library's own error. */
  let lastFailure: unknown = null;
  const createRequest = requestsOver(http, (failure) => {
    lastFailure = failure;
  });
  const upload = new Upload(file, {
    endpoint: new URL(http.getUri({ url: '/v1/uploads' }), window.location.href).href,
    metadata: { filename: file.name },
    chunkSize: PIECE_BYTES,
    retryDelays: [...retryMs],
    storeFingerprintForResuming: false,
    httpStack: { createRequest, getName: () => 'the page' },
    fileReader: readBySlices,
    uploadUrl: pieces?.url ?? null,
    onUploadUrlAvailable: () => upload.url !== null && pieces?.onUrl(upload.url),
    onShouldRetry: ({ originalResponse }) => mayGetThrough(originalResponse?.getStatus() ?? 0),
    onProgress: (sent, total) => onProgress(total > 0 ? sent / total : 0),
    onSuccess: () => resolve(),
    onError: (error) => reject(lastFailure ?? error),
  });
  const abort = (): void => {
    // If this removal fails, the server removes the upload a day later.
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

/**
 * Whether another attempt may succeed: after no response, a timeout, an older request that still holds the upload, or a server error other
 * than a full disk.
 */
const mayGetThrough = (status: number): boolean =>
  status === 0 || status === 408 || status === 409 || (status >= 500 && status !== 507);

/** Reads the file piece by piece instead of loading it. */
const readBySlices: NonNullable<UploadOptions['fileReader']> = {
  openFile: async (file: File) => ({
    size: file.size,
    slice: async (start, end) => ({ value: file.slice(start, end), done: end >= file.size }),
    close() {},
  }),
};

/** Sends the library's requests with the page's own HTTP client, which knows the server and adds a valid token. */
const requestsOver =
  (http: AxiosInstance, onFailure: (error: unknown) => void) =>
  (method: string, url: string): HttpRequest => {
    const headers: Record<string, string> = {};
    const controller = new AbortController();
    let onSent: (bytes: number) => void = () => {};

    async function call(body: unknown): Promise<AxiosResponse<unknown>> {
      try {
        return await http.request<unknown>({
          method,
          url,
          headers,
          data: body ?? undefined,
          signal: controller.signal,
          transformRequest: (piece: unknown) => piece,
          validateStatus: (status) => status >= 200 && status < 300,
          onUploadProgress: ({ loaded }) => onSent(loaded),
        });
      } catch (error) {
        onFailure(error);
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
  };

const describe = ({ status, headers, data }: AxiosResponse<unknown>): HttpResponse => ({
  getStatus: () => status,
  getHeader: (name) => headers[name.toLowerCase()],
  getBody: () => String(data),
  getUnderlyingObject: () => null,
});
