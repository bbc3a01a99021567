import type { Socket } from 'node:net';
import { compile } from '@fastify/proxy-addr';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../../config/config.ts';
import { networkOf } from './network-of.ts';

type ConnectionLimits = Readonly<typeof connectionLimits>;

export const connectionLimits = {
  /** Time from opening a connection, or from starting a request, until all headers have arrived. */
  headersMs: 15_000,
  /**
   * Concurrent connections from one network. A browser opens six, and a proxy missing from TRUST_PROXY one per request in progress: enough
   * for a school class or a small site.
   */
  ofNetwork: 512,
};

/** Settings of Node's server that close silent connections. */
export const endSilentConnections = ({ headersMs }: ConnectionLimits) => ({
  headersTimeout: headersMs,
  connectionsCheckingInterval: Math.ceil(headersMs / 5),
});

/** Closes connections beyond a network's limit. Clients behind a trusted proxy share its address, so there the proxy must limit them. */
export function limitConnections(app: FastifyInstance, trustProxy: Config['trustProxy'], { ofNetwork }: ConnectionLimits): void {
  const isTrusted = trustOf(trustProxy);
  /** Only networks with open connections. */
  const counts = new Map<string, number>();
  /** Networks already logged. */
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
  const isProxy = compile([...trust]);
  return (address) => isProxy(address, 0);
}
