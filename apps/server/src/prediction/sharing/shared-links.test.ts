import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type AnalysisService, isLargeAnswer } from '@chiffchaff/analysis';
import { makeWav } from '@chiffchaff/analysis/testing';
import {
  type Candidate,
  createdLinkSchema,
  type Link,
  linksSchema,
  type Prediction,
  sharedPredictionSchema,
} from '@chiffchaff/contract';
import { eventually } from '@chiffchaff/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { moveClock } from '../../testing/move-clock.ts';
import { field, file } from '../../testing/multipart.ts';
import { type SignedInUser, signUp } from '../../testing/signed-in.ts';
import { createTestServer, type TestServer, type TestServerOptions } from '../../testing/test-server.ts';
import { detection } from '../audio/testing/test-retention.ts';

const CHIFFCHAFF = 'Phylloscopus collybita';
const TIT = 'Parus major';
const WREN = 'Troglodytes troglodytes';
const adminSecret = 'a-long-secret-of-the-operators';
const fileName = 'behind-our-house-in-Jericho.wav';
const text = (value: string): Buffer => Buffer.from(value, 'latin1');
/** What recorders and programs write into recordings. */
const written = {
  // Description, originator, its reference, date, time; the rest is zero here.
  bext: `${'AudioMoth 24F31901603710E2 at 51.76012 -1.26034'.padEnd(256, '\0')}${'Jane Owner'.padEnd(64, '\0')}2026-05-0305:12:44`.padEnd(
    602,
    '\0',
  ),
  guan: 'GUANO|Version: 1.0\nLoc Position: 51.76012 -1.26034\nTimestamp: 2026-05-03T05:12:44+01:00\nSerial: 24F31901603710E2\n',
  LIST: 'INFOIART\u000b\u0000\u0000\u0000Jane Owner\u0000\u0000ICRD\u000b\u0000\u0000\u00002026-05-03\u0000\u0000ISFT\u0006\u0000\u0000\u0000Lavf61',
};

/** Each second has its own pitch: 1000 Hz, 1500 Hz, … */
const staircase = (seconds: number): number => 0.4 * Math.sin(2 * Math.PI * (1000 + 500 * Math.floor(seconds)) * seconds);

function taggedWav(seconds: number): Buffer {
  const chunks = Object.entries(written).flatMap(([name, content]) => {
    const body = text(content.length % 2 === 0 ? content : `${content} `);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(body.length);
    return [text(name), length, body];
  });
  const whole = Buffer.concat([makeWav({ seconds, sample: staircase }), ...chunks]);
  whole.writeUInt32LE(whole.length - 8, 4);
  return whole;
}

const candidate = (
  rank: number,
  [scientificName, commonName]: readonly [string, string],
  confidence: number,
  startSeconds: number,
): Candidate => ({
  ...{ rank, scientificName, commonName, confidence, score: confidence, occurrence: 0.5, unusualHere: false },
  confidenceWord: confidence >= 0.9 ? 'veryLikely' : confidence >= 0.7 ? 'likely' : confidence >= 0.5 ? 'perhaps' : 'notSure',
  best: { startSeconds, endSeconds: startSeconds + 3 },
});
const answer: Pick<Prediction, 'recording' | 'conditions' | 'candidates' | 'detections'> = {
  recording: {
    ...{ fileName, sha256: 'a'.repeat(64), container: 'wav', codec: 'pcm_s16le', durationSeconds: 20 },
    ...{ sampleRate: 48_000, channels: 1, truncated: false },
  },
  conditions: {
    ...{ latitude: 51.76012, longitude: -1.26034, placeSource: 'file', timeZone: null, week: 17, date: '2026-05-03' },
    ...{ minScore: 0.25, overlapSeconds: 1.5, language: 'en_uk' },
  },
  candidates: [
    candidate(1, [CHIFFCHAFF, 'Common Chiffchaff'], 0.95, 3),
    candidate(2, [TIT, 'Great Tit'], 0.6, 12),
    candidate(3, ['Corvus corone', 'Carrion Crow'], 0.3, 16),
  ],
  detections: [detection(3, 6, 0.95, CHIFFCHAFF), detection(12, 15, 0.6, TIT)],
};

