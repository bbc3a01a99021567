import { spawn } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '@chiffchaff/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signUp } from '../testing/signed-in.ts';
import { isPostgresInstalled, startPostgres, type TestPostgres } from '../testing/start-postgres.ts';
import { isS3Installed, startS3, type TestS3 } from '../testing/start-s3.ts';
import { createTestDatabase, isOnPostgres } from '../testing/test-database.ts';
import { createTestServer, type TestServer } from '../testing/test-server.ts';

const ACCOUNTS = 10;
const PREDICTIONS_OF_EACH = 10;
const PREDICTIONS = ACCOUNTS * PREDICTIONS_OF_EACH;
/** Each has two parts of audio, or its recording while it waits. */
const OBJECTS = 2 * PREDICTIONS - ACCOUNTS;
const program = fileURLToPath(new URL('move-command.ts', import.meta.url));
const emailOf = (index: number): string => `birder-${index}@example.org`;

const canMove = isPostgresInstalled() && isS3Installed() && !isOnPostgres;

describe.skipIf(!canMove)('`npm run move` (needs Debian’s postgresql, JuiceFS, and a source on SQLite)', () => {
  let postgres: TestPostgres;
  let s3: TestS3;
  let dataDir: string;
  let temporary: string;
  let source: TestServer;
  let environment: Record<string, string>;

  beforeAll(async () => {
    [postgres, s3] = await Promise.all([startPostgres(), startS3()]);
    dataDir = await mkdtemp(join(tmpdir(), 'chiffchaff-move-source-'));
    // A killed process leaves its copy of the database there.
    temporary = await mkdtemp(join(tmpdir(), 'chiffchaff-move-temporary-'));
    source = await createTestServer({ dataDir });
    await source.database.change({}, (query) =>
      query.insertInto('settings').values({ name: 'siteName', value: 'Moved birds' }).execute(),
    );
    for (let account = 0; account < ACCOUNTS; account += 1) {
      const { accountId } = await signUp(source, emailOf(account));
      for (let count = 0; count < PREDICTIONS_OF_EACH; count += 1) await addPrediction(source, accountId, count);
    }
    environment = {
      ...s3.environment,
      PATH: process.env.PATH ?? '',
      DATA_DIR: dataDir,
      DATABASE_URL: (await createTestDatabase(postgres.url)).url,
      STORAGE_URL: `${s3.url}/moved`,
    };
  });
  afterAll(async () => {
    await Promise.all([postgres?.stop(), s3?.stop()]);
    for (const folder of [dataDir, temporary]) if (folder) await rm(folder, { recursive: true, force: true });
  });

  /** @param stopAt kills the process once it returns true */
  async function move(
    stopAt?: (output: string) => Promise<boolean>,
    back: { readonly to: string } | null = null,
  ): Promise<{ code: number | null; output: string }> {
    const child = spawn(process.execPath, back ? [program, 'back'] : [program], {
      env: { ...environment, ...(back && { DATA_DIR: back.to }), TMPDIR: temporary },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
    const closed = once(child, 'close');
    if (stopAt) {
      await eventually(async () => expect(await stopAt(output)).toBe(true), { timeout: 100_000 });
      child.kill('SIGKILL');
    }
    const [code] = await closed;
    return { code, output };
  }

  async function countMoved(table: string): Promise<number> {
    const client = new pg.Client({ connectionString: environment.DATABASE_URL });
    await client.connect();
    const { rows } = await client.query(`SELECT count(*)::int AS count FROM "${table}"`);
    await client.end();
    return rows[0].count;
  }

  it('refuses the data folder of a running server, whose rows could change meanwhile', async () => {
    const { code, output } = await move();
    expect(code).toBe(1);
    expect(output).toContain('Another server is using the data folder');
    await source.close();
  });

  it('can be repeated after a kill, changes nothing at the source, and every account can sign in afterwards', {
    timeout: 300_000,
  }, async () => {
    const before = await hashFolder(dataDir);
    await move(async () => (await s3.list()).length > OBJECTS / 10);
    expect((await s3.list()).length).toBeLessThan(OBJECTS);
    await move(async (output) => output.includes(`accounts: ${ACCOUNTS} rows`));
    expect([0, PREDICTIONS]).toContain(await countMoved('predictions'));
    const { code, output } = await move();
    expect({ code, output }).toMatchObject({
      code: 0,
      output: expect.stringContaining(`predictions: ${PREDICTIONS} rows, verified`),
    });
    expect(output).toContain(`recordings and audio: ${OBJECTS} objects`);
    expect(await hashFolder(dataDir)).toBe(before);
    expect((await move()).output).toContain(`predictions: ${PREDICTIONS} rows, verified; they were already there`);

    const moved = await createTestServer({ environment });
    await requireEverything(moved);
    await moved.close();
  });

  it('moves back to one machine once every server has stopped, also after a kill', { timeout: 300_000 }, async () => {
    const back = { to: await mkdtemp(join(tmpdir(), 'chiffchaff-move-back-')) };
    const file = join(back.to, 'chiffchaff.sqlite');
    const several = await createTestServer({ environment });
    const refused = await move(undefined, back);
    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('A server is still using the database') });
    await several.close();
    await move(async () => existsSync(join(back.to, 'audio')), back);
    await move(async (output) => output.includes(`accounts: ${ACCOUNTS} rows`), back);
    expect(existsSync(file)).toBe(false);
    const { code, output } = await move(undefined, back);
    expect({ code, output }).toMatchObject({
      code: 0,
      output: expect.stringContaining(`predictions: ${PREDICTIONS} rows, verified (`),
    });
    expect(output).toContain('all verified by SHA-256');
    expect((await move(undefined, back)).output).toContain(`predictions: ${PREDICTIONS} rows, verified; they were already there`);

    const single = await createTestServer({ dataDir: back.to });
    await requireEverything(single);
    await single.close();
    expect(await move(undefined, back)).toMatchObject({
      code: 1,
      output: expect.stringContaining('already contains something else'),
    });
    await rm(back.to, { recursive: true });
  });

  it('refuses to move into a database that already contains something else', async () => {
    const { code, output } = await move();
    expect(code).toBe(1);
    expect(output).toContain('already contains something else');
  });
});

