import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { field, file } from './multipart.ts';
import { signUp } from './signed-in.ts';
import { createTestServer, type TestServer } from './test-server.ts';

let server: TestServer;
beforeEach(async () => {
  server = await createTestServer({ limits: { restorableMs: 0 } });
});
afterEach(() => server.close());

it('The server for tests counts as settled when all analyses, preparations and removals have ended, and not before', async () => {
  const ann = await signUp(server, 'ann@example.org');
  const gate = server.analyzer.hold();
  const answer = ann.predict([field('keepAudio', 'nothing'), file('sound')], 'key');
  await expect.poll(() => server.analyzer.requests).toHaveLength(1);
  let isSettled = false;
  const settled = server.settled().then(() => {
    isSettled = true;
  });
  for (let turns = 0; turns < 100; turns += 1) await turn();
  expect(isSettled).toBe(false);
  gate.release();
  await settled;
  expect(await server.uploadedFiles()).toEqual([]);
  expect((await answer).status).toBe(200);
});

it('The server for tests refuses an environment variable that no server reads', async () => {
  await expect(createTestServer({ environment: { SIGN_IN_PER_CLIENT: '1/60' } })).rejects.toThrow('SIGN_IN_PER_CLIENT');
});
