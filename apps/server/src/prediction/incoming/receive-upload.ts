import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import type { Kysely } from 'kysely';
import type { Tables } from '../../database/tables.ts';
import { HttpProblem, invalidFields } from '../../http/http-problem.ts';
import { type ArrivalPace, watchPace } from './arrival-pace.ts';

/** A recording that has fully arrived. */
export interface Recording {
  readonly fileName: string | null;
  readonly bytes: number;
  readonly sha256: string;
  /** Its bytes are gone: it can only stand for a request that was accepted before. */
  readonly isGone?: true;
  /** Takes it for good, in the transaction that accepts its job. @returns false when another job has taken it */
  readonly take?: (transaction: Kysely<Tables>) => Promise<boolean>;
  /** Call this when that transaction has been committed. */
  readonly onAccepted?: () => Promise<void>;
}

/** A recording with the text fields of its form. */
export interface Upload extends Recording {
  readonly fields: Readonly<Record<string, string>>;
}

export interface UploadLimits {
  readonly maxBytes: number;
  readonly pace: ArrivalPace;
}

export interface UploadOptions {
  /** Where the recording is written. */
  readonly path: string;
  readonly limits: UploadLimits;
  readonly signal: AbortSignal;
  /** Called with the size of each piece of the body. */
  readonly onBytes?: (bytes: number) => void;
  /** Writes a recording to `path` that has arrived before and is named in the field `upload` instead of being sent. */
  readonly handOver: (id: string) => Promise<Recording>;
}

/** What a form needs besides the recording, with plenty of room. */
export const FORM_OVERHEAD_BYTES = 256 * 1024;
const MAX_FIELDS = 32;
const MAX_FIELD_BYTES = 1024;
const MAX_FILE_NAME_CHARACTERS = 255;
const MAX_PART_HEADER_BYTES = 16 * 1024;

const malformed = (found: string): HttpProblem => new HttpProblem('REQUEST_INVALID', { found });
const NOT_A_FORM = 'The body is not a multipart form as its Content-Type says, or its first field is far too long.';
const TOO_MUCH_FORM = 'The form contains too many fields or too much data besides the recording.';

/**
 * Streams a multipart body: the part `file` to `path`, hashed on the way, and text fields to memory. Holds only a few buffers at a time.
 *
 * After a failure it writes nothing more to `path`, and the rest of the body stays unread. The caller removes the file.
 *
 * @throws HttpProblem for whatever is wrong with the form
 * @throws AbortError (DOMException) when the signal aborts
 */
