import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { type BrotliOptions, brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A response that is the same for every client: generated, compressed and hashed once. */
export interface StaticResponse {
  readonly type: string;
  /** hash of the uncompressed content */
  readonly etag: string;
  readonly plain: Buffer;
  /** by HTTP name of the encoding, best first */
  readonly compressed: readonly (readonly [encoding: string, bytes: Buffer])[];
}

/** Nearly as small as with the highest quality, in a tenth of the time, for which the first request waits. */
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
const toBrotli = promisify<Buffer, BrotliOptions, Buffer>(brotliCompress);
const compressors = [
  ['br', (plain: Buffer) => toBrotli(plain, quality)],
  ['gzip', promisify(gzip)],
] as const;

/** @param content text or bytes; fonts are already compressed and are not compressed again */
export async function makeFixedAnswer(type: string, content: string | Buffer): Promise<StaticResponse> {
  const plain = typeof content === 'string' ? Buffer.from(content) : content;
  const hash = createHash('sha256').update(plain).digest('base64url');
  const compressed = (type.startsWith('font/') ? [] : compressors).map(
    async ([encoding, compress]) => [encoding, await compress(plain)] as const,
  );
  return { type, etag: `"${hash}"`, plain, compressed: await Promise.all(compressed) };
}

/** Sends it in an encoding that the client accepts, or 304 if the client has it. Clients may cache it but must revalidate each time. */
export function sendFixedAnswer({ headers }: FastifyRequest, reply: FastifyReply, answer: StaticResponse): FastifyReply {
  const { type, etag, plain, compressed } = answer;
  const vary = reply.getHeader('vary');
  // Weak, because all encodings share it.
  reply.header('cache-control', 'no-cache').header('etag', `W/${etag}`);
  reply.header('vary', vary === undefined ? 'accept-encoding' : `${String(vary)}, accept-encoding`);
  if (headers['if-none-match']?.includes(etag)) return reply.code(304).send();
  const [encoding, bytes] = compressed.find(([name]) => accepts(headers['accept-encoding'], name)) ?? [null, plain];
  if (encoding !== null) reply.header('content-encoding', encoding);
  return reply.type(type).send(bytes);
}

/** Whether `Accept-Encoding` names an encoding and does not refuse it with `q=0`. */
const accepts = (header: string | string[] | undefined, encoding: string): boolean =>
  String(header ?? '')
    .split(',')
    .some((part) => new RegExp(`^\\s*${encoding}\\s*(;(?!\\s*q=0(\\.0*)?\\s*$)|$)`, 'i').test(part));