/** Everybody signs in and finds their predictions, reviews and audio. */
async function requireEverything(server: TestServer): Promise<void> {
  expect((await server.app.inject('/config.json')).json()).toMatchObject({ terms: { siteName: 'Moved birds' } });
  for (let account = 0; account < ACCOUNTS; account += 1) {
    const signedIn = await server.app.inject({
      method: 'POST',
      url: '/v1/accounts:signInWithPassword?key=any',
      payload: { email: emailOf(account), password: 'two short notes' },
    });
    expect(signedIn.statusCode).toBe(200);
    const headers = { authorization: `Bearer ${signedIn.json().idToken}` };
    const listed = await server.app.inject({ method: 'GET', url: '/v1/predictions?limit=50', headers });
    const withSound = listed.json().predictions.filter(({ keptAudio }: { keptAudio: unknown }) => keptAudio);
    expect(withSound).toHaveLength(PREDICTIONS_OF_EACH - 1);
    expect(listed.json().predictions.at(-1).reviews).toMatchObject([
      { verdict: 'confirmed' },
      { verdict: 'corrected', to: 'Troglodytes troglodytes' },
    ]);
    const confirmed = await server.app.inject({ method: 'GET', url: '/v1/predictions?limit=50&confirmed=true', headers });
    expect(confirmed.json().predictions).toHaveLength(PREDICTIONS_OF_EACH - 1);
    const heard = await server.app.inject({ method: 'GET', url: '/v1/life-list', headers });
    expect(heard.json().species).toMatchObject([
      { scientificName: 'Erithacus rubecula', first: { confirmed: true }, predictions: PREDICTIONS_OF_EACH - 1 },
      { scientificName: 'Parus major', first: { confirmed: false }, predictions: PREDICTIONS_OF_EACH - 1 },
    ]);
  }
}

