import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Line, openLine } from './line.ts';

let echo: Server;
let received = '';
let line: Line;
const clients: Socket[] = [];
const portOf = (server: Server): number => (server.address() as AddressInfo).port;

async function connectTo(address: string): Promise<Socket> {
  const client = connect({ host: '127.0.0.1', port: Number(new URL(address).port) }).setEncoding('utf8');
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
  line = await openLine(`http://127.0.0.1:${portOf(echo)}`);
});
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
  line.close();
  echo.close();
});

it('The simulated network passes on all data and the end of a connection, also when slowed', async () => {
  const client = await connectTo(line.address);
  expect(await say(client, 'a')).toBe('a');
  line.slow(1);
  expect(await say(client, 'b')).toBe('b');
  client.end();
  await once(client, 'end');
});

it('The simulated network holds back data while it is stalled, on old and new connections', async () => {
  const client = await connectTo(line.address);
  await say(client, 'a');
  line.stall();
  client.write('b');
  const other = await connectTo(line.address);
  other.write('c');
  const beside = await connectTo(`http://127.0.0.1:${portOf(echo)}`);
  for (let times = 0; times < 10; times += 1) await say(beside, 'x');
  expect(received).toBe(`a${'x'.repeat(10)}`);
  const answers = Promise.all([once(client, 'data'), once(other, 'data')]);
  line.mend();
  expect(await answers).toEqual([['b'], ['c']]);
});

it('The simulated network resets every connection while it is cut', async () => {
  const client = await connectTo(line.address);
  await say(client, 'a');
  line.cut();
  const reset = { code: 'ECONNRESET' };
  await expect(once(client, 'data')).rejects.toMatchObject(reset);
  await expect(connectTo(line.address).then((other) => once(other, 'data'))).rejects.toMatchObject(reset);
  line.mend();
  expect(await say(await connectTo(line.address), 'b')).toBe('b');
});

it('The simulated network resets its connections when it has passed on the requested number of bytes', async () => {
  const client = await connectTo(line.address);
  line.cutAfter(3);
  expect(await say(client, 'ab')).toBe('ab');
  const reset = expect(once(client, 'data')).rejects.toMatchObject({ code: 'ECONNRESET' });
  client.write('c');
  await reset;
});
