import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** A TCP connection to a server, as a proxy in this process that can fail. */
export interface Line {
  /** Connect to this address instead of the server's. */
  readonly address: string;
  /** Resets all connections, and every new one, until `mend`. */
  cut(): void;
  /** Cuts the line once this many bytes in all have been sent to the server. */
  cutAfter(bytes: number): void;
  /** Passes nothing on until `mend`; connections stay open, as over a network that loses all packets. */
  stall(): void;
  /** Passes each piece on this much later, until `mend`. */
  slow(ms: number): void;
  mend(): void;
  close(): void;
}

/** @param address URL of the server, which is on this machine */
export async function openLine(address: string): Promise<Line> {
  const url = new URL(address);
  const { hostname: host, port } = url;
  let isCut = false;
  let sentBytes = 0;
  let cutAtBytes = Number.POSITIVE_INFINITY;
  let delayMs = 0;
  /** Pending while the line is stalled. */
  let passing = Promise.resolve();
  let resume = (): void => {};
  const sockets = new Set<Socket>();

  const hold = (socket: Socket): void => {
    sockets.add(socket);
    // `carry` ends the other side.
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
  };

  async function pass(): Promise<void> {
    if (delayMs > 0) await delay(delayMs);
    await passing;
  }

  const cut = (): void => {
    isCut = true;
    for (const socket of sockets) socket.resetAndDestroy();
  };

  function count({ length }: Buffer): void {
    sentBytes += length;
    if (sentBytes < cutAtBytes) return;
    cutAtBytes = Number.POSITIVE_INFINITY;
    cut();
  }

  /** Neither data nor the end of a connection gets past a stalled line. */
  async function carry(from: Socket, to: Socket, onPiece?: (piece: Buffer) => void): Promise<void> {
    try {
      for await (const piece of from.iterator({ destroyOnReturn: false })) {
        await pass();
        if (!to.write(piece)) await once(to, 'drain');
        onPiece?.(piece);
      }
      await pass();
      to.end();
    } catch {
      await pass();
      to.resetAndDestroy();
    }
  }

  async function connectThrough(client: Socket): Promise<void> {
    hold(client);
    if (isCut) return void client.resetAndDestroy();
    await pass();
    const server = connect({ host, port: Number(port), allowHalfOpen: true });
    hold(server);
    void carry(client, server, count);
    void carry(server, client);
  }

  const proxy = createServer({ allowHalfOpen: true }, (client) => void connectThrough(client)).listen(0, host);
  await once(proxy, 'listening');
  url.port = String((proxy.address() as AddressInfo).port);
  const mend = (): void => {
    isCut = false;
    delayMs = 0;
    resume();
    passing = Promise.resolve();
  };
  return {
    address: url.href.replace(/\/$/, ''),
    cut,
    cutAfter(bytes) {
      cutAtBytes = bytes;
    },
    stall() {
      const stalled = Promise.withResolvers<void>();
      passing = stalled.promise;
      resume = stalled.resolve;
    },
    slow(ms) {
      delayMs = ms;
    },
    mend,
    close() {
      mend();
      proxy.close();
      cut();
    },
  };
}
