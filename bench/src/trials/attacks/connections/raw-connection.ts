import { connect } from 'node:net';

/** A TCP connection for handwritten bytes, from another local address than that of the other clients. */
export interface RawConnection {
  /** Everything received so far. */
  readonly received: string;
  readonly isOpen: boolean;
  write(bytes: string | Buffer): void;
  end(): void;
}

/** All of 127/8 is this machine, but the server sees a separate network address. */
export const attackerAddress = '127.0.0.2';

export function openRaw(origin: string, localAddress = attackerAddress): RawConnection {
  const { hostname, port } = new URL(origin);
  const socket = connect({ port: Number(port), host: hostname, localAddress });
  let received = '';
  socket.setEncoding('latin1');
  socket.on('data', (text: string) => {
    received += text;
  });
  // Cuts are expected; `isOpen` shows them.
  socket.on('error', () => {});
  return {
    get received() {
      return received;
    },
    get isOpen() {
      return !socket.destroyed && !socket.readableEnded;
    },
    write(bytes) {
      if (socket.writable) socket.write(bytes);
    },
    end: () => socket.destroy(),
  };
}

/** Sends the beginning of a recording, announcing this many bytes. */
export function beginUpload(connection: RawConnection, token: string, announcedBytes: number): void {
  connection.write(
    `POST /get_prediction HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: multipart/form-data; boundary=b\r\n` +
      `Content-Length: ${announcedBytes}\r\n\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n`,
  );
}
