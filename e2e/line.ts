import { connect, createServer, type Socket } from 'node:net';

/** A TCP proxy to a server that can be cut: all connections are reset, and new ones fail until it is mended. */
export interface Line {
  readonly origin: string;
  cut(): void;
  /** Cuts the line once this many bytes have been sent to the server since the line was started. */
  cutAfter(bytes: number): void;
  mend(): void;
  stop(): void;
}

export async function startLine(origin: string): Promise<Line> {
  const { hostname, port } = new URL(origin);
  const sockets = new Set<Socket>();
  let isCut = false;
  let sentBytes = 0;
  let cutAtBytes = Number.POSITIVE_INFINITY;
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.resetAndDestroy();
  };
  const line = createServer((near) => {
    if (isCut) {
      near.resetAndDestroy();
      return;
    }
    const far = connect(Number(port), hostname);
    near.on('data', ({ length }: Buffer) => {
      sentBytes += length;
      if (sentBytes < cutAtBytes) return;
      cutAtBytes = Number.POSITIVE_INFINITY;
      cut();
    });
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.pipe(other);
      socket.on('error', () => other.destroy()); // the line was cut
      socket.once('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => line.listen(0, '127.0.0.1', resolve));
  const address = line.address();
  if (address === null || typeof address === 'string') throw new Error('The line has no port');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    cut,
    cutAfter(bytes) {
      cutAtBytes = bytes;
    },
    mend() {
      isCut = false;
    },
    stop() {
      line.close();
      cut();
    },
  };
}
