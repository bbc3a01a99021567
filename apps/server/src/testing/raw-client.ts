import { connect, type Socket } from 'node:net';

/** A client that sends exactly what it is given, when it is given. */
export interface RawClient {
  readonly socket: Socket;
  write(bytes: string | Buffer): void;
  /** Resolves with everything received once that contains the text. Rejects if the connection ends first. */
  until(text: string): Promise<string>;
  /** Resolves when the connection is closed by the other side. */
  readonly closed: Promise<void>;
  /** Cuts the connection off, as a lost network does. */
  cut(): void;
}

export async function openRawClient(origin: string): Promise<RawClient> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  let received = '';
  const watchers = new Set<() => void>();
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
    for (const watch of watchers) watch();
  });
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return {
    socket,
    write: (bytes) => void socket.write(bytes),
    until(text) {
      return new Promise((resolve, reject) => {
        const watch = (): void => {
          if (!received.includes(text)) return;
          watchers.delete(watch);
          resolve(received);
        };
        watchers.add(watch);
        void closed.then(() =>
          reject(new Error(`The connection ended before "${text}" came; there was: ${received.slice(0, 2000)}`)),
        );
        watch();
      });
    },
    closed,
    cut: () => socket.resetAndDestroy(),
  };
}