let server: TestServer;
let owner: SignedInUser;
let id: string;
let regionAt: ReturnType<typeof vi.fn<(latitude: number, longitude: number) => Promise<string | null>>>;

async function start(options: TestServerOptions = {}): Promise<void> {
  regionAt = vi.fn(async () => 'GB');
  server = await createTestServer({
    environment: { OPEN_PREDICTION: 'false', IDENTITY_ADMIN_SECRET: adminSecret },
    places: { regionAt },
    ...options,
  });
  server.analyzer.answerWith({
    ...answer,
    verdict: {
      ...{ kind: 'identified', tied: false, sentence: 'A chiffchaff.', genus: null, notExpectedHere: null },
      named: answer.candidates.slice(0, 2).map((bird) => ({ ...bird, firstSeconds: bird.best.startSeconds })),
    },
  });
  owner = await signUp(server, 'jane.owner@example.org');
}
afterEach(() => server?.close());

async function predict(keepAudio = 'nothing'): Promise<void> {
  const { status, body } = await owner.predict([field('keepAudio', keepAudio), file(taggedWav(20), fileName)]);
  expect(status, JSON.stringify(body)).toBe(200);
  id = body.id;
}
async function share(sound = false): Promise<{ link: Link; token: string }> {
  // Audio is kept after the answer, which takes a moment on S3.
  return eventually(async () => {
    const made = await owner.send('POST', `/v1/predictions/${id}/links`, { sound });
    expect(made.status, made.text).toBe(200);
    return createdLinkSchema.parse(made.body);
  });
}
/** Sends a request without an account. */
const visit = (path: string, headers: Record<string, string> = {}) => server.app.inject({ url: path, headers });
const shown = async (token: string, query = '') =>
  sharedPredictionSchema.parse((await visit(`/v1/shared/${token}${query}`)).json());
const say = (bird: string, body: object) => owner.send('PUT', `/v1/predictions/${id}/reviews/${encodeURIComponent(bird)}`, body);
const links = async () => linksSchema.parse((await owner.send('GET', '/v1/account/links')).body).links;
const soundUrl = (token: string, bird: string): string => `/v1/shared/${token}/sound/${encodeURIComponent(bird)}`;
const pictureUrl = (token: string, bird: string): string => `/v1/shared/${token}/spectrogram/${encodeURIComponent(bird)}`;
const operate = (change: object) =>
  server.app.inject({
    ...{ method: 'POST', url: '/v1/projects/chiffchaff/accounts:update?key=any' },
    payload: { localId: owner.accountId, ...change },
    headers: { authorization: `Bearer ${adminSecret}` },
  });

/** What nobody may learn from the link alone. */
const secrets = () => [
  ...[owner.accountId, 'jane', 'owner@example', id, 'behind-our-house', 'Jericho', '51.76', '1.26', '2026-05-03', '05:12'],
  ...['GUANO', 'guan', 'bext', 'LIST', 'INFO', 'Jane', 'AudioMoth', '24F31901603710E2', 'Lavf', 'Lavc', 'ffmpeg', 'a'.repeat(64)],
];
function expectNoSecrets({ rawPayload, headers }: Awaited<ReturnType<typeof visit>>): void {
  const said = `${rawPayload.toString('latin1')} ${JSON.stringify({ ...headers, date: '' })}`.toLowerCase();
  for (const secret of secrets()) expect(said.includes(secret.toLowerCase()), secret).toBe(false);
}

