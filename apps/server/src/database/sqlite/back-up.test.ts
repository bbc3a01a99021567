import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { makeWav } from '@chiffchaff/analysis/testing';
import { eventually } from '@chiffchaff/testing';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { field, file } from '../../testing/multipart.ts';
import { signInAgain, signUp } from '../../testing/signed-in.ts';
import { isOnPostgres } from '../../testing/test-database.ts';
import { createTestServer } from '../../testing/test-server.ts';
import { lastTimeOf, noteRestored } from '../last-times.ts';
import { backUp } from './back-up.ts';
import { checkData } from './check/check-data.ts';
import { openSqlite } from './open-sqlite.ts';

let folder: string;
let dataDir: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'chiffchaff-backup-'));
  dataDir = join(folder, 'data');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const prediction = (id: string) => ({
  ...{ id, accountId: 'owner', requestHash: '', createdAtMs: 1, state: 'done' as const, fields: '{}', sha256: '', bytes: 5 },
  attempts: 0,
});

const keptSound = (id: string, predictionId: string) => ({
  ...{ id, predictionId, accountId: 'owner', createdAtMs: 1, recordingUntilMs: 9, momentsUntilMs: null, moments: '[]' },
  ...{ durationSeconds: 3, channels: 1, asSentType: 'audio/wav' },
});

const acceptance = (accountId: string) => ({ accountId, version: '1', acceptedAtMs: 1 });

describe('The backup of a data folder', () => {
  it('copies the database while it is written to: the copy has everything acknowledged before, and opens elsewhere', async () => {
    const database = openSqlite(dataDir);
    let acknowledged = 0;
    let stopped = false;
    const writing = (async () => {
      while (!stopped) {
        await database.change({}, (query) =>
          query
            .insertInto('termsAcceptances')
            .values(acceptance(`account-${acknowledged}`))
            .execute(),
        );
        acknowledged += 1;
        await turn();
      }
    })();
    while (acknowledged < 200) await turn();
    const before = acknowledged;
    backUp(dataDir, join(folder, 'copy'));
    stopped = true;
    await writing;
    await database.close();

    const report = await checkData(join(folder, 'copy'));
    expect(report.faults).toEqual([]);
    expect(report.rows.termsAcceptances).toBeGreaterThanOrEqual(before);
    cpSync(join(folder, 'copy'), join(folder, 'elsewhere'), { recursive: true });
    const restored = openSqlite(join(folder, 'elsewhere'));
    expect(restored.migrated).toEqual([]);
    const rows = await restored.query.selectFrom('termsAcceptances').select('accountId').execute();
    const found = new Set(rows.map(({ accountId }) => accountId));
    for (let index = 0; index < before; index += 1) expect(found.has(`account-${index}`)).toBe(true);
    await restored.close();
  });

  it('copies keys and kept audio, but no unfinished file, no audio without a row, and no model', async () => {
    const database = openSqlite(dataDir);
    await database.change({}, (query) => query.insertInto('predictions').values(prediction('heard')).execute());
    await database.change({}, (query) => query.insertInto('keptSounds').values(keptSound('owned', 'heard')).execute());
    await database.close();
    for (const name of [
      'keys/one',
      'keys/two.part',
      'audio/owned/recording',
      'audio/owned/x.part',
      'audio/other/recording',
      'models/one',
    ]) {
      mkdirSync(dirname(join(dataDir, name)), { recursive: true });
      writeFileSync(join(dataDir, name), name);
    }
    backUp(dataDir, join(folder, 'copy'));
    const copied = readdirSync(join(folder, 'copy'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(copied.map(({ parentPath, name }) => relative(join(folder, 'copy'), join(parentPath, name))).sort()).toEqual([
      'audio/owned/recording',
      'chiffchaff-data.json',
      'chiffchaff.sqlite',
      'keys/one',
    ]);
    expect(readFileSync(join(folder, 'copy', 'audio/owned/recording'), 'utf8')).toBe('audio/owned/recording');
    expect(await checkData(join(folder, 'copy'))).toMatchObject({ faults: [], leftovers: [] });
  });

  it('copies the recording of every job and the kept audio of every row, however fast they change', async () => {
    await openSqlite(dataDir).close();
    const server = new Worker(new URL('testing/busy-folder.ts', import.meta.url), { workerData: dataDir });
    await once(server, 'message');
    try {
      for (let round = 0; round < 20; round += 1) {
        const copy = join(folder, `copy-${round}`);
        backUp(dataDir, copy);
        const { rows, faults, leftovers } = await checkData(copy);
        expect({ faults, leftovers }, `round ${round}`).toEqual({ faults: [], leftovers: [] });
        expect(rows.predictions).toBeGreaterThan(0);
      }
    } finally {
      await server.terminate();
    }
  });

  it('does not wait for a program that is writing to the database', async () => {
    const database = openSqlite(dataDir);
    await database.change({}, (query) => query.insertInto('termsAcceptances').values(acceptance('before')).execute());
    const other = new Sqlite(join(dataDir, 'chiffchaff.sqlite'));
    other.exec('BEGIN IMMEDIATE');
    backUp(dataDir, join(folder, 'copy'));
    other.close();
    expect(await checkData(join(folder, 'copy'))).toMatchObject({ faults: [], rows: { termsAcceptances: 1 } });
    await database.close();
  });

  it('overwrites no folder, and fails if there is no database', async () => {
    expect(() => backUp(dataDir, join(folder, 'copy'))).toThrow(expect.objectContaining({ code: 'FILE_MISSING' }));
    await openSqlite(dataDir).close();
    expect(() => backUp(dataDir, dataDir)).toThrow(expect.objectContaining({ code: 'FOLDER_NOT_WRITABLE' }));
  });

  it.each([
    ['the disk with the copy', 'SQLITE_FULL', () => join(folder, 'copy')],
    ['the disk with the data folder', 'SQLITE_IOERR_SHMSIZE', () => 'the data folder (DATA_DIR)'],
  ])('says that %s is full, and leaves nothing that would prevent another attempt', async (_disk, code, content) => {
    await openSqlite(dataDir).close();
    const prepare = Sqlite.prototype.prepare;
    {
      using _prepare = vi.spyOn(Sqlite.prototype, 'prepare').mockImplementation(function (this: Sqlite.Database, source) {
        if (source.startsWith('INSERT')) throw new Sqlite.SqliteError('full', code);
        return prepare.call(this, source);
      });
      const message = `The disk with ${content()} is full. Free some space or enlarge the disk.`;
      expect(() => backUp(dataDir, join(folder, 'copy'))).toThrow(expect.objectContaining({ code: 'DISK_FULL', message }));
    }
    expect(readdirSync(folder)).toEqual(['data']);
    backUp(dataDir, join(folder, 'copy'));
  });

  it('refuses an empty database, which the check of a data folder also reports', async () => {
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, 'chiffchaff.sqlite'), '');
    expect(() => backUp(dataDir, join(folder, 'copy'))).toThrow(expect.objectContaining({ code: 'FILE_EMPTY' }));
    expect((await checkData(dataDir)).faults).toEqual(['chiffchaff.sqlite is empty']);
  });
});

