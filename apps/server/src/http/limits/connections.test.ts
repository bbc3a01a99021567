import { eventually } from '@chiffchaff/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { openRawClient, type RawClient } from '../../testing/raw-client.ts';
import { createTestServer, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
let origin: string;
const clients: RawClient[] = [];

async function start(limits: { headersMs?: number; ofNetwork?: number }, environment: Record<string, string> = {}) {
  const connections = { headersMs: 60_000, ofNetwork: 100, ...limits };
  server = await createTestServer({ environment, limits: { connections } });
  origin = await server.listen();
}
afterEach(async () => {
  for (const client of clients.splice(0)) client.cut();
  await server.close();
});

async function open(): Promise<RawClient> {
  const client = await openRawClient(origin);
  clients.push(client);
  return client;
}
const ask = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';

describe('A connection to the server', () => {
  it('that sends nothing is closed without a response', async () => {
    await start({ headersMs: 100 });
    const client = await open();
    const received: Buffer[] = [];
    client.socket.on('data', (bytes: Buffer) => received.push(bytes));
    await client.closed;
    expect(received).toEqual([]);
  });

  it('that does not finish its headers is answered 408', async () => {
    await start({ headersMs: 100 });
    const client = await open();
    client.write('GET /healthz HTTP/1.1\r\nHost: x\r\n');
    expect(await client.until('"UPLOAD_TIMEOUT"')).toMatch(/^HTTP\/1\.1 408 /);
    await client.closed;
  });

  it('that has been answered can be idle for a while', async () => {
    await start({ headersMs: 100 });
    const used = await open();
    used.write(ask);
    await used.until('"ok"');
    const silent = await open();
    await silent.closed;
    used.write('GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n');
    await used.until('"ready"');
  });

  it('beyond the limit for its network address is closed with one warning in the log, until another connection ends', async () => {
    await start({ ofNetwork: 3 });
    const held = [await open(), await open(), await open()];
    for (let n = 0; n < 3; n += 1) await (await open()).closed;
    for (const client of held) {
      client.write(ask);
      await client.until('"ok"');
    }
    expect(server.logged.filter(({ msg }) => String(msg).includes('TRUST_PROXY'))).toHaveLength(1);
    held[0]?.cut();
    await eventually(async () => {
      const again = await open();
      again.write(ask);
      await again.until('"ok"');
    });
  });

  it.each(['true', '1', '127.0.0.1', '10.0.0.0/8,127.0.0.0/8'])('from a trusted proxy (%s) is not counted', async (trust) => {
    await start({ ofNetwork: 1 }, { TRUST_PROXY: trust });
    for (let n = 0; n < 3; n += 1) {
      const client = await open();
      client.write(ask);
      await client.until('"ok"');
    }
  });

  it.each(['10.0.0.0/8', '::1'])('from an address that is not a trusted proxy (%s) is counted', async (trust) => {
    await start({ ofNetwork: 1 }, { TRUST_PROXY: trust });
    await open();
    await (await open()).closed;
  });
});
