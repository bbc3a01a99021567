import { readFile } from 'node:fs/promises';
import { PredictionError } from '@chiffchaff/analysis';
import { programVersion } from '@chiffchaff/analysis/program-version';
import { eventually } from '@chiffchaff/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { noteTime } from '../database/last-times.ts';
import { FORM_TYPE, file, form } from '../testing/multipart.ts';
import { createTestServer, type TestServer } from '../testing/test-server.ts';

const token = 'a-token-of-twenty-four-characters';
let server: TestServer;
afterEach(() => server.close());

const read = (authorization?: string) =>
  server.app.inject({ url: '/metrics', headers: authorization === undefined ? {} : { authorization } });

describe('GET /metrics', () => {
  it('counts requests by the pattern of their route, never by their address, and has figures of the process', async () => {
    server = await createTestServer({ environment: { METRICS_TOKEN: token } });
    await server.app.inject({ url: '/healthz' });
    await server.app.inject({ url: '/v1/nobody/knows?this=secret-value' });
    const { statusCode, headers, body } = await read(`Bearer ${token}`);
    expect(statusCode).toBe(200);
    expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(body).toMatch(/chiffchaff_http_request_duration_seconds_count\{method="GET",route="\/healthz",status="200"\} 1\n/);
    expect(body).toMatch(/_count\{method="GET",route="unknown",status="404"\} 1\n/);
    const { version, commit } = programVersion;
    expect(body).toContain(`chiffchaff_info{version="${version}",commit="${commit ?? 'unknown'}"} 1\n`);
    expect(body).toMatch(/nodejs_eventloop_lag_p99_seconds \d/);
    expect(body).toMatch(/chiffchaff_predictions_in_work\{state="waiting"\} 0\n/);
    expect(body).not.toContain('secret-value');
  });

  it('reports troubles, the last backup, the longest wait, failed emails, free space and the model', async () => {
    server = await createTestServer({ environment: { METRICS_TOKEN: token } });
    await noteTime(server.database, 'backup', 1_790_000_000_000);
    await server.lookForTroubles();
    const lines = (await read(`Bearer ${token}`)).body.split('\n');
    expect(lines).toContain('chiffchaff_accepts_recordings 1');
    expect(lines).toContain('chiffchaff_trouble{code="model"} 0');
    expect(lines).toContain('chiffchaff_last_backup_timestamp_seconds 1790000000');
    expect(lines).toContain('chiffchaff_prediction_longest_wait_seconds 0');
    expect(lines).toContain('chiffchaff_mails_total{outcome="failed"} 0');
    expect(lines).toContainEqual(expect.stringMatching(/^chiffchaff_free_bytes [\d.e+]{7,}$/));
    expect(lines).toContainEqual(
      expect.stringMatching(/^chiffchaff_model_info\{id="[^"]+",version="[^"]+",sha256="[0-9a-f]{64}"\} 1$/),
    );
  });

  it('reports a model that is missing, and that no recording is accepted', async () => {
    server = await createTestServer({ environment: { METRICS_TOKEN: token }, missing: ['MODEL_NOT_INSTALLED'] });
    const lines = (await read(`Bearer ${token}`)).body.split('\n');
    expect(lines).toContain('chiffchaff_accepts_recordings 0');
    expect(lines).toContain('chiffchaff_trouble{code="model"} 1');
  });

  it('answers 429 with a waiting time after too many wrong tokens, and still accepts the right one', async () => {
    server = await createTestServer({
      environment: { METRICS_TOKEN: token, IDENTITY_ADMIN_SECRET: token, WRONG_SECRET_LIMIT_PER_CLIENT: '2/3600' },
    });
    expect([(await read()).statusCode, (await read(`Bearer ${token}`)).statusCode]).toEqual([404, 200]);
    expect((await read('Bearer wrong')).statusCode).toBe(404);
    // The wrong secret of an operator call counts too.
    const url = '/v1/projects/chiffchaff/accounts:lookup';
    await server.app.inject({ method: 'POST', url, payload: {}, headers: { authorization: 'Bearer wrong' } });
    const refused = await read('Bearer worse');
    expect([refused.statusCode, refused.json().code]).toEqual([429, 'TOO_MANY_REQUESTS']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3000);
    expect((await read(`Bearer ${token}`)).statusCode).toBe(200);
    const operator = { authorization: `Bearer ${token}` };
    expect((await server.app.inject({ method: 'POST', url, payload: {}, headers: operator })).statusCode).toBe(200);
  });

  it('counts recordings that wait, are being analysed, were answered and have failed', async () => {
    server = await createTestServer({ environment: { METRICS_TOKEN: token }, limits: { jobsPerWorker: 1 } });
    const send = () =>
      server.app.inject({
        ...{ method: 'POST', url: '/get_prediction', payload: form([file('sound')]), headers: { 'content-type': FORM_TYPE } },
      });
    const metrics = async () => (await read(`Bearer ${token}`)).body;
    const { release } = server.analyzer.hold();
    const answers = [send(), send()];
    await eventually(async () => {
      const body = await metrics();
      expect(body).toContain('chiffchaff_predictions_in_work{state="waiting"} 1\n');
      expect(body).toContain('chiffchaff_predictions_in_work{state="running"} 1\n');
      expect(body).toContain('chiffchaff_slots_held{rank="1"} 1\n');
      expect(body).not.toContain('rank="2"');
    });
    release();
    for (const { statusCode } of await Promise.all(answers)) expect(statusCode).toBe(200);
    server.analyzer.failWith(new PredictionError('RECORDING_EMPTY', {}));
    expect((await send()).statusCode).toBe(422);
    server.analyzer.failWith(new Error('broken'));
    expect((await send()).statusCode).toBe(500);
    const body = await metrics();
    expect(body).toContain('chiffchaff_predictions_total{verdict="noBird"} 2\n');
    expect(body).toContain('chiffchaff_audio_seconds_total 6\n');
    expect(body).toContain('chiffchaff_prediction_duration_seconds_count{part="queued"} 2\n');
    expect(body).toContain('chiffchaff_prediction_failures_total{code="RECORDING_EMPTY"} 1\n');
    expect(body).toContain('chiffchaff_prediction_failures_total{code="INTERNAL"} 1\n');
    await eventually(async () => {
      const idle = await metrics();
      expect(idle).toContain('chiffchaff_predictions_in_work{state="waiting"} 0\n');
      expect(idle).toContain('chiffchaff_predictions_in_work{state="running"} 0\n');
    });
  });

  it('is not found without the right token', async () => {
    server = await createTestServer({ environment: { METRICS_TOKEN: token } });
    for (const authorization of [undefined, 'Bearer wrong', `Bearer ${token}x`, token]) {
      expect((await read(authorization)).statusCode).toBe(404);
    }
  });

  it('is not found if no token is configured', async () => {
    server = await createTestServer();
    expect((await read('Bearer ')).statusCode).toBe(404);
  });

  it('has every metric that the alert rules and the dashboard use', async () => {
    server = await createTestServer({ environment: { METRICS_TOKEN: token } });
    await server.app.inject({ url: '/healthz' });
    const { body } = await read(`Bearer ${token}`);
    const known = new Set(body.match(/^# TYPE \S+/gm)?.map((line) => line.slice('# TYPE '.length)));
    for (const file of ['alerts.yaml', 'dashboard.json']) {
      const text = await readFile(new URL(`../../../../deploy/${file}`, import.meta.url), 'utf8');
      const used = text.match(/\b(chiffchaff|nodejs)_\w+/g)?.map((name) => name.replace(/_(bucket|count)$/, '')) ?? [];
      expect(used.length).toBeGreaterThan(5);
      expect(used.filter((name) => !known.has(name))).toEqual([]);
    }
  });
});
