import { once } from 'node:events';
import { createServer } from 'node:net';

/** A port that nothing listens on. For programs that cannot choose one themselves. */
export async function freePort(host: string): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('No port is free');
  return address.port;
}
