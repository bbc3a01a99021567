import type { FastifyRequest } from 'fastify';

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
const LOOPBACK_HOST = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i;
/** A proxy adds one of these. */
const FORWARDING = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via'];

/**
 * Whether nobody on the way can read a request: it came by https, as a trusted proxy says, or from this machine itself. What an untrusted proxy
 * on this machine hands on came from elsewhere, and a name that merely leads here may be another site's.
 */
export function isPrivate({ protocol, raw: { socket, headers } }: Pick<FastifyRequest, 'protocol' | 'raw'>): boolean {
  if (protocol === 'https') return true;
  const isHandedOn = FORWARDING.some((name) => headers[name] !== undefined);
  return LOOPBACK.test(socket.remoteAddress ?? '') && !isHandedOn && LOOPBACK_HOST.test(headers.host ?? '');
}
