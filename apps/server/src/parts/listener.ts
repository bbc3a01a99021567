import type { AddressInfo } from 'node:net';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Config } from '../config/config.ts';
import { explainListening } from './listen-error.ts';

/** How long work in flight may take when the server stops. */
const GRACE_MS = 15_000;
/** Time to send the responses of stopped work. */
const ANSWER_MS = 3_000;

/** Where a server listens, and how it stops. */
export function createListener(config: Pick<Config, 'host' | 'port' | 'publicUrl'>, log: Pick<FastifyBaseLogger, 'info'>) {
  let url = 'http://127.0.0.1';
  let closing: Promise<void> | null = null;

  async function stop(app: FastifyInstance, hurry: () => void): Promise<void> {
    const patience = setTimeout(hurry, GRACE_MS);
    const end = setTimeout(() => app.server.closeAllConnections(), GRACE_MS + ANSWER_MS);
    try {
      await app.close();
    } finally {
      clearTimeout(patience);
      clearTimeout(end);
    }
    log.info('stopped');
  }

  return {
    publicUrl: (): string => config.publicUrl ?? url,
    /** An address for secrets: the public one if it is encrypted, else this machine's own. */
    safestUrl: (): string => (config.publicUrl?.startsWith('https:') ? config.publicUrl : url),
    /** @returns where this machine reaches it. @throws ListenError */
    async listen(app: FastifyInstance): Promise<string> {
      try {
        await app.listen({ host: config.host, port: config.port });
      } catch (error) {
        await app.close();
        throw explainListening(error, config);
      }
      url = localUrl(app.server.address());
      return url;
    },
    /** Lets requests in progress end for a while, then hurries them. A second call hurries the first. */
    close(app: FastifyInstance, hurry: () => void): Promise<void> {
      if (closing) hurry();
      closing ??= stop(app, hurry);
      return closing;
    },
  };
}

/** Wildcard addresses are for listening; this machine asks itself. */
function localUrl(address: AddressInfo | string | null): string {
  if (address === null || typeof address === 'string') throw new Error('The server has no address');
  const own: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '127.0.0.1' };
  const host = own[address.address] ?? address.address;
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
}
