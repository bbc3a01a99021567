import { CodedError } from '@chiffchaff/acquire';
import type { Config } from '../config/config.ts';

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
export function explainListening(error: unknown, address: Address): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const sentence = sentences.get(code);
  return sentence === undefined ? error : new ListenError(code, sentence(address), { cause: error });
}