describe('A public link to a result', () => {
  beforeEach(async () => {
    await start();
    await predict();
  });

  it('shows every visitor the birds in words, with month, region and attribution', async () => {
    const { token, link } = await share();
    expect(link).toMatchObject({ predictionId: id, sound: false, fileName });
    expect(regionAt).not.toHaveBeenCalled();
    expect(await shown(token)).toEqual({
      birds: [
        ...[[CHIFFCHAFF, 'Common Chiffchaff', 'veryLikely'] as const, [TIT, 'Great Tit', 'perhaps'] as const].map(
          ([scientificName, commonName, confidenceWord]) => ({
            ...{ scientificName, commonName, confidenceWord, nearlyCertain: false, confirmed: false, regions: [], clip: null },
          }),
        ),
      ],
      month: { year: 2026, month: 5 },
      region: 'GB',
      language: 'en_uk',
      model: { licence: 'CC0-1.0', attribution: 'Nobody' },
    });
    expect(regionAt).toHaveBeenCalledExactlyOnceWith(51.760_12, -1.260_34);
  });

  it('tells which birds are nearly certain, so that its page fills as many squares as the owner’s', async () => {
    const birds = [candidate(1, [CHIFFCHAFF, 'Common Chiffchaff'], 0.97, 3), candidate(2, [TIT, 'Great Tit'], 0.96, 12)];
    server.analyzer.answerWith({ ...answer, candidates: birds });
    id = (await owner.predict([file('another')])).body.id;
    expect((await shown((await share()).token)).birds).toMatchObject([{ nearlyCertain: true }, { nearlyCertain: false }]);
  });

  it('shows the result with each change that its owner makes, just as a link created afterwards does', async () => {
    const links = [(await share()).token];
    const change = async (act: () => Promise<{ status: number }>) => {
      for (const token of links) await shown(token);
      expect((await act()).status).toBe(200);
      links.push((await share()).token);
      const [first, ...others] = await Promise.all(links.map((token) => shown(token)));
      for (const other of others) expect(other).toEqual(first);
      return first;
    };
    const conditions = (body: object) => change(() => owner.send('POST', `/v1/predictions/${id}/conditions`, body));
    regionAt.mockImplementation(async (latitude) => (latitude > 50 ? 'GB' : 'FR'));
    const may = { year: 2026, month: 5 };
    expect(await conditions({ latitude: 47, longitude: 2, date: '2026-05-04' })).toMatchObject({ region: 'FR', month: may });
    expect(await conditions({ date: '2026-12-24' })).toMatchObject({ region: 'FR', month: { year: 2026, month: 12 } });
    server.analyzer.answerWith({ candidates: [candidate(1, [WREN, 'Eurasian Wren'], 0.95, 3)] });
    expect(await conditions({ language: 'de' })).toMatchObject({ birds: [{ scientificName: WREN }], language: 'de' });
    expect(await conditions({ latitude: null, longitude: null, date: null })).toMatchObject({ region: null, month: null });
    const restored = await change(() => owner.send('DELETE', `/v1/predictions/${id}/conditions`));
    expect(restored).toMatchObject({ region: 'GB', month: may, birds: [{ scientificName: CHIFFCHAFF }, {}] });
    expect((await change(() => say(TIT, { verdict: 'rejected' })))?.birds).toHaveLength(1);
    expect((await change(() => owner.send('DELETE', `/v1/predictions/${id}/reviews/${TIT}`)))?.birds).toHaveLength(2);
  });

  it('reveals nothing of account, file, place or time, and is neither cached nor indexed', async () => {
    const { token } = await share();
    const response = await visit(`/v1/shared/${token}`);
    expectNoSecrets(response);
    expect(response.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex, nofollow',
      'referrer-policy': 'no-referrer',
    });
    expect(response.headers).not.toHaveProperty('set-cookie');
  });

  it('shows birds after the owner’s reviews, in the requested language', async () => {
    const { token } = await share();
    await say(CHIFFCHAFF, { verdict: 'confirmed' });
    await say(TIT, { verdict: 'rejected' });
    expect((await shown(token)).birds).toMatchObject([
      { scientificName: CHIFFCHAFF, confirmed: true, confidenceWord: 'veryLikely' },
    ]);
    await say(TIT, { verdict: 'corrected', to: WREN });
    const wren = { scientificName: WREN, commonName: 'Eurasian Wren', confirmed: true, confidenceWord: null };
    expect((await shown(token)).birds).toMatchObject([{ scientificName: CHIFFCHAFF }, wren]);
    expect(await shown(token, '?language=de')).toMatchObject({ language: 'de', birds: [{}, { commonName: 'Zaunkönig' }] });
    await say(TIT, { verdict: 'rejected' });
    await say(WREN, { verdict: 'added' });
    expect((await shown(token)).birds).toMatchObject([{ scientificName: CHIFFCHAFF }, { ...wren, clip: null }]);
    await say('Corvus corone', { verdict: 'confirmed' });
    expect((await shown(token)).birds[1]).toMatchObject({ scientificName: 'Corvus corone', confidenceWord: 'notSure' });
    // Reviews turn two birds of the answer into the same one.
    await say(CHIFFCHAFF, { verdict: 'corrected', to: WREN });
    expect((await shown(token)).birds.map(({ scientificName }) => scientificName)).toEqual([WREN, 'Corvus corone']);
    expect((await visit(`/v1/shared/${token}?language=klingon`)).statusCode).toBe(400);
  });

  it('shows a bird that does not live at the assumed place only if its owner confirms it', async () => {
    const [first, second] = answer.candidates.map((bird) => ({ ...bird, firstSeconds: 3 }));
    if (!first || !second) throw new Error('no candidates');
    const verdict = { kind: 'identified', tied: false, sentence: '', genus: null, notExpectedHere: null } as const;
    const named = [{ ...first, assumed: 'elsewhere' as const, regions: ['003'] }, second];
    server.analyzer.answerWith({ ...answer, candidates: named, verdict: { ...verdict, named } });
    id = (await owner.predict([file('another')])).body.id;
    const { token } = await share();
    expect((await shown(token)).birds).toMatchObject([{ scientificName: TIT }]);
    await say(CHIFFCHAFF, { verdict: 'confirmed' });
    const confirmed = { scientificName: CHIFFCHAFF, confirmed: true, confidenceWord: 'veryLikely', regions: [] };
    expect((await shown(token)).birds).toMatchObject([{ scientificName: TIT }, confirmed]);
    await say(CHIFFCHAFF, { verdict: 'rejected' });
    expect((await shown(token)).birds).toMatchObject([{ scientificName: TIT }]);
  });

  it.each([
    ['a week', { date: null, week: 17 }, { year: null, month: 5 }],
    ['the last week', { date: null, week: 48 }, { year: null, month: 12 }],
    ['nothing', { date: null, week: null }, null],
  ])('shows the month as far as it is known: %s', async (_what, told, month) => {
    server.analyzer.answerWith({ ...answer, conditions: { ...answer.conditions, latitude: null, longitude: null, ...told } });
    await owner.predict([file('another')]).then(({ body }) => {
      id = body.id;
    });
    expect(await shown((await share()).token)).toMatchObject({ month, region: null });
    expect(regionAt).not.toHaveBeenCalled();
  });

  it('shows the result without a region if the region cannot be looked up', async () => {
    regionAt.mockRejectedValue(new Error('no such file'));
    expect((await shown((await share()).token)).region).toBeNull();
    expect(JSON.stringify(server.logged)).not.toContain('51.76');
  });

  it('is stored and logged without its token', async () => {
    const { token } = await share();
    await visit(`/v1/shared/${token}`);
    await visit(`/v1/shared/${token}/nothing/there/is`);
    await visit(`/shared/${token}/`);
    const rows = await server.database.query.selectFrom('predictionLinks').selectAll().execute();
    expect(rows).toMatchObject([
      { accountId: owner.accountId, predictionId: id, tokenHash: expect.stringMatching(/^[\da-f]{64}$/) },
    ]);
    expect(JSON.stringify([rows, server.logged])).not.toContain(token);
    expect(JSON.stringify(await links())).not.toContain(token);
  });

  describe('looks like one that never existed', () => {
    /** A response without what differs each time. */
    const said = async (url: string) => {
      const { statusCode, headers, body } = await visit(url);
      const { date: _, 'x-request-id': reference = '', ...same } = headers;
      return { statusCode, same, body: body.replaceAll(String(reference), '') };
    };
    const never = (path = '') => said(`/v1/shared/${'A'.repeat(22)}${path}`);
    async function expectOver(token: string): Promise<void> {
      for (const path of ['', `/sound/${TIT}`, `/spectrogram/${TIT}`]) {
        const answered = await said(`/v1/shared/${token}${path}`);
        expect(answered).toEqual(await never(path));
        expect(answered.statusCode).toBe(404);
      }
    }

    it('when it is revoked', async () => {
      const [one, other] = [await share(), await share()];
      expect((await links()).map((link) => link.id).sort()).toEqual([one.link.id, other.link.id].sort());
      expect((await owner.send('DELETE', `/v1/account/links/${one.link.id}`)).body).toEqual({ links: [other.link] });
      await expectOver(one.token);
      expect((await shown(other.token)).birds).toHaveLength(2);
      expect((await owner.send('DELETE', `/v1/account/links/${one.link.id}`)).status).toBe(404);
    });

    it('when the prediction is deleted, and works again when that is undone', async () => {
      const { token } = await share();
      await owner.send('DELETE', `/v1/predictions/${id}`);
      await expectOver(token);
      expect(await links()).toEqual([]);
      await owner.send('POST', `/v1/predictions/${id}/restore`);
      expect((await shown(token)).birds).toHaveLength(2);
      await owner.send('DELETE', '/v1/predictions');
      await expectOver(token);
    });

    it('while the account is disabled', async () => {
      const { token } = await share();
      expect((await operate({ disableUser: true })).statusCode).toBe(200);
      await expectOver(token);
      expect((await operate({ disableUser: false })).statusCode).toBe(200);
      expect((await visit(`/v1/shared/${token}`)).statusCode).toBe(200);
    });

    it('when the account is deleted, of which nothing is left', async () => {
      const { token } = await share();
      expect((await owner.send('DELETE', '/v1/account')).status).toBe(200);
      await expectOver(token);
      expect(await server.database.query.selectFrom('predictionLinks').selectAll().execute()).toEqual([]);
    });

    it.each(['x', 'A'.repeat(21), 'A'.repeat(23), '%00', `${'A'.repeat(21)}%2F`, "'--"])(
      'if its token is malformed: %s',
      async (token) => {
        expect(await said(`/v1/shared/${token}`)).toEqual(await never());
      },
    );
  });

  it('belongs to the account that created it', async () => {
    const { link } = await share();
    const stranger = await signUp(server, 'stranger@example.org');
    expect((await stranger.send('GET', '/v1/account/links')).body).toEqual({ links: [] });
    expect((await stranger.send('DELETE', `/v1/account/links/${link.id}`)).status).toBe(404);
    expect((await stranger.send('POST', `/v1/predictions/${id}/links`, { sound: false })).status).toBe(404);
    expect((await owner.send('GET', '/v1/account/export')).body.links).toEqual([link]);
    expect((await visit('/v1/account/links')).statusCode).toBe(401);
  });

  it('is refused if its account already has a hundred links', async () => {
    const { change } = server.database;
    const row = { accountId: owner.accountId, predictionId: id, sound: 0, createdAtMs: 1 } as const;
    const rows = Array.from({ length: 99 }, (_, n) => ({ ...row, id: `link-${n}`, tokenHash: `hash-${n}` }));
    await change({}, (query) => query.insertInto('predictionLinks').values(rows).execute());
    await share();
    const refused = await owner.send('POST', `/v1/predictions/${id}/links`, { sound: false });
    expect(refused).toMatchObject({ status: 409, body: { code: 'TOO_MANY_LINKS' } });
    await owner.send('DELETE', '/v1/account/links/link-7');
    await share();
  });

  it('can be opened from a network that sent hundreds of wrong tokens', async () => {
    const { token } = await share();
    for (let n = 0; n < 250; n += 1) {
      const wrong = String(n).padStart(22, 'x');
      for (const url of [`/v1/shared/${wrong}`, `/v1/shared/${wrong}/sound/${TIT}`])
        expect((await visit(url)).statusCode).toBe(404);
    }
    expect((await visit(`/v1/shared/${token}`)).statusCode).toBe(200);
  });

  it('is created only for a prediction that succeeded, and with audio only if some is kept', async () => {
    const refused = await owner.send('POST', `/v1/predictions/${id}/links`, { sound: true });
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ field: 'sound' }] } });
    expect((await owner.send('POST', '/v1/predictions/none/links', { sound: false })).status).toBe(404);
    for (const body of [{}, { sound: 'yes' }, { sound: false, name: 'x' }])
      expect((await owner.send('POST', `/v1/predictions/${id}/links`, body)).status).toBe(400);
  });
});

