import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const HOST = '127.0.0.1';

/** A TCP connection between machines, as a proxy in this process that can fail. */
export interface Line {
  readonly from: string;
  readonly to: string;
  /** Connect to this port instead of the server's. */
  readonly port: number;
  /** Resets all connections, and every new one, until `mend`. */
  cut(): void;
  /** Passes nothing on until `mend`; connections stay open, as over a network that loses all packets. */
  stall(): void;
  /** Passes each piece on this much later, until `mend`. */
  slow(ms: number): void;
  mend(): void;
  close(): void;
}

/** @param port of the server, on this machine */
export async function openLine(port: number, from: string, to: string): Promise<Line> {
  let isCut = false;
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

  /** Neither data nor the end of a connection gets past a stalled line. */
  async function carry(from: Socket, to: Socket): Promise<void> {
    try {
      for await (const piece of from.iterator({ destroyOnReturn: false })) {
        await pass();
        if (!to.write(piece)) await once(to, 'drain');
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
    const server = connect({ host: HOST, port, allowHalfOpen: true });
    hold(server);
    void carry(client, server);
    void carry(server, client);
  }

  const proxy = createServer({ allowHalfOpen: true }, (client) => void connectThrough(client)).listen(0, HOST);
  await once(proxy, 'listening');
  const reset = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  const mend = (): void => {
    isCut = false;
    delayMs = 0;
    resume();
    passing = Promise.resolve();
  };
  return {
    from,
    to,
    port: (proxy.address() as AddressInfo).port,
    cut() {
      isCut = true;
      reset();
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
      reset();
    },
  };
}
