import { afterEach, describe, expect, it } from 'vitest';
import { createTestServer, type TestServer } from '../testing/test-server.ts';

const token = 'a-token-of-twenty-four-characters';
let server: TestServer;
afterEach(() => server.close());

const read = (authorization?: string) =>
  server.app.inject({ url: '/metrics', headers: authorization === undefined ? {} : { authorization } });

describe('GET /metrics', () => {
  it('counts requests by the pattern of their route and what the process does', async () => {
    server = await createTestServer({ environment: { METRICS_TOKEN: token } });
    await server.app.inject({ url: '/healthz' });
    await server.app.inject({ url: '/v1/nobody/knows?this=secret-value' });
    const { statusCode, headers, body } = await read(`Bearer ${token}`);
    expect(statusCode).toBe(200);
    expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(body).toMatch(/chiffchaff_http_request_duration_seconds_count\{method="GET",route="\/healthz",status="200"\} 1\n/);
    expect(body).toMatch(/_count\{method="GET",route="unknown",status="404"\} 1\n/);
    expect(body).toMatch(/nodejs_eventloop_lag_p99_seconds \d/);
    expect(body).toMatch(/chiffchaff_predictions_in_work\{state="waiting"\} 0\n/);
    expect(body).not.toContain('secret-value');
  });

  it('is not there for anybody else', async () => {
    server = await createTestServer({ environment: { METRICS_TOKEN: token } });
    for (const authorization of [undefined, 'Bearer wrong', `Bearer ${token}x`, token]) {
      expect((await read(authorization)).statusCode).toBe(404);
    }
  });

  it('is not there at all without a token in the configuration', async () => {
    server = await createTestServer();
    expect((await read('Bearer ')).statusCode).toBe(404);
  });
});
