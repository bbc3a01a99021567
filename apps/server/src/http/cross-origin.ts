import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `false` for routes that handle other origins themselves; for those that also answer preflights with more, `preflightContinue`. */
    cors?: false | { readonly preflightContinue: true };
  }
}

const PREFLIGHT_SECONDS = 600;

/** Lets only pages of the allowed origins read responses. Tokens travel in a header, never in a cookie. */
export async function allowOrigins(app: FastifyInstance, origins: readonly string[]): Promise<void> {
  await app.register(cors, {
    // Always an array: a single string would be sent to every origin.
    origin: [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: [
      'Authorization',
      'Content-Type',
      'Idempotency-Key',
      'Setup-Code',
      'Tus-Resumable',
      'Upload-Length',
      'Upload-Offset',
      'Upload-Metadata',
      'Upload-Defer-Length',
      'Upload-Concat',
      'Upload-Checksum',
      'X-HTTP-Method-Override',
    ],
    exposedHeaders: [
      'Retry-After',
      'Location',
      'Upload-Offset',
      'Upload-Length',
      'Upload-Expires',
      'Upload-Metadata',
      'Tus-Resumable',
      'Tus-Version',
      'Tus-Extension',
      'Tus-Max-Size',
      'X-Request-Id',
    ],
    maxAge: PREFLIGHT_SECONDS,
    strictPreflight: false,
  });
}
