import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { FORM_TYPE, file, form } from '../../testing/multipart.ts';
import { openRawClient } from '../../testing/raw-client.ts';
import { createTestServer, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
afterEach(() => server.close());

const credentials = JSON.stringify({ email: 'slow@example.org', password: 'two short notes' });
const head = (url: string, type: string, length: number): string =>
  `POST ${url} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`;

async function dribble(url: string, type: string, body: string) {
  const { port } = server.app.server.address() as AddressInfo;
  const client = await openRawClient(`http://127.0.0.1:${port}`);
  client.write(head(url, type, body.length));
  let sent = 0;
  const timer = setInterval(() => client.write(body[sent++] ?? ''), 50);
  void client.closed.then(() => clearInterval(timer));
  return client;
}

it('A request body that arrives byte by byte is answered 408 before it is complete, and its connection ends', async () => {
  server = await createTestServer({ limits: { bodyMs: 300, drain: { maxBytes: 1000, milliseconds: 300 } } });
  await server.listen();
  const client = await dribble('/v1/accounts:signUp?key=any', 'application/json', credentials);
  const answer = await client.until('"error"');
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  await client.closed;
});

it('A request body that arrives too slowly is answered UPLOAD_TIMEOUT, or in plain text where JSON would sign clients out', async () => {
  server = await createTestServer({ limits: { bodyMs: 300, drain: { maxBytes: 1000, milliseconds: 300 } } });
  const signedUp = await server.app.inject({
    method: 'POST',
    url: '/v1/accounts:signUp?key=any',
    payload: { email: 'a@example.org', password: 'two short notes', returnSecureToken: true },
  });
  const client = await openRawClient(await server.listen());
  client.write(
    `POST /v1/account/settings HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${signedUp.json().idToken}\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{`,
  );
  expect(await client.until('"UPLOAD_TIMEOUT"')).toMatch(/^HTTP\/1\.1 408 /);
  await client.closed;
  const lookup = await dribble('/v1/accounts:lookup?key=any', 'application/json', credentials);
  expect(await lookup.until('Please try again.')).toMatch(/^HTTP\/1\.1 503 /);
  lookup.cut();
});

it('A recording can take any time to arrive as long as it keeps the required pace', async () => {
  server = await createTestServer({ limits: { bodyMs: 200 } });
  const body = form([file('x')]).toString('latin1');
  const client = await openRawClient(await server.listen());
  client.write(head('/get_prediction', FORM_TYPE, body.length));
  client.write(body.slice(0, 20));
  // biome-ignore lint/plugin: sleeps; to become a gate
  await new Promise((resolve) => setTimeout(resolve, 600));
  client.write(body.slice(20));
  expect(await client.until('"verdict"')).toMatch(/^HTTP\/1\.1 200 /);
  client.cut();
});
