import { createServer, type Socket } from 'node:net';

/** An SMTP server with as much of RFC 5321 as one mail needs. `conversation` is everything its clients sent. */
export async function startSmtpServer() {
  const conversation: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let isData = false;
    // The end of a mail may be split over two chunks.
    let tail = '';
    socket.write('220 test\r\n');
    socket.on('data', (bytes) => {
      const text = bytes.toString();
      conversation.push(text);
      if (isData) {
        tail = (tail + text).slice(-5);
        if (tail !== '\r\n.\r\n') return;
        isData = false;
        tail = '';
        socket.write('250 ok\r\n');
      } else if (text.startsWith('DATA')) {
        isData = true;
        socket.write('354 go on\r\n');
      } else socket.write(text.startsWith('QUIT') ? '221 bye\r\n' : '250 ok\r\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const close = () =>
    new Promise<void>((resolve) => {
      for (const socket of sockets) socket.destroy();
      server.close(() => resolve());
    });
  return { port: typeof address === 'object' && address !== null ? address.port : 0, conversation, close };
}
