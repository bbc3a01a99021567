import type { AddressInfo } from 'node:net';
import { CodedError, codeOf } from '@chiffchaff/acquire';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Config } from '../config/config.ts';

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
export function localUrl(address: Pick<AddressInfo, 'address' | 'port'> | string | null): string {
  if (address === null || typeof address === 'string') throw new Error('The server has no address');
  const own: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '127.0.0.1' };
  const host = own[address.address] ?? address.address;
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
}

/** The server cannot listen on its address. The code is the system's, such as `EADDRINUSE`; the message says why, and what works. */
export class ListenError extends CodedError<string> {
  override readonly name = 'ListenError';
}

type Address = Pick<Config, 'host' | 'port'>;

const taken = ({ port }: Address): string => `Port ${port} is taken. Set PORT, or stop the other program.`;
const refused = ({ port }: Address): string =>
  `This user may not listen on port ${port}. Set PORT to 1024 or higher; a reverse proxy can listen on 80 and 443.`;
const foreign = ({ host }: Address): string =>
  `HOST is ${host}, which is not an address of this machine. Set it to 127.0.0.1, or to 0.0.0.0 to listen on all networks.`;

const sentences = new Map([
  ['EADDRINUSE', taken],
  ['EACCES', refused],
  ['EADDRNOTAVAIL', foreign],
  ['EAFNOSUPPORT', foreign],
  ['EINVAL', foreign],
  // The host name could not be resolved.
  ['ENOTFOUND', foreign],
  ['EAI_AGAIN', foreign],
]);

/** @returns a `ListenError` if the operator can do something about it, otherwise the error itself */
function explainListening(error: unknown, address: Address): unknown {
  const code = codeOf(error);
  const sentence = sentences.get(code);
  return sentence === undefined ? error : new ListenError(code, sentence(address), { cause: error });
}
