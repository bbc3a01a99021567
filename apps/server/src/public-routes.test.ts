import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AnalysisService } from '@chiffchaff/analysis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { detection } from './prediction/audio/testing/test-retention.ts';
import { field, file } from './testing/multipart.ts';
import { signUp } from './testing/signed-in.ts';
import { createTestServer, type TestServer } from './testing/test-server.ts';
import { wav } from './testing/wav.ts';

/** What a public route may ask the analysis at any time: it is looked up, or was worked out once for everybody. */
const lookups: readonly (keyof AnalysisService)[] = [
  'load',
  'namesIn',
  'regions',
  'speciesNames',
  'speciesProfile',
  'speciesRange',
  'zones',
  'close',
];

const TIT = 'Parus major';
/** What routes need so that they do not refuse the request. */
const queries: Readonly<Record<string, string>> = {
  '/v1/places': 'q=s',
  '/v1/places/region': 'latitude=1&longitude=2',
  '/v1/species': 'latitude=1&longitude=2',
  '/v1/species/:scientificName/season': 'latitude=1&longitude=2',
  '/v1/species/around': 'latitude=1&longitude=2&week=3',
  '/v1/species/search': 'q=wren&latitude=1&longitude=2',
  '/v1/occurrences': 'latitude=1&longitude=2',
};
/** Routes of which at least one piece of work is expected, so that this test cannot pass by asking nothing. */
const working = [
  '/v1/species',
  '/v1/species/:scientificName/season',
  '/v1/species/around',
  '/v1/species/search',
  '/v1/occurrences',
  '/v1/shared/:token/sound/:scientificName',
  '/v1/shared/:token/spectrogram/:scientificName',
];

let server: TestServer;
let pageFolder: string;
let token: string;
/** Holds what the analysis is asked for. */
let gate: PromiseWithResolvers<void> | null = null;
let [running, most, asked] = [0, 0, 0];

beforeAll(async () => {
  pageFolder = await mkdtemp(join(tmpdir(), 'chiffchaff-page-'));
  await writeFile(join(pageFolder, 'index.html'), '<!doctype html><title>Chiffchaff</title>');
  server = await createTestServer({
    pageFolder,
    changeService: (service) =>
      Object.fromEntries(
        Object.entries(service).map(([name, call]) => {
          if (lookups.some((lookup) => lookup === name)) return [name, call];
          const held = async (...args: unknown[]): Promise<unknown> => {
            asked += 1;
            running += 1;
            most = Math.max(most, running);
            try {
              await gate?.promise;
              return await call(...args);
            } finally {
              running -= 1;
            }
          };
          return [name, held];
        }),
      ) as unknown as AnalysisService,
  });
  await server.app.ready();
  const owner = await signUp(server, 'owner@example.org');
  const best = { startSeconds: 0, endSeconds: 3 };
  const tit = {
    ...{ rank: 1, scientificName: TIT, commonName: 'Great Tit', confidence: 0.9, score: 0.9, occurrence: null },
    best,
  };
  server.analyzer.answerWith({
    candidates: [{ ...tit, confidenceWord: 'veryLikely', unusualHere: false }],
    detections: [detection(0, 3, 0.9, TIT)],
  });
  const { body } = await owner.predict([field('keepAudio', 'recording'), file(wav(5))]);
  await server.settled();
  token = (await owner.send('POST', `/v1/predictions/${body.id}/links`, { sound: true })).body.token;
});
afterAll(async () => {
  await server.close();
  await rm(pageFolder, { recursive: true });
});

const publicUrls = (): string[] => [
  ...new Set(
    server.routes
      .filter(({ method, config }) => [method].flat().includes('GET') && config?.access === 'public')
      .map(({ url }) => url),
  ),
];
const urlOf = (url: string): string =>
  url
    .replace(':token', token)
    .replace(':scientificName', encodeURIComponent(TIT))
    .replace(':id', 'fake')
    .replace(':sha256', '0'.repeat(64))
    .replace(':name', 'x')
    .replace('*', 'x') + (queries[url] === undefined ? '' : `?${queries[url]}`);

it('Public routes work on one request of a network at a time, and answer its other requests when their turn comes', async () => {
  const urls = publicUrls();
  expect(urls).toEqual(expect.arrayContaining(['/healthz', '/v1/shared/:token', ...working]));
  for (const url of urls) {
    gate = Promise.withResolvers();
    [most, asked] = [0, 0];
    const answers = Array.from({ length: 5 }, () => server.app.inject(urlOf(url)));
    // Lets them get as far as they can.
    for (let n = 0; n < 20; n += 1) await server.app.inject('/healthz');
    gate.resolve();
    for (const { statusCode, body } of await Promise.all(answers)) {
      expect([400, 500, 503], `${url} ${body}`).not.toContain(statusCode);
      if (working.includes(url)) expect(statusCode, `${url} ${body}`).toBe(200);
    }
    expect([url, most]).toEqual([url, working.includes(url) ? 1 : Math.min(most, 1)]);
    if (url === '/v1/shared/:token') expect(asked).toBe(1);
  }
});