describe('The check of a data folder', () => {
  it('says that the disk is full, where SQLite needs space even to read', async () => {
    await openSqlite(dataDir).close();
    using _pragma = vi.spyOn(Sqlite.prototype, 'pragma').mockImplementation(() => {
      throw new Sqlite.SqliteError('disk I/O error', 'SQLITE_IOERR_SHMSIZE');
    });
    await expect(checkData(dataDir)).rejects.toMatchObject({ code: 'DISK_FULL' });
  });

  it('finds a damaged page of the database', async () => {
    const database = openSqlite(dataDir);
    for (let index = 0; index < 500; index += 1)
      await database.change({}, (query) =>
        query
          .insertInto('termsAcceptances')
          .values(acceptance(`account-${index}`))
          .execute(),
      );
    await database.close();
    const path = join(dataDir, 'chiffchaff.sqlite');
    const bytes = readFileSync(path);
    const at = bytes.lastIndexOf('account-250');
    bytes.fill(0xff, at - (at % 4096), at - (at % 4096) + 64);
    writeFileSync(path, bytes);
    expect((await checkData(dataDir)).faults).not.toEqual([]);
  });

  it('finds a reference to a missing row', async () => {
    await openSqlite(dataDir).close();
    const sqlite = new Sqlite(join(dataDir, 'chiffchaff.sqlite'));
    sqlite.pragma('foreign_keys = OFF');
    sqlite.exec('CREATE TABLE child (id TEXT REFERENCES accounts (id)); INSERT INTO child VALUES (7)');
    sqlite.close();
    expect((await checkData(dataDir)).faults).toEqual([expect.stringContaining('row 1 of child refers to a missing row')]);
  });
});

