import { writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compareStorage } from '../storage/compare-storage.ts';
import { writeObject } from '../storage/object-storage.ts';
import { file } from '../testing/multipart.ts';
import { openServerData } from '../testing/server-data.ts';
import { signUp } from '../testing/signed-in.ts';
import { createTestServer, type TestServer } from '../testing/test-server.ts';
import { checkStorage } from './check-storage.ts';

let server: TestServer;
beforeEach(async () => {
  server = await createTestServer();
});
afterEach(() => server.close());

/** What the command prints some hours later, and whether all is well. */
async function run(hours: number, remove?: true): Promise<string> {
  await using data = await openServerData(server);
  const { text, isWell } = await checkStorage(data, { remove }, Date.now() + hours * 3_600_000);
  return `${text}\n${isWell ? 'well' : 'not well'}`;
}
const put = (name: string) => writeObject(server.storage, name, (path) => writeFile(path, 'x'.repeat(100_000)));

describe('`chiffchaff admin check-storage`', () => {
  it('finds no fault while the server analyses a recording', async () => {
    const ann = await signUp(server, 'ann@example.org');
    const gate = server.analyzer.hold();
    const answer = ann.predict([file('sound')], 'key');
    await expect.poll(() => server.analyzer.requests).toHaveLength(1);
    expect(await run(25)).toBe('Rows without their object: 0.\nObjects without a row: 0.\nwell');
    gate.release();
    await answer;
  });

  it('reports missing objects and, after a day, objects without a database row, which --remove removes', async () => {
    const row = { createdAtMs: 1, accountId: 'owner' };
    const prediction = { id: 'lost', state: 'done', requestHash: '', fields: '{}', sha256: '', bytes: 5, attempts: 1 } as const;
    const sound = { id: 'sound', predictionId: 'lost', moments: '[]', durationSeconds: 3, channels: 1, preparedAtMs: 1 };
    await server.database.change({}, async (query) => {
      await query
        .insertInto('predictions')
        .values({ ...row, ...prediction })
        .execute();
      await query
        .insertInto('keptSounds')
        .values({ ...row, ...sound, recordingUntilMs: null, momentsUntilMs: Date.parse('2100-01-01'), asSentType: null })
        .execute();
    });
    await put('audio/nobody/moments');
    await put('uploads/stray');
    const lost = '✗ the kept audio of prediction lost is missing';
    expect(await run(0, true)).toBe(`${lost}\nRows without their object: 1.\nObjects without a row: 0.\nnot well`);
    const found = [
      ...[lost, '· uploads/stray belongs to no row', '· audio/nobody/moments belongs to no row'],
      'Rows without their object: 1.',
    ].join('\n');
    const end = 'the server removes them within a day, --remove at once';
    expect(await run(25)).toBe(`${found}\nObjects without a row: 2 (0.2 MB); ${end}.\nnot well`);
    expect(await run(25, true)).toBe(`${found}\nObjects without a row: 2 (0.2 MB); removed.\nnot well`);
    const { storage, database } = server;
    expect((await compareStorage({ storage, query: database.query })).strays).toEqual([]);
  });
});