describe('Large results behind public links', () => {
  /** Calls that open a large answer, in order. */
  let calls: string[];
  let gate: PromiseWithResolvers<void> | null;
  beforeEach(async () => {
    calls = [];
    gate = null;
    await start({
      changeService: (service) => ({
        ...service,
        async answerHead(stored) {
          calls.push('for visitors');
          await gate?.promise;
          return service.answerHead(stored);
        },
        async answerJson(stored) {
          calls.push('for the owner');
          return service.answerJson(stored);
        },
      }),
    });
    const many = Array.from({ length: 5929 }, (_, n) => detection(n, n + 3, (n % 997) / 10_000, `Avis numero ${n % 2000}`));
    server.analyzer.answerWith({ ...answer, detections: many });
  });
  const from = (network: number, url: string) => server.app.inject({ url, remoteAddress: `192.0.2.${network}` });
  const newLink = async (content: string): Promise<{ id: string; token: string }> => {
    id = (await owner.predict([file(content)])).body.id;
    const row = await server.predictions.store.find(owner.accountId, id);
    expect(isLargeAnswer(row?.answerBytes ?? 0)).toBe(true);
    return { id, token: (await share()).token };
  };
  /** From now on, nothing is opened for visitors before the gate is. */
  function hold(): PromiseWithResolvers<void> {
    calls = [];
    gate = Promise.withResolvers();
    return gate;
  }
  /** Lets requests that were sent before get as far as they can. */
  const turns = async () => {
    for (let n = 0; n < 20; n += 1) await visit('/healthz');
  };

  it('are opened once for all visitors who wait, and not again for the next ones', async () => {
    const { token } = await newLink('one');
    const held = hold();
    const visits = Array.from({ length: 60 }, (_, n) => from(n, `/v1/shared/${token}`));
    await turns();
    held.resolve();
    expect((await Promise.all(visits)).map(({ statusCode }) => statusCode)).toEqual(Array(60).fill(200));
    expect((await from(200, `/v1/shared/${token}`)).statusCode).toBe(200);
    expect(calls).toEqual(['for visitors']);
  });

  it('are opened for their owner before visitors who wait', async () => {
    const links = [];
    for (let n = 0; n < 6; n += 1) links.push(await newLink(`recording ${n}`));
    const held = hold();
    const visits = links.map(({ token }, n) => from(n, `/v1/shared/${token}`));
    await turns();
    const opened = owner.send('GET', `/v1/predictions/${links[0]?.id}`);
    await turns();
    held.resolve();
    expect((await opened).status).toBe(200);
    expect(calls.indexOf('for the owner')).toBeLessThanOrEqual(2);
    for (const { statusCode } of await Promise.all(visits)) expect(statusCode).toBe(200);
  });

  it('are refused to a network that has many of them opened, and not to others', async () => {
    const links = [];
    for (let n = 0; n < 9; n += 1) links.push(await newLink(`recording ${n}`));
    const held = hold();
    const visits = links.slice(0, 8).map(({ token }) => from(1, `/v1/shared/${token}`));
    await turns();
    const other = from(2, `/v1/shared/${links.at(-1)?.token}`);
    await turns();
    held.resolve();
    expect((await other).statusCode).toBe(200);
    const statuses = (await Promise.all(visits)).map(({ statusCode }) => statusCode);
    expect(statuses.toSorted()).toEqual([200, 200, 200, 200, 200, 503, 503, 503]);
  });
});

