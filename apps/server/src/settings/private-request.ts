import type { FastifyRequest } from 'fastify';

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
const LOOPBACK_HOST = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i;
/** A proxy adds one of these. */
const FORWARDING = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via'];

/**
 * Whether nobody could read a request on its way: it came over https (a trusted proxy may say so) or from this machine. A request forwarded
 * by an untrusted proxy on this machine came from elsewhere, and a host name that merely resolves to this machine may belong to another
 * site.
 */
export function isPrivate({ protocol, raw: { socket, headers } }: Pick<FastifyRequest, 'protocol' | 'raw'>): boolean {
  if (protocol === 'https') return true;
  const isHandedOn = FORWARDING.some((name) => headers[name] !== undefined);
  return LOOPBACK.test(socket.remoteAddress ?? '') && !isHandedOn && LOOPBACK_HOST.test(headers.host ?? '');
}