async function addPrediction({ database, dataDir }: TestServer, accountId: string, count: number): Promise<void> {
  const id = randomUUID();
  const soundId = randomUUID();
  // One prediction of each account is queued.
  const isWaiting = count === 0;
  const verdict = { kind: 'noBird', tied: false, sentence: 'No bird', named: [] };
  // biome-ignore lint/plugin: a moment in the past, not a measurement
  const createdAtMs = Date.now() - count * 1000;
  await database.change({}, (query) =>
    query
      .insertInto('predictions')
      .values({
        ...{
          id,
          accountId,
          idempotencyKey: `key-${count}`,
          requestHash: 'hash',
          createdAtMs,
          state: isWaiting ? 'queued' : 'done',
          fields: '{}',
        },
        ...{
          fileName: 'ä.wav',
          sha256: 'abc',
          bytes: 2 ** 33,
          uploadName: isWaiting ? id : null,
          attempts: 0,
          finishedAtMs: null,
        },
        ...{ problem: null, searchText: ' a wav', answer: isWaiting ? null : randomBytes(2000), deletedAtMs: null },
        summary: isWaiting ? null : JSON.stringify({ durationSeconds: 3, verdict, species: [] }),
      })
      .execute(),
  );
  if (isWaiting) {
    await mkdir(join(dataDir, 'uploads'), { recursive: true });
    await writeFile(join(dataDir, 'uploads', id), randomBytes(5000));
    return;
  }
  await database.change({}, (query) =>
    query
      .insertInto('predictionEvidence')
      .values({ predictionId: id, part: 0, bytes: randomBytes(3000) })
      .execute(),
  );
  const species = { scientificName: 'Parus major', commonName: 'Kohlmeise', confidence: 0.1 + count / 100 };
  const robin = { scientificName: 'Erithacus rubecula', commonName: 'Rotkehlchen', confidence: 0.9 };
  const heard = { ownerId: accountId, sentAtMs: createdAtMs, recordedOn: '2026-05-01' };
  await database.change({}, (query) =>
    query
      .insertInto('predictionSpecies')
      .values([
        { predictionId: id, ...species, confirmed: 0, ...heard },
        { predictionId: id, ...robin, confirmed: 1, ...heard },
      ])
      .execute(),
  );
  const wren = { toScientificName: 'Troglodytes troglodytes', toCommonName: 'Zaunkönig', bulk: 0 } as const;
  const nothing = { toScientificName: null, toCommonName: null, bulk: 0 } as const;
  await database.change({}, (query) =>
    query
      .insertInto('predictionReviews')
      .values([
        { predictionId: id, sequence: 1, ...species, verdict: 'rejected', ...nothing, atMs: createdAtMs },
        { predictionId: id, sequence: 2, ...species, verdict: 'corrected', ...wren, atMs: createdAtMs },
        { predictionId: id, sequence: 3, ...robin, verdict: 'confirmed', ...nothing, atMs: createdAtMs },
      ])
      .execute(),
  );
  await database.change({}, (query) =>
    query
      .insertInto('keptSounds')
      .values({
        ...{
          id: soundId,
          accountId,
          predictionId: id,
          createdAtMs,
          recordingUntilMs: Date.now() + 86_400_000,
          momentsUntilMs: null,
        },
        ...{ moments: '[]', durationSeconds: 1.5, channels: 1, asSentType: 'audio/wav' },
      })
      .execute(),
  );
  const folder = join(dataDir, 'audio', soundId);
  await mkdir(folder, { recursive: true });
  for (const part of ['recording', 'recording.spectrum']) await writeFile(join(folder, part), randomBytes(4000));
}

/** Hash of the names, times and contents of everything in a folder. */
async function hashFolder(folder: string): Promise<string> {
  const hash = createHash('sha256');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const path of entries.map((entry) => join(entry.parentPath, entry.name)).sort()) {
    const { mtimeMs } = await stat(path);
    hash.update(`${path} ${mtimeMs} `);
    if ((await stat(path)).isFile()) hash.update(await readFile(path));
  }
  return hash.digest('hex');
}