/** The pitch (Hz) of the tenth of a second around a time in a WAV at 32 kHz, from its zero crossings. */
function pitchAt(clip: Buffer, seconds: number): number {
  const from = Math.round((seconds - 0.05) * 32_000);
  const at = (n: number): number => clip.readInt16LE(44 + 2 * n);
  let crossings = 0;
  for (let n = from; n < from + 3200; n += 1) if (at(n) < 0 !== at(n + 1) < 0) crossings += 1;
  return crossings * 5;
}

it('The audio of a public link is read from the copy if the original is removed meanwhile', async ({ skip }) => {
  const isRead = Promise.withResolvers<void>();
  const reads: string[] = [];
  const changeService = (service: AnalysisService): AnalysisService => ({
    ...service,
    async copySound(...task) {
      await isRead.promise;
      return service.copySound(...task);
    },
    async cutClip(task, signal) {
      reads.push(basename(task.path));
      isRead.resolve();
      if (reads.length === 1) await expect.poll(() => existsSync(task.path)).toBe(false);
      return service.cutClip(task, signal);
    },
  });
  await start({ changeService });
  skip(server.storage.isShared, 'about the folder of one machine: copies of objects stay for a while');
  await predict('moments');
  const { token } = await share(true);
  expect((await visit(soundUrl(token, TIT))).statusCode).toBe(200);
  expect(reads).toEqual(['original', 'moments']);
});

