import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Line, openLine } from './line.ts';

let echo: Server;
let received = '';
let line: Line;
const clients: Socket[] = [];
const portOf = (server: Server): number => (server.address() as AddressInfo).port;

async function connectTo(port: number): Promise<Socket> {
  const client = connect({ host: '127.0.0.1', port }).setEncoding('utf8');
  clients.push(client);
  await once(client, 'connect');
  return client;
}
async function say(client: Socket, text: string): Promise<string> {
  client.write(text);
  return (await once(client, 'data'))[0];
}

beforeEach(async () => {
  received = '';
  echo = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (piece) => {
      received += piece;
      socket.write(piece);
    });
  }).listen(0, '127.0.0.1');
  await once(echo, 'listening');
  line = await openLine(portOf(echo), 'here', 'there');
});
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
  line.close();
  echo.close();
});

it('The network line of the trials passes on everything, also when slowed, and the end of a connection', async () => {
  const client = await connectTo(line.port);
  expect(await say(client, 'a')).toBe('a');
  line.slow(1);
  expect(await say(client, 'b')).toBe('b');
  client.end();
  await once(client, 'end');
});

it('The network line of the trials holds back data while it is stalled, on old and new connections', async () => {
  const client = await connectTo(line.port);
  await say(client, 'a');
  line.stall();
  client.write('b');
  const other = await connectTo(line.port);
  other.write('c');
  const beside = await connectTo(portOf(echo));
  for (let times = 0; times < 10; times += 1) await say(beside, 'x');
  expect(received).toBe(`a${'x'.repeat(10)}`);
  const answers = Promise.all([once(client, 'data'), once(other, 'data')]);
  line.mend();
  expect(await answers).toEqual([['b'], ['c']]);
});

it('The network line of the trials resets every connection while it is cut', async () => {
  const client = await connectTo(line.port);
  await say(client, 'a');
  line.cut();
  const reset = { code: 'ECONNRESET' };
  await expect(once(client, 'data')).rejects.toMatchObject(reset);
  await expect(connectTo(line.port).then((other) => once(other, 'data'))).rejects.toMatchObject(reset);
  line.mend();
  expect(await say(await connectTo(line.port), 'b')).toBe('b');
});
