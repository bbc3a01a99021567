import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { csvColumns, csvTable, type Prediction, predictionSchema } from '@chiffchaff/contract';
import { needsSharedFolder, sharedPath } from '@chiffchaff/testing/shared-folder';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readConfig } from '../../config/config.ts';
import { openServer, type Server } from '../../open-server.ts';
import { findInstallation } from '../../parts/installation.ts';
import { serverLimits } from '../../server-limits.ts';
import { FORM_TYPE, field, file, form } from '../../testing/multipart.ts';

const models = fileURLToPath(new URL('../../../../../data/models', import.meta.url));
const recordings = sharedPath('fixtures/audio/formats');

let dataDir: string;
let server: Server | undefined;
beforeEach(async (context) => {
  needsSharedFolder(context);
  dataDir = await mkdtemp(join(tmpdir(), 'chiffchaff-conditions-'));
});
afterEach(async () => {
  await server?.close();
  await rm(dataDir, { recursive: true, force: true });
});

const conditions = [
  { latitude: 50.8, longitude: 12.9, date: '2026-05-20', language: 'de' },
  { latitude: 43.1, longitude: -79.2, date: null, language: 'en_us' },
  { latitude: -33.9, longitude: 151.2, date: '2026-11-02', minScore: 0.6 },
  { latitude: null, longitude: null, minScore: 0.1 },
  { timeZone: 'Asia/Calcutta' },
  { timeZone: 'America/New_York', latitude: 43.1, longitude: -79.2, placeSource: 'file' },
] as const;

/** Opens a server with the real model, and one account. */
async function openTestServer() {
  await symlink(models, join(dataDir, 'models'));
  const environment = { PATH: process.env.PATH, PORT: '0', DATA_DIR: dataDir };
  const { config, secrets } = readConfig(environment);
  const log = pino({ level: 'silent' });
  server = await openServer({ config, secrets, log, installation: findInstallation(config, log), limits: serverLimits });
  const url = await server.start();
  const signUp = await fetch(`${url}/v1/accounts:signUp?key=any`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'walker@example.org', password: 'two short notes', returnSecureToken: true }),
  });
  const { idToken } = (await signUp.json()) as { idToken: string };
  const headers = { authorization: `Bearer ${idToken}` };
  return {
    async predict(content: Buffer, fields: Readonly<Record<string, unknown>>): Promise<Prediction> {
      const texts = Object.entries(fields).filter(([, value]) => value !== null);
      const body = form([file(content), field('top', '10'), ...texts.map(([name, value]) => field(name, String(value)))]);
      const answer = await fetch(`${url}/get_prediction`, {
        method: 'POST',
        headers: { ...headers, 'content-type': FORM_TYPE },
        body: new Uint8Array(body),
      });
      return predictionSchema.parse(await answer.json());
    },
    async askAgain({ id }: Prediction, asked: Readonly<Record<string, unknown>>): Promise<Prediction> {
      const nothing = { latitude: null, longitude: null, timeZone: null, date: null, minScore: null, language: null };
      const answer = await fetch(`${url}/v1/predictions/${id}/conditions`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ ...nothing, ...asked, top: 10 }),
      });
      return predictionSchema.parse(await answer.json());
    },
    async exportCsv({ id }: Prediction): Promise<string> {
      return (await fetch(`${url}/v1/predictions/${id}/export?format=csv`, { headers })).text();
    },
  };
}

it('A prediction recomputed for another place has the first species of a new analysis, and confidences within 0.005', {
  timeout: 240_000,
}, async () => {
  const { predict, askAgain } = await openTestServer();
  let compared = 0;
  for (const name of ['certhia-familiaris--091713ed.m4a', 'dicrurus-macrocercus--aff8f11e.mp3']) {
    const content = await readFile(join(recordings, name));
    const stored = await predict(content, {});
    for (const asked of conditions) {
      const again = await askAgain(stored, asked);
      const fresh = await predict(content, asked);
      const about = `${name} ${JSON.stringify(asked)}`;
      expect(again.conditions, about).toEqual(fresh.conditions);
      expect(again.verdict.kind, about).toBe(fresh.verdict.kind);
      expect(again.candidates[0]?.scientificName, about).toBe(fresh.candidates[0]?.scientificName);
      expect(again.candidates[0]?.commonName, about).toBe(fresh.candidates[0]?.commonName);
      for (const { scientificName, confidence } of fresh.candidates) {
        const found = again.candidates.find((candidate) => candidate.scientificName === scientificName);
        expect(Math.abs((found?.confidence ?? 2) - confidence), `${about} ${scientificName}`).toBeLessThanOrEqual(0.005);
        compared += 1;
      }
      expect(again.detections.length, about).toBe(fresh.detections.length);
      expect(again.hiddenByLocation.map((hidden) => hidden.scientificName)).toEqual(
        fresh.hiddenByLocation.map((hidden) => hidden.scientificName),
      );
    }
  }
  expect(compared).toBe(120);
});

/** The dates in the rows of a table. */
function datesIn(table: string): Set<string | undefined> {
  const rows = table.trim().split('\n').slice(1);
  return new Set(rows.map((row) => row.split(',')[csvColumns.indexOf('Date')]));
}

it('A prediction recomputed for another place keeps a date of an earlier year, also in tables', {
  timeout: 120_000,
}, async () => {
  const { predict, askAgain, exportCsv } = await openTestServer();
  const content = await readFile(join(recordings, 'certhia-familiaris--091713ed.m4a'));
  const stored = await predict(content, { latitude: 50.8, longitude: 12.9, date: '2024-05-27' });
  expect(stored.conditions).toMatchObject({ date: '2024-05-27', week: 20 });
  const { latitude, longitude, date } = stored.conditions;
  const again = await askAgain(stored, { latitude, longitude, date, minScore: 0.1 });
  expect(again.conditions).toMatchObject({ date: '2024-05-27', week: 20, minScore: 0.1 });
  expect(datesIn(csvTable([again]))).toEqual(new Set(['2024-05-27']));
  expect(datesIn(await exportCsv(stored))).toEqual(new Set(['2024-05-27']));
});
