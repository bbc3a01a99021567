import { eventually } from '@chiffchaff/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { file } from './testing/multipart.ts';
import { signUp } from './testing/signed-in.ts';
import { isPostgresInstalled, startPostgres, type TestPostgres } from './testing/start-postgres.ts';
import { isS3Installed, startS3, type TestS3 } from './testing/start-s3.ts';
import { createTestDatabase } from './testing/test-database.ts';
import { createTestServer, type TestServer } from './testing/test-server.ts';

describe.skipIf(!isPostgresInstalled() || !isS3Installed())(
  'While the storage cannot be reached (needs PostgreSQL and JuiceFS),',
  () => {
    let postgres: TestPostgres;
    let s3: TestS3;
    let server: TestServer;
    beforeAll(async () => {
      [postgres, s3] = await Promise.all([startPostgres(), startS3()]);
      const { url } = await createTestDatabase(postgres.url);
      const environment = { DATABASE_URL: url, ...s3.environment, OPEN_PREDICTION: 'false' };
      server = await createTestServer({ environment, limits: { jobsPerWorker: 1 } });
    }, 180_000);
    afterAll(async () => {
      await server?.close();
      await Promise.all([postgres?.stop(), s3?.stop()]);
    });

    it('recordings are refused temporarily, and those accepted before wait for the storage', { timeout: 180_000 }, async () => {
      const ann = await signUp(server, 'ann@example.org');
      expect((await ann.predict([file('before')])).status).toBe(200);
      const gate = server.analyzer.hold();
      const running = ann.predict([file('running')], 'running');
      await eventually(() => expect(server.analyzer.requests).toHaveLength(2));
      const waiting = ann.predict([file('waiting')], 'waiting');
      const queued = server.database.query.selectFrom('predictions').select('id').where('state', '=', 'queued');
      await eventually(async () => expect(await queued.execute()).toHaveLength(2));
      await s3.kill();
      // biome-ignore lint/plugin: measures; to become a row of a benchmark
      const begun = performance.now();
      const refused = await ann.predict([file('refused')]);
      expect(refused).toMatchObject({ status: 503, body: { code: 'SERVER_BUSY', retryable: true } });
      // biome-ignore lint/plugin: measures; to become a row of a benchmark
      expect(performance.now() - begun).toBeLessThan(10_000);
      gate.release();
      expect((await running).status).toBe(200);
      await s3.restart();
      expect((await waiting).status).toBe(200);
      expect(server.analyzer.requests.map(({ content }) => content)).toEqual(['before', 'running', 'waiting']);
      expect((await ann.predict([file('after')])).status).toBe(200);
    });
  },
);