export async function receiveUpload(request: IncomingMessage, options: UploadOptions): Promise<Upload> {
  const { path, limits, signal } = options;
  signal.throwIfAborted();
  const form = openForm(request, limits);
  const finished = Promise.withResolvers<void>();
  const fields: Record<string, string> = Object.create(null);
  let partSeen = false;
  let bytesSeen = 0;
  // By its signal: a pipeline whose middle is destroyed after its source has ended would never settle.
  const stopping = new AbortController();
  let recording: { stream: BusboyFileStream; fileName: string | null; written: ReturnType<typeof writeHashed> } | undefined;

  form.on('file', (name, stream, fileName) => {
    partSeen = true;
    // The form reports its errors, too. Without a listener, they would crash the process while the stream is unread.
    stream.on('error', () => {});
    if (name !== 'file') return finished.reject(new HttpProblem('FILE_MISSING', {}));
    if (recording !== undefined) return finished.reject(invalidFields([{ field: 'file', message: 'was sent more than once' }]));
    stream.on('limit', () => finished.reject(tooLarge(limits.maxBytes)));
    // Browsers and curl send a quote like this (https://html.spec.whatwg.org/#multipart-form-data).
    const sentName = fileNameOf(fileName?.replaceAll('%22', '"'));
    recording = { stream, fileName: sentName, written: writeHashed(stream, path, stopping.signal) };
    recording.written.catch(finished.reject);
  });
  form.on('field', (name, value, _nameCut, valueCut) => {
    partSeen = true;
    if (valueCut) return finished.reject(invalidFields([{ field: name.slice(0, 64), message: 'is too long' }]));
    if (name in fields) return finished.reject(invalidFields([{ field: name.slice(0, 64), message: 'was sent more than once' }]));
    fields[name] = value;
  });
  for (const limit of ['fieldsLimit', 'partsLimit', 'filesLimit'] as const) {
    form.on(limit, () => finished.reject(malformed(TOO_MUCH_FORM)));
  }
  form.on('error', () =>
    finished.reject(malformed(partSeen ? 'The form ended in the middle of a part. Send it again.' : NOT_A_FORM)),
  );
  form.on('finish', () => finished.resolve());

  const count = (bytes: number): void => {
    options.onBytes?.(bytes);
    bytesSeen += bytes;
    if (bytesSeen - (recording?.stream.bytesRead ?? 0) <= FORM_OVERHEAD_BYTES) return;
    finished.reject(malformed(partSeen ? TOO_MUCH_FORM : NOT_A_FORM));
  };
  const abort = (): void => finished.reject(signal.reason);
  const lost = (): void => finished.reject(new DOMException('The connection was lost', 'AbortError'));
  signal.addEventListener('abort', abort);
  request.on('error', lost);
  request.pipe(form);
  // After the pipe, so that each piece is counted once the form has parsed it.
  using _watched = watchPace(request, limits.pace, count, finished.reject);

  try {
    await finished.promise;
    const { upload: uploadId, ...otherFields } = fields;
    if (recording === undefined) {
      if (uploadId === undefined || uploadId === '') throw new HttpProblem('FILE_MISSING', {});
      return { fields: otherFields, ...(await options.handOver(uploadId)) };
    }
    if (uploadId !== undefined && uploadId !== '') {
      throw invalidFields([{ field: 'upload', message: 'cannot be sent together with a file' }]);
    }
    const written = await recording.written;
    // A browser sends this for an empty file field.
    if (written.bytes === 0 && recording.fileName === null) throw new HttpProblem('FILE_MISSING', {});
    return { fileName: recording.fileName, ...written, fields: otherFields };
  } catch (error) {
    stopping.abort();
    await recording?.written.catch(() => {});
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
    request.unpipe(form);
    request.off('error', lost);
    // A connection that breaks later no longer matters.
    request.on('error', () => {});
  }
}

function openForm(request: IncomingMessage, limits: UploadLimits): BusboyInstance {
  const contentType = request.headers['content-type'] ?? '';
  if (!/^multipart\/form-data\b/i.test(contentType)) throw new HttpProblem('FILE_MISSING', {});
  try {
    return new Busboy({
      headers: { ...request.headers, 'content-type': contentType },
      // Some clients send no file name; the part called file is the recording all the same, whatever its declared type.
      isPartAFile: (name, _contentType, fileName) => name === 'file' || fileName !== undefined,
      preservePath: true,
      limits: {
        fileSize: limits.maxBytes,
        files: 2,
        fields: MAX_FIELDS,
        parts: MAX_FIELDS + 2,
        fieldSize: MAX_FIELD_BYTES,
        headerPairs: 32,
        headerSize: MAX_PART_HEADER_BYTES,
      },
    });
  } catch {
    throw malformed('The Content-Type of a multipart form needs a boundary.');
  }
}

/** Writes a recording to a new file, flushed so that a job that resumes after a power cut finds all of it. @returns its size and SHA-256 in hex */
export async function writeHashed(content: AsyncIterable<Buffer>, path: string, signal: AbortSignal) {
  const hash = createHash('sha256');
  let bytes = 0;
  const hashed = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  await pipeline(content, hashed, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }), { signal });
  return { bytes, sha256: hash.digest('hex') };
}

export function tooLarge(maxBytes: number, foundBytes: number | null = null): HttpProblem<'RECORDING_TOO_LARGE'> {
  return new HttpProblem('RECORDING_TOO_LARGE', { foundBytes, maxBytes });
}

/**
 * A file name for display: only its last path component, without control and direction characters, and shortened. Null when nothing is
 * left. It is never used as a path.
 */
export function fileNameOf(sent: string | undefined): string | null {
  const name = (sent ?? '')
    .split(/[/\\]/)
    .at(-1)
    ?.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '')
    .trim();
  if (name === undefined || name === '') return null;
  return [...name].slice(0, MAX_FILE_NAME_CHARACTERS).join('');
}