it('A restored backup tells the first server that starts with it when the backup was made', async () => {
  const database = openSqlite(dataDir);
  const beforeMs = Date.now();
  backUp(dataDir, join(folder, 'copy'));
  expect(await noteRestored(database)).toBeNull();
  await database.close();
  const restored = openSqlite(join(folder, 'copy'));
  const copiedMs = await noteRestored(restored);
  expect(copiedMs).toBeGreaterThanOrEqual(beforeMs);
  expect(await lastTimeOf(restored.query, 'backup')).toBe(copiedMs);
  expect(await lastTimeOf(restored.query, 'restored')).toBe(copiedMs);
  expect(await noteRestored(restored)).toBeNull();
  await restored.close();
});

it.skipIf(isOnPostgres)(
  'A server that starts on a copy of a data folder, made while it was in use, knows its accounts, sessions, predictions and kept audio, and resumes its jobs',
  async () => {
    const email = 'walker@example.org';
    const sound = Buffer.from(makeWav({ seconds: 3 }));
    const used = await createTestServer({ dataDir });
    const walker = await signUp(used, email);
    const answered = await walker.predict([file(sound), field('keepAudio', 'recording')], 'answered');
    expect(answered.status).toBe(200);
    await used.settled();
    used.analyzer.hold();
    void walker.predict([file('later')], 'later');
    await eventually(() => expect(used.analyzer.requests).toHaveLength(2));
    const copy = join(folder, 'copy');
    backUp(dataDir, copy);
    await used.close();

    await using ending = new AsyncDisposableStack();
    const restored = await createTestServer({ dataDir: copy });
    ending.defer(() => restored.close());
    const { headers } = walker;
    const get = (path: string) => restored.app.inject({ url: `/v1/predictions/${path}`, headers });
    expect((await get('answered')).json()).toMatchObject({ state: 'done', prediction: answered.body });
    expect((await get('answered/audio')).rawPayload.equals(sound)).toBe(true);
    await eventually(async () => expect((await get('later')).json().state).toBe('done'));
    expect(restored.analyzer.requests).toMatchObject([{ content: 'later' }]);
    expect((await (await signInAgain(restored, email)).send('GET', '/v1/predictions')).body.predictions).toHaveLength(2);
  },
);

it('`npm run backup` refuses data on PostgreSQL, even if the folder has older rows', async () => {
  await openSqlite(dataDir).close();
  const command = fileURLToPath(new URL('../back-up-command.ts', import.meta.url));
  const copy = join(folder, 'copy');
  const environment = { PATH: process.env.PATH, DATA_DIR: dataDir };
  const run = (other: Readonly<Record<string, string>>) =>
    spawnSync(process.execPath, [command, copy], { env: { ...environment, ...other }, encoding: 'utf8' });
  const refused = run({ DATABASE_URL: 'postgres://chiffchaff@localhost/chiffchaff' });
  expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('pg_dump') });
  expect(run({})).toMatchObject({ status: 0, stdout: expect.stringContaining('No fault found.') });
});

it('`npm run backup` to a full disk says so in one sentence, and ends with exit status 1', async () => {
  await openSqlite(dataDir).close();
  const command = fileURLToPath(new URL('../back-up-command.ts', import.meta.url));
  const fill = `import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    fs.cpSync = () => { throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }); };
    syncBuiltinESMExports();`;
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(fill)}`;
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir, NODE_OPTIONS };
  const copy = join(folder, 'copy');
  expect(spawnSync(process.execPath, [command, copy], { env, encoding: 'utf8' })).toMatchObject({
    status: 1,
    stdout: '',
    stderr: `The disk with ${copy} is full. Free some space or enlarge the disk.\n`,
  });
  expect(readdirSync(folder)).toEqual(['data']);
});

it('`npm run backup` notes in the database when it made a backup', async () => {
  await openSqlite(dataDir).close();
  const command = fileURLToPath(new URL('../back-up-command.ts', import.meta.url));
  const beforeMs = Date.now();
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir };
  expect(spawnSync(process.execPath, [command, join(folder, 'copy')], { env }).status).toBe(0);
  const database = openSqlite(dataDir);
  const backupMs = await lastTimeOf(database.query, 'backup').finally(() => database.close());
  expect(backupMs).toBeGreaterThanOrEqual(beforeMs);
});
