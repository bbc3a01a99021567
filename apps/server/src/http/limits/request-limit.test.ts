import { problemBodySchema } from '@chiffchaff/contract';
import { afterEach, describe, expect, it } from 'vitest';
import { createTestServer, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
afterEach(() => server.close());

async function start(environment: Record<string, string>) {
  server = await createTestServer({ environment: { METRICS_TOKEN: 'a-long-random-text-of-nobody', ...environment } });
}
const get = (url: string, remoteAddress = '192.0.2.1', headers: Record<string, string> = {}) =>
  server.app.inject({ url, remoteAddress, headers });

describe('The limit of requests', () => {
  it('applies to a network address, whatever it requests, and says when to try again', async () => {
    await start({ REQUEST_LIMIT_PER_CLIENT: '3/60' });
    for (const url of ['/openapi.json', '/nothing', '/v1/predictions']) expect((await get(url)).statusCode).not.toBe(429);
    const refused = await get('/config.json');
    expect(refused.statusCode).toBe(429);
    expect(refused.headers['retry-after']).toMatch(/^(60|59)$/);
    expect(problemBodySchema.parse(refused.json())).toMatchObject({
      code: 'TOO_MANY_REQUESTS',
      retryable: true,
      detail: expect.stringMatching(/^Your network has sent too many requests .* Try again in (60|59) seconds\.$/),
    });
    expect((await get('/config.json', '192.0.2.2')).statusCode).toBe(200);
  });

  it('distinguishes clients behind a trusted proxy', async () => {
    await start({ REQUEST_LIMIT_PER_CLIENT: '1/60', TRUST_PROXY: '1' });
    const from = (client: string) => get('/config.json', '192.0.2.1', { 'x-forwarded-for': client });
    const statuses = [await from('198.51.100.1'), await from('198.51.100.2'), await from('198.51.100.1')];
    expect(statuses.map(({ statusCode }) => statusCode)).toEqual([200, 200, 429]);
  });

  it('does not count requests to the routes for monitoring', async () => {
    await start({ REQUEST_LIMIT_PER_CLIENT: '1/60' });
    await get('/config.json');
    for (let n = 0; n < 3; n += 1) {
      expect((await get('/healthz')).statusCode).toBe(200);
      expect((await get('/readyz')).statusCode).toBe(200);
      const metrics = await get('/metrics', '192.0.2.1', { authorization: 'Bearer a-long-random-text-of-nobody' });
      expect(metrics.statusCode).toBe(200);
    }
    expect((await get('/config.json')).statusCode).toBe(429);
  });

  it('is reported by identity routes in Identity Toolkit’s error format, or in plain text where JSON would sign clients out', async () => {
    await start({ REQUEST_LIMIT_PER_CLIENT: '1/60' });
    await get('/config.json');
    const ask = (method: string) =>
      server.app.inject({ method: 'POST', url: `/v1/accounts:${method}?key=any`, remoteAddress: '192.0.2.1', payload: {} });
    const signUp = await ask('signUp');
    expect([signUp.statusCode, signUp.json().error.message]).toEqual([
      429,
      expect.stringMatching(/^TOO_MANY_ATTEMPTS_TRY_LATER : /),
    ]);
    expect(Number(signUp.headers['retry-after'])).toBeGreaterThan(50);
    const lookup = await ask('lookup');
    expect([lookup.statusCode, lookup.headers['content-type']]).toEqual([503, 'text/plain; charset=utf-8']);
    expect(server.logged.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });

  it('is reported with headers that let pages of allowed origins read it', async () => {
    await start({ REQUEST_LIMIT_PER_CLIENT: '1/60', ALLOWED_ORIGINS: 'https://birds.example.org' });
    const origin = { origin: 'https://birds.example.org' };
    await get('/config.json', '192.0.2.1', origin);
    const refused = await get('/config.json', '192.0.2.1', origin);
    expect(refused.statusCode).toBe(429);
    expect(refused.headers['access-control-allow-origin']).toBe('https://birds.example.org');
  });

  it('delays each refusal by about a second, for clients that do not pause by themselves', async () => {
    await start({ REQUEST_LIMIT_PER_CLIENT: '1/60' });
    await get('/config.json');
    // biome-ignore lint/plugin: measures; to become a row of a benchmark
    const askedAt = performance.now();
    expect((await get('/config.json')).statusCode).toBe(429);
    // biome-ignore lint/plugin: measures; to become a row of a benchmark
    expect(performance.now() - askedAt).toBeGreaterThan(900);
  });

  it('by default refuses none of a thousand requests in quick succession', async () => {
    await start({});
    for (let n = 0; n < 1000; n += 1) expect((await get('/nothing')).statusCode).toBe(404);
  });
});
