import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeWav } from '@chiffchaff/analysis/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { moveClock } from '../../testing/move-clock.ts';
import { createTestServer, type TestServer, type TestServerOptions } from '../../testing/test-server.ts';
import { createSpeciesPictures } from './species-pictures.ts';
import type { FoundPicture, Wikimedia } from './wikimedia.ts';

const JPEG = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(2000, 7)]);
const WREN = '/v1/species/Troglodytes%20troglodytes/picture';
const SONG = '/v1/species/Troglodytes%20troglodytes/song';

/** Responds like Wikipedia, Wikimedia Commons and its file server, or as a test wishes. */
async function startStandIn() {
  const asked: { readonly url: URL; readonly userAgent: string | undefined }[] = [];
  const answers: { [part: string]: (response: ServerResponse) => void } = {};
  let origin = '';
  let atOnce = 0;
  const most = { atOnce: 0 };
  const json = (value: unknown) => (response: ServerResponse) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
  const file = (extmetadata: object) => ({
    thumburl: `${origin}/files/Wren.jpg/640px-Wren.jpg`,
    thumbwidth: 640,
    thumbheight: 480,
    url: `${origin}/files/Wren.jpg`,
    descriptionurl: 'https://commons.wikimedia.org/wiki/File:Wren.jpg',
    extmetadata,
  });
  const http = createHttpServer((request, response) => {
    const url = new URL(request.url ?? '', origin);
    asked.push({ url, userAgent: request.headers['user-agent'] });
    atOnce += 1;
    most.atOnce = Math.max(most.atOnce, atOnce);
    response.on('close', () => {
      atOnce -= 1;
    });
    const part = url.pathname.startsWith('/files/')
      ? 'image'
      : (url.searchParams.get('generator') ?? url.searchParams.get('prop') ?? '');
    (answers[part] ?? ((none: ServerResponse) => none.writeHead(400).end()))(response);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const standIn = {
    asked,
    most,
    answers,
    json,
    hosts: { wikipedia: origin, commons: origin, files: `${origin}/files` },
    license(extmetadata: object) {
      answers.imageinfo = json({ query: { pages: [{ title: 'File:Wren.jpg', imageinfo: [file(extmetadata)] }] } });
    },
    async close() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  answers.pageimages = json({ query: { pages: [{ pageid: 1, title: 'Eurasian wren', pageimage: 'Wren.jpg' }] } });
  standIn.license({
    Artist: { value: '<a href="//commons.wikimedia.org/wiki/User:X"><b>Jane &amp; Joe</b></a>' },
    LicenseShortName: { value: 'CC BY-SA 4.0' },
    LicenseUrl: { value: 'http://creativecommons.org/licenses/by-sa/4.0' },
  });
  answers.image = (response) => response.setHeader('content-type', 'image/jpeg').end(JPEG);
  return standIn;
}

let standIn: Awaited<ReturnType<typeof startStandIn>>;
let server: TestServer;

const fixedSettings = { speciesPictures: 'wikimedia', contactEmail: 'operator@example.org' };
async function open(options: TestServerOptions = {}) {
  server = await createTestServer({
    wikimediaHosts: standIn.hosts,
    fixedSettings,
    ...options,
  });
}
const get = (path: string) => server.app.inject(path);

beforeEach(async () => {
  standIn = await startStandIn();
});
afterEach(async () => {
  await server.close();
  await standIn.close();
});

describe('A picture of a bird', () => {
  it('has author and licence, and is fetched once, in requests that name the operator and no visitor', async () => {
    await open();
    const asked = await Promise.all([get(WREN), get(WREN), get('/v1/species/Nannus%20troglodytes/picture')]);
    for (const response of asked) {
      expect(response.json()).toEqual({
        path: '/v1/species/Troglodytes%20troglodytes/picture/image',
        ...{ width: 640, height: 480 },
        ...{ author: 'Jane & Joe', licence: 'CC BY-SA 4.0', licenceUrl: 'https://creativecommons.org/licenses/by-sa/4.0' },
        sourceUrl: 'https://commons.wikimedia.org/wiki/File:Wren.jpg',
      });
    }
    expect(asked[0]?.headers['cache-control']).toBe('public, max-age=86400');
    const image = await get(asked[0]?.json().path);
    expect(image.rawPayload.equals(JPEG)).toBe(true);
    expect(image.headers).toMatchObject({ 'content-type': 'image/jpeg', 'x-content-type-options': 'nosniff' });
    expect(standIn.asked.map(({ url }) => url.searchParams.get('titles') ?? url.pathname)).toEqual([
      'Troglodytes troglodytes',
      'File:Wren.jpg',
      '/files/Wren.jpg/640px-Wren.jpg',
    ]);
    for (const { userAgent } of standIn.asked) expect(userAgent).toMatch(/^Chiffchaff\/\d.* \(.*operator@example\.org\)$/);
    expect((await get('/config.json')).json().speciesPictures).toBe(true);
  });

  it.each([
    ['no setting asks for it', {}],
    ['the operator does not want it', { ...fixedSettings, speciesPictures: 'off' }],
    ['Wikimedia could not reach the operator', { speciesPictures: 'wikimedia' }],
  ])('is not requested if %s', async (_why, given) => {
    await open({ fixedSettings: given });
    expect((await get(WREN)).statusCode).toBe(404);
    expect((await get(`${WREN}/image`)).statusCode).toBe(404);
    expect((await get('/config.json')).json().speciesPictures).toBe(false);
    expect(standIn.asked).toEqual([]);
  });

  it('is requested only for species that the model knows', async () => {
    await open();
    expect((await get('/v1/species/Rara%20avis/picture')).statusCode).toBe(404);
    expect(standIn.asked).toEqual([]);
  });

  it.each<[string, (wikimedia: typeof standIn) => void]>([
    ['there is no article', ({ answers, json }) => (answers.pageimages = json({ query: { pages: [{ missing: true }] } }))],
    [
      'the article has no free picture',
      ({ answers, json }) => (answers.pageimages = json({ query: { pages: [{ pageid: 1 }] } })),
    ],
    ['Commons has no such file', ({ answers, json }) => (answers.imageinfo = json({ query: { pages: [{ missing: true }] } }))],
    ['no licence is named', ({ license }) => license([])],
    ['the licence is not free', ({ license }) => license({ Artist: { value: 'X' }, LicenseShortName: { value: 'Fair use' } })],
    ['the author is not named', ({ license }) => license({ LicenseShortName: { value: 'CC BY 4.0' } })],
    [
      'the image is SVG',
      ({ answers }) => (answers.image = (to) => to.setHeader('content-type', 'image/jpeg').end('<svg onload="x"/>')),
    ],
    ['the image is gone', ({ answers }) => (answers.image = (to) => to.writeHead(404).end())],
    ['the image is huge', ({ answers }) => (answers.image = (to) => to.end(Buffer.concat([JPEG, Buffer.alloc(2 ** 21)])))],
  ])('is not requested again for a week if %s', async (_why, change) => {
    change(standIn);
    await open();
    expect((await get(WREN)).statusCode).toBe(404);
    const { length } = standIn.asked;
    moveClock(6 * 86_400_000);
    expect((await get(WREN)).statusCode).toBe(404);
    expect(standIn.asked).toHaveLength(length);
    moveClock(7 * 86_400_000 + 1);
    expect((await get(WREN)).statusCode).toBe(404);
    expect(standIn.asked.length).toBeGreaterThan(length);
  });

  it.each<[string, (wikimedia: typeof standIn) => void]>([
    ['is out of order', ({ answers }) => (answers.pageimages = (to) => to.writeHead(503).end())],
    ['answers with something other than JSON', ({ answers }) => (answers.pageimages = (to) => to.end('<!doctype html>'))],
    ['answers otherwise than documented', ({ answers, json }) => (answers.pageimages = json({ query: {} }))],
    [
      'redirects to another host',
      ({ answers }) => (answers.image = (to) => to.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()),
    ],
    [
      'ends its response in the middle',
      ({ answers }) => (answers.image = (to) => to.writeHead(200, { 'content-length': 99 }).write('x', () => to.destroy())),
    ],
    ['answers endlessly', ({ answers }) => (answers.pageimages = (to) => to.end(Buffer.alloc(300_000, 32)))],
  ])('is requested again a minute later if Wikimedia %s', async (_why, change) => {
    const before = { ...standIn.answers };
    change(standIn);
    await open();
    expect((await get(WREN)).statusCode).toBe(404);
    const { length } = standIn.asked;
    expect((await get(WREN)).statusCode).toBe(404);
    expect(standIn.asked).toHaveLength(length);
    expect(server.logged.filter(({ msg }) => msg === 'a picture of a bird could not be fetched')).toHaveLength(1);
    Object.assign(standIn.answers, before);
    moveClock(60_001);
    expect((await get(WREN)).statusCode).toBe(200);
  });

  it('is refused after a short wait if Wikimedia is slow, and returned to a later request', async () => {
    const slow = Promise.withResolvers<void>();
    const { image } = standIn.answers;
    standIn.answers.image = (response) => void slow.promise.then(() => image?.(response));
    await open({ limits: { pictureMs: 50 } });
    const busy = await get(WREN);
    expect(busy.json()).toMatchObject({ code: 'SERVER_BUSY', status: 503 });
    expect(busy.headers['retry-after']).toBe('5');
    slow.resolve();
    await expect.poll(async () => (await get(WREN)).statusCode).toBe(200);
    expect(standIn.most.atOnce).toBe(1);
  });

  const size = { width: 640, height: 480 };
  const picture: FoundPicture = {
    ...{ bytes: JPEG, type: 'image/jpeg', ...size },
    ...{ author: null, licence: 'CC0', licenceUrl: null, sourceUrl: '' },
  };
  const visitorFrom = (network: string) => ({ owner: `network ${network}`, isVisitor: true });

  it('is fetched for another network although one network requests more pictures than can wait', async () => {
    await open();
    const gate = Promise.withResolvers<void>();
    const found: string[] = [];
    const wikimedia: Pick<Wikimedia, 'find'> = {
      async find(name) {
        found.push(name);
        await gate.promise;
        return picture;
      },
    };
    const options = { storage: server.storage, wikimedia, log: { warn: expect.unreachable }, patienceMs: 60_000 };
    const pictures = createSpeciesPictures(options);
    const asked = Promise.allSettled(Array.from({ length: 25 }, (_, n) => pictures.find(`Avis ${n}`, visitorFrom('a'))));
    await expect.poll(() => found).toHaveLength(1);
    const ofOther = pictures.find('Rara avis', visitorFrom('b'));
    // Lets it get as far as it can.
    for (let n = 0; n < 20; n += 1) await get('/healthz');
    gate.resolve();
    expect(await ofOther).toMatchObject({ licence: 'CC0' });
    expect(found.indexOf('Rara avis')).toBeLessThanOrEqual(2);
    const refused = (await asked).filter(({ status }) => status === 'rejected');
    expect(refused).toEqual(Array(5).fill(expect.objectContaining({ reason: expect.objectContaining({ code: 'SERVER_BUSY' }) })));
    await pictures.close();
  });

  it('is removed with its details, the oldest first, when the stored pictures take too much space', async () => {
    await open();
    const found: string[] = [];
    const wikimedia: Pick<Wikimedia, 'find'> = {
      async find(name) {
        found.push(name);
        return picture;
      },
    };
    const log = { warn: expect.unreachable };
    const pictures = createSpeciesPictures({
      storage: server.storage,
      wikimedia,
      log,
      patienceMs: 1000,
      mostBytes: 2 * JPEG.length,
    });
    for (const name of ['Aa', 'Bb', 'Aa', 'Cc', 'Bb', 'Aa']) {
      expect(await pictures.find(name, visitorFrom('a'))).toMatchObject({ licence: 'CC0' });
      // Ages are measured by the storage's clock, in whole seconds with a bucket.
      // biome-ignore lint/plugin: sleeps; to become a gate
      await new Promise((resolve) => setTimeout(resolve, server.storage.isShared ? 1100 : 20));
    }
    expect(found).toEqual(['Aa', 'Bb', 'Cc', 'Aa']);
    await pictures.close();
  });
});

describe('A reference song of a bird', () => {
  const CC0 = { LicenseShortName: { value: 'CC0' } };
  const sound = (index: number, name: string, part: object = {}) => ({
    ...{ title: `File:Troglodytes troglodytes ${name}.wav`, index },
    imageinfo: [
      { url: `${standIn.hosts.files}/${name}.wav`, size: 9, duration: 2, mime: 'audio/wav', extmetadata: CC0, ...part },
    ],
  });
  const find = (...pages: readonly object[]) => (standIn.answers.search = standIn.json({ query: { pages } }));
  const filesAsked = () => standIn.asked.flatMap(({ url }) => (url.pathname.startsWith('/files/') ? url.pathname : []));
  beforeEach(() => {
    standIn.answers.image = (response) => response.end(makeWav({ seconds: 2, sampleRate: 48_000, channels: 2 }));
  });

  it('is the best match of at most a minute with a free licence, and is converted, kept and sent in parts', async () => {
    const by = { Artist: { value: '<a>Jane</a>' }, LicenseShortName: { value: 'CC BY-SA 4.0' } };
    find(
      sound(4, 'later'),
      sound(3, 'best', { extmetadata: by }),
      sound(1, 'long', { duration: 61 }),
      sound(2, 'unfree', { extmetadata: { LicenseShortName: { value: 'Fair use' } } }),
    );
    await open();
    const song = await get(SONG);
    expect(song.json()).toEqual({
      ...{ path: `${SONG}/sound`, durationSeconds: 2, author: 'Jane', licence: 'CC BY-SA 4.0', licenceUrl: null },
      sourceUrl: 'https://commons.wikimedia.org/wiki/File:Troglodytes_troglodytes_best.wav',
    });
    expect(standIn.asked[0]?.url.searchParams.get('gsrsearch')).toBe('filetype:audio intitle:"Troglodytes troglodytes"');
    const whole = await get(`${SONG}/sound`);
    expect(whole.headers).toMatchObject({ 'content-type': 'audio/wav', 'x-content-type-options': 'nosniff' });
    // One channel of 16 bits at 32 kHz, whatever was uploaded.
    expect(whole.rawPayload).toHaveLength(44 + 2 * 32_000 * 2);
    const part = await server.app.inject({ url: `${SONG}/sound`, headers: { range: 'bytes=0-3' } });
    expect([part.statusCode, part.body]).toEqual([206, 'RIFF']);
    expect(filesAsked()).toEqual(['/files/best.wav']);
  });

  it.each<[string, () => void]>([
    ['nothing is found', () => (standIn.answers.search = standIn.json({ batchcomplete: true }))],
    ['its length is not stated', () => find(sound(1, 'x', { duration: undefined }))],
    ['the file is on another host', () => find(sound(1, 'x', { url: 'https://example.org/x.wav' }))],
    [
      'the file contains no audio',
      () => {
        find(sound(1, 'x'));
        standIn.answers.image = (response) => response.end(Buffer.alloc(5000, '<svg onload="x"/>'));
      },
    ],
    [
      'the file is larger than a minute of audio can be',
      () => {
        find(sound(1, 'x'));
        standIn.answers.image = (response) => response.end(makeWav({ seconds: 140, sampleRate: 48_000 }));
      },
    ],
  ])('is answered 404, and not requested from Wikimedia again, if %s', async (_why, change) => {
    change();
    await open();
    expect((await get(SONG)).statusCode).toBe(404);
    const { length } = standIn.asked;
    expect((await get(`${SONG}/sound`)).statusCode).toBe(404);
    expect(standIn.asked).toHaveLength(length);
    expect(server.logged.filter(({ msg }) => msg === 'a song of a bird could not be fetched')).toEqual([]);
  });

  it('is cut after a minute if the file is longer than Wikimedia Commons states', async () => {
    find(sound(1, 'x'));
    standIn.answers.image = (response) => response.end(makeWav({ seconds: 90, sampleRate: 16_000 }));
    await open();
    await get(SONG);
    expect((await get(`${SONG}/sound`)).headers['content-length']).toBe(String(44 + 60 * 32_000 * 2));
  });
});
