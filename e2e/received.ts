import { connect, createServer } from 'node:net';

/** A proxy that records every byte sent to a server, because a browser does not reveal what it uploads of a file. */
export interface Receiver {
  readonly origin: string;
  /** Samples of the last 16-bit WAV on the first connection that carried one; empty if none did. */
  receivedSound(): Int16Array;
  stop(): void;
}

export async function startReceiver(origin: string): Promise<Receiver> {
  const { hostname, port } = new URL(origin);
  const connections: Buffer[][] = [];
  const receiver = createServer((near) => {
    const far = connect(Number(port), hostname);
    const received: Buffer[] = [];
    connections.push(received);
    near.on('data', (bytes: Buffer) => void received.push(bytes));
    near.pipe(far).pipe(near);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      socket.on('error', () => other.destroy());
      socket.once('close', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const address = receiver.address();
  if (address === null || typeof address === 'string') throw new Error('The receiver has no port');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    receivedSound() {
      const all = connections.map((parts) => Buffer.concat(parts)).find((bytes) => bytes.includes('RIFF')) ?? Buffer.alloc(0);
      return soundOf(all.subarray(Math.max(0, all.lastIndexOf('RIFF'))));
    },
    stop: () => void receiver.close(),
  };
}

/** The samples of a 16-bit WAV, which may be followed by other bytes. */
export function soundOf(wave: Buffer): Int16Array {
  const data = wave.indexOf('data') + 8;
  if (data < 8) return new Int16Array(0);
  const samples = Uint8Array.from(wave.subarray(data, data + wave.readUInt32LE(data - 4)));
  return new Int16Array(samples.buffer, 0, samples.length >> 1);
}
