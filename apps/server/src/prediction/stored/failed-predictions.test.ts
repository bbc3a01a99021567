import { PredictionError } from '@chiffchaff/analysis';
import { afterEach, expect, it } from 'vitest';
import { file } from '../../testing/multipart.ts';
import { signUp } from '../../testing/signed-in.ts';
import { createTestServer, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
afterEach(() => server.close());

it('A failed prediction is listed with file name and reason, to its account only, until it is dismissed', async () => {
  server = await createTestServer();
  const walker = await signUp(server, 'walker@example.org');
  const other = await signUp(server, 'other@example.org');
  server.analyzer.failWith(new PredictionError('RECORDING_DAMAGED', { container: 'wav', why: 'it ends too early' }));
  await walker.predict([file('sound', 'dawn.wav')], 'a-key');
  const { failed } = (await walker.send('GET', '/v1/predictions')).body;
  expect(failed).toMatchObject([{ fileName: 'dawn.wav', problem: { code: 'RECORDING_DAMAGED', status: 422 } }]);
  expect(failed[0].problem.detail).toMatch(/^\S.*\.$/s);
  expect((await other.send('GET', '/v1/predictions')).body.failed).toEqual([]);
  const cursor = Buffer.from(`${Date.now() + 1000} x`).toString('base64url');
  expect((await walker.send('GET', `/v1/predictions?cursor=${cursor}`)).body.failed).toEqual([]);
  expect((await walker.send('DELETE', `/v1/predictions/${failed[0].id}`)).body).toMatchObject({ deleted: 1 });
  expect((await walker.send('GET', '/v1/predictions')).body.failed).toEqual([]);
});