describe.each(['recording', 'moments'])('The audio of a public link to a result whose kept audio is “%s”', (keepAudio) => {
  beforeEach(async () => {
    await start();
    await predict(keepAudio);
  });

  it('is a few seconds around each bird', async () => {
    const { token } = await share(true);
    expect((await shown(token)).birds.map(({ clip }) => clip?.durationSeconds)).toEqual([7, 7]);
    for (const [bird, second] of [
      [CHIFFCHAFF, 1],
      [TIT, 10],
    ] as const) {
      const { rawPayload, headers, statusCode } = await visit(soundUrl(token, bird));
      expect(statusCode).toBe(200);
      expect(headers).toMatchObject({ 'content-type': 'audio/wav', 'accept-ranges': 'bytes', 'cache-control': 'no-store' });
      expect(rawPayload.length).toBe(44 + 7 * 32_000 * 2);
      for (const after of [0, 6])
        expect(pitchAt(rawPayload, after + 0.5), `${bird} + ${after} s`).toBeCloseTo(1000 + 500 * (second + after), -2);
      const { rawPayload: levels } = await visit(pictureUrl(token, bird));
      expect([levels.length % 64, Math.round(levels.length / 640)]).toEqual([0, 10]);
      expect(Math.max(...levels)).toBeGreaterThan(100);
    }
  });

  it('contains only samples and their format, without metadata of the recording', async () => {
    const sent = taggedWav(20).toString('latin1');
    for (const mark of [...Object.keys(written), 'Jane', 'Lavf', '51.76']) expect(sent.includes(mark), mark).toBe(true);
    const { token } = await share(true);
    const response = await visit(soundUrl(token, TIT));
    expectNoSecrets(response);
    expectNoSecrets(await visit(pictureUrl(token, TIT)));
    expectNoSecrets(await visit(`/v1/shared/${token}`));
    const { rawPayload } = response;
    const chunks: string[] = [];
    for (let at = 12; at < rawPayload.length; at += 8 + rawPayload.readUInt32LE(at + 4))
      chunks.push(rawPayload.toString('latin1', at, at + 4));
    expect(chunks).toEqual(['fmt ', 'data']);
  });

  it('is shown as a spectrogram even if the link does not let it be played', async () => {
    const { token } = await share(false);
    const picture = await visit(pictureUrl(token, TIT));
    expect(picture.statusCode).toBe(200);
    expect(new Set(picture.rawPayload).size).toBeGreaterThan(10);
    moveClock(31 * 86_400_000);
    expect((await visit(pictureUrl(token, TIT))).statusCode).toBe(404);
  });

  it('is sent in parts to players that request them', async () => {
    const { token } = await share(true);
    const whole = (await visit(soundUrl(token, TIT))).rawPayload;
    const part = await visit(soundUrl(token, TIT), { range: 'bytes=40-99' });
    expect(part.statusCode).toBe(206);
    expect(part.headers['content-range']).toBe(`bytes 40-99/${whole.length}`);
    expect(part.rawPayload.equals(whole.subarray(40, 100))).toBe(true);
  });

  it('is sent only if the owner allows it, for birds that are shown, and while the audio is kept', async () => {
    const silent = await share(false);
    const { token } = await share(true);
    expect((await shown(silent.token)).birds[0]?.clip?.sound).toBe(false);
    expect((await visit(soundUrl(silent.token, TIT))).statusCode).toBe(404);
    expect((await visit(soundUrl(token, 'Corvus corone'))).statusCode).toBe(404);
    expect((await visit(soundUrl(token, TIT))).statusCode).toBe(200);
    await say(TIT, { verdict: 'rejected' });
    expect((await visit(soundUrl(token, TIT))).statusCode).toBe(404);
    await say(TIT, { verdict: 'corrected', to: WREN });
    expect((await visit(soundUrl(token, WREN))).statusCode).toBe(200);
    moveClock(31 * 86_400_000);
    expect((await shown(token)).birds).toMatchObject([{ clip: null }, { clip: null }]);
    expect((await visit(soundUrl(token, WREN))).statusCode).toBe(404);
  });
});

