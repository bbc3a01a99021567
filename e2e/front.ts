import { type ClientRequest, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A response that a front sends instead of the server. */
export interface OwnAnswer {
  readonly status?: number;
  readonly type: string;
  readonly body: string;
}

/** A proxy in front of a server that can answer in its place, and can be cut off like a network. */
export interface Front {
  readonly origin: string;
  /** Answers a path from now on; null passes it on again. */
  answer(path: string, own: OwnAnswer | null): void;
  /**
   * Cuts the connection of the next recording after that many bytes of its form, as a network does of which the server does not know yet:
   * on the server's side it ends only once the page asks for the recording's events. @returns resolves when it is cut
   */
  cutUpload(afterBytes: number): Promise<void>;
  cutOff(): Promise<void>;
  reconnect(): Promise<void>;
}

export async function startFront(serverOrigin: string): Promise<Front> {
  const answers = new Map<string, OwnAnswer>();
  const sockets = new Set<Socket>();
  let upload: { readonly afterBytes: number; readonly cut: () => void } | null = null;
  /** Ends cut uploads on the server's side. */
  let loseUploads = (): void => {};

  async function passUntilCut(incoming: IncomingMessage, onward: ClientRequest, { afterBytes, cut }: NonNullable<typeof upload>) {
    const { socket } = incoming;
    loseUploads = () => onward.destroy();
    onward.flushHeaders();
    let left = afterBytes;
    for await (const piece of incoming) {
      onward.write(piece.subarray(0, left));
      left = Math.max(0, left - piece.length);
      if (left === 0) break;
    }
    socket.destroy();
    cut();
  }

  function passOn(incoming: IncomingMessage, response: ServerResponse): void {
    const own = answers.get(new URL(incoming.url ?? '/', serverOrigin).pathname);
    if (own) {
      incoming.resume();
      response.writeHead(own.status ?? 200, { 'content-type': own.type, 'cache-control': 'no-cache' }).end(own.body);
      return;
    }
    const { method, headers, url } = incoming;
    const onward = request(new URL(url ?? '/', serverOrigin), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
      if (url?.includes('/events')) loseUploads();
    });
    onward.on('error', () => response.destroy());
    if (upload !== null && url === '/get_prediction') {
      void passUntilCut(incoming, onward, upload);
      upload = null;
      return;
    }
    response.on('close', () => onward.destroy());
    incoming.pipe(onward);
  }

  const front = createServer(passOn);
  front.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const listen = (port: number) =>
    new Promise<AddressInfo>((resolve, reject) => {
      front.once('error', reject);
      front.listen(port, '127.0.0.1', () => {
        const address = front.address();
        if (address !== null && typeof address === 'object') resolve(address);
      });
    });
  const { port } = await listen(0);
  return {
    origin: `http://127.0.0.1:${port}`,
    answer(path, own) {
      if (own) answers.set(path, own);
      else answers.delete(path);
    },
    cutUpload: (afterBytes) =>
      new Promise((cut) => {
        upload = { afterBytes, cut };
      }),
    async cutOff() {
      const closed = new Promise<void>((resolve) => front.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    async reconnect() {
      await listen(port);
    },
  };
}
