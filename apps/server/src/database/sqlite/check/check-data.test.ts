import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../database.ts';
import { lockDataFolder } from '../lock-data-folder.ts';
import { openSqlite } from '../open-sqlite.ts';
import { checkData } from './check-data.ts';

const LATER = Date.parse('2100-01-01T00:00:00Z');

let folder: string;
let database: Database;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'chiffchaff-check-'));
  database = openSqlite(folder);
});
afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

function put(...paths: readonly string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), 'sound');
  }
}

const addPrediction = (id: string, state: 'queued' | 'done', uploadName: string | null) =>
  database.change({}, (query) =>
    query
      .insertInto('predictions')
      .values({
        id,
        state,
        uploadName,
        ...{ requestHash: '', createdAtMs: 1, fields: '{}', sha256: '', bytes: 5 },
        attempts: 0,
      })
      .execute(),
  );

const addSound = (id: string, kept: { recordingUntilMs?: number; momentsUntilMs?: number; asSentType?: string }) =>
  database.change({}, (query) =>
    query
      .insertInto('keptSounds')
      .values({
        ...{
          id,
          predictionId: `prediction of ${id}`,
          accountId: 'owner',
          createdAtMs: 1,
          moments: '[]',
          durationSeconds: 3,
          channels: 1,
        },
        ...{ recordingUntilMs: null, momentsUntilMs: null, asSentType: null },
        ...kept,
      })
      .execute(),
  );

const addUpload = (id: string, usedAtMs: number | null) =>
  database.change({}, (query) =>
    query
      .insertInto('resumableUploads')
      .values({ id, usedAtMs, ...{ accountId: 'owner', createdAtMs: 1, bytes: 5, metadata: '{}', sha256: null } })
      .execute(),
  );

async function look(pause = async () => {}) {
  const { faults, leftovers } = await checkData(folder, pause);
  return { faults, leftovers: [...leftovers].sort() };
}

describe('The check of files in the data folder against rows of the database', () => {
  it('finds no fault in a healthy folder, whatever state its jobs are in', async () => {
    await addPrediction('waits', 'queued', 'waits');
    put('uploads/waits', 'uploads/waits.checkpoint/0');
    await addUpload('arrives', null);
    put('resumable-uploads/arrives.0-5', 'resumable-uploads/arrives.5-9');
    for (const id of ['kept', 'moments', 'begun', 'sent']) await addPrediction(`prediction of ${id}`, 'done', null);
    await addSound('kept', { recordingUntilMs: LATER, asSentType: 'audio/wav' });
    put('audio/kept/recording', 'audio/kept/recording.spectrum');
    await addSound('moments', { momentsUntilMs: LATER });
    put('audio/moments/moments', 'audio/moments/moments.spectrum');
    await addSound('begun', { momentsUntilMs: LATER });
    put('audio/begun/original', 'audio/begun/moments');
    await addSound('sent', { recordingUntilMs: LATER, asSentType: 'audio/wav' });
    put('audio/sent/recording');
    await addPrediction('prediction of settling', 'done', 'settling');
    await addSound('settling', { recordingUntilMs: LATER });
    put('uploads/settling');
    expect(await look()).toEqual({ faults: [], leftovers: [] });
    // An incoming upload of a running server has no row.
    put('uploads/arriving');
    const unlock = lockDataFolder(folder);
    expect(await look()).toEqual({ faults: [], leftovers: [] });
    unlock();
    expect((await look()).leftovers).toEqual(['uploads/arriving belongs to no row']);
  });

  it('reports files that no row owns', async () => {
    await addUpload('used', 1);
    await addPrediction('answered', 'done', null);
    await addPrediction('prediction of whole', 'done', null);
    await addSound('whole', { momentsUntilMs: LATER });
    await addSound('ownerless', { momentsUntilMs: LATER });
    put('audio/whole/moments', 'audio/whole/moments.spectrum', 'audio/whole/original', 'audio/nobody/moments');
    put('audio/ownerless/moments', 'audio/ownerless/moments.spectrum');
    put(
      'uploads/answered',
      'uploads/answered.checkpoint/0',
      'uploads/unknown',
      'resumable-uploads/used.0-5',
      'resumable-uploads/unknown.0-5',
    );
    put('keys/signing-1.json.part', 'chiffchaff-data.json.part');
    expect(await look()).toEqual({
      faults: [],
      leftovers: [
        'audio/nobody/moments belongs to no row',
        'audio/ownerless/moments belongs to no row',
        'audio/ownerless/moments.spectrum belongs to no row',
        'audio/whole/original belongs to no row',
        'chiffchaff-data.json.part is unfinished',
        'keys/signing-1.json.part is unfinished',
        'resumable-uploads/unknown.0-5 belongs to no row',
        'resumable-uploads/used.0-5 belongs to no row',
        'uploads/answered belongs to no row',
        'uploads/answered.checkpoint/0 belongs to no row',
        'uploads/unknown belongs to no row',
      ],
    });
  });

  it('reports rows whose files are missing', async () => {
    await addPrediction('lost', 'queued', 'lost');
    for (const id of ['silent', 'half', 'ended']) await addPrediction(`prediction of ${id}`, 'done', null);
    await addSound('ended', { recordingUntilMs: 9 });
    await addSound('silent', { momentsUntilMs: LATER });
    await addSound('half', { recordingUntilMs: LATER, momentsUntilMs: LATER });
    put('audio/half/recording', 'audio/half/recording.spectrum');
    expect(await look()).toEqual({
      faults: [
        'the recording of job lost is missing',
        expect.stringContaining('the kept audio of prediction prediction of'),
        expect.stringContaining('the kept audio of prediction prediction of'),
      ],
      leftovers: [],
    });
  });

  it('looks a second time before it reports a fault', async () => {
    await addPrediction('ends', 'queued', 'ends');
    // The server deletes the job during the check.
    const deleteJob = () => database.change({}, (query) => query.deleteFrom('predictions').execute());
    expect(await look(async () => void (await deleteJob()))).toEqual({ faults: [], leftovers: [] });
  });
});
