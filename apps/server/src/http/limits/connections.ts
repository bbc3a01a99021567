import { BlockList, isIPv6, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../../config.ts';
import { networkOf } from './network-of.ts';

export interface ConnectionLimits {
  /** A connection that was opened, or has begun a request, has so long until all headers are there. */
  readonly headersMs: number;
  /** Connections at once from one network address. */
  readonly ofNetwork: number;
}

/** A browser has six of them, and a proxy that was not named one for each request under way: enough for a school class, or a small site. */
export const connectionLimits: ConnectionLimits = { headersMs: 15_000, ofNetwork: 512 };

/** Settings of Node's server: silent connections are ended. */
export const endSilentConnections = ({ headersMs }: ConnectionLimits) => ({
  headersTimeout: headersMs,
  connectionsCheckingInterval: Math.ceil(headersMs / 5),
});

/** Closes what one address opens beyond its share. Behind a trusted proxy all clients share its address: there the proxy limits. */
export function limitConnections(
  app: FastifyInstance,
  trustProxy: Config['trustProxy'],
  { ofNetwork }: ConnectionLimits = connectionLimits,
): void {
  const isTrusted = trustOf(trustProxy);
  /** Only networks that have any. */
  const counts = new Map<string, number>();
  /** The log has been told of these. */
  const told = new Set<string>();
  app.server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || isTrusted(remoteAddress)) return;
    const network = networkOf(remoteAddress);
    const count = counts.get(network) ?? 0;
    if (count >= ofNetwork) {
      socket.destroy();
      if (!told.has(network))
        app.log.warn({ connections: count }, 'one address has reached its limit of connections; is TRUST_PROXY set?');
      told.add(network);
      return;
    }
    counts.set(network, count + 1);
    socket.once('close', () => {
      const left = (counts.get(network) ?? 0) - 1;
      if (left > 0) return counts.set(network, left);
      counts.delete(network);
      told.delete(network);
    });
  });
}

function trustOf(trust: Config['trustProxy']): (address: string) => boolean {
  if (typeof trust === 'boolean') return () => trust;
  if (typeof trust === 'number') return () => true;
  const proxies = new BlockList();
  for (const entry of trust) {
    const [address = '', prefix] = entry.split('/');
    const version = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (prefix === undefined) proxies.addAddress(address, version);
    else proxies.addSubnet(address, Number(prefix), version);
  }
  return (address) => proxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}