describe('The page of a public link', () => {
  let pageFolder: string;
  beforeEach(async () => {
    pageFolder = await mkdtemp(join(tmpdir(), 'chiffchaff-page-'));
    await writeFile(join(pageFolder, 'index.html'), '<!doctype html><title>Chiffchaff</title>');
    await start({ pageFolder });
    await predict();
  });
  afterEach(() => rm(pageFolder, { recursive: true, force: true }));

  it('exists as long as the link works, also for programs that show previews of links', async () => {
    const { token, link } = await share();
    for (const headers of [{ accept: 'text/html' }, { accept: '*/*' }]) {
      const page = await visit(`/shared/${token}`, headers);
      expect(page.statusCode).toBe(200);
      expect(page.body).toContain('<!doctype html>');
      expect(page.headers).toMatchObject({
        'cache-control': 'no-store',
        'x-robots-tag': 'noindex, nofollow',
        'referrer-policy': 'no-referrer',
      });
    }
    await owner.send('DELETE', `/v1/account/links/${link.id}`);
    const over = await visit(`/shared/${token}`, { accept: 'text/html' });
    expect(over.statusCode).toBe(404);
    expect(over.body).toContain('<!doctype html>');
    expect(over.headers['x-robots-tag']).toBe('noindex, nofollow');
    expect(JSON.stringify(server.logged)).not.toContain(token);
  });
});
