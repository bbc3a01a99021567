import { createHash } from 'node:crypto';
import { mkdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onDeviceModelSchema, problemBodySchema } from '@chiffchaff/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestServer, type TestServer } from '../testing/test-server.ts';

const description = fileURLToPath(new URL('../../../../models/birdnet-v2.4/', import.meta.url));
const sha256Of = (content: string): string => createHash('sha256').update(content).digest('hex');

const graph = 'the graph';
const weights = '0123456789 the weights';
const labels = 'Turdus merula_Blackbird';

let server: TestServer;
beforeEach(async () => {
  server = await createTestServer();
});
afterEach(() => server.close());

/** Installs a model, with files of a few words each. */
async function install({ dataDir }: TestServer, notice = 'who made it'): Promise<string> {
  const folder = join(dataDir, 'models', 'birdnet-v2.4');
  const read = async (name: string) => JSON.parse(await readFile(join(description, name), 'utf8'));
  const template = await read('manifest.json');
  const graphOf = (file: string, content: string, large: string) => ({
    file,
    sha256: sha256Of(content),
    weights: { file: file.replace(/(\.json)?$/, '.data'), sha256: sha256Of(large) },
  });
  const others: Record<string, string> = {
    'non-birds.txt': '',
    'aliases.tsv': '',
    'confidence-evidence.json': '{}',
    'names/de.txt': 'Turdus merula_Amsel',
    LICENSE: 'the terms',
    NOTICE: notice,
  };
  const manifest = {
    ...template,
    audio: { ...template.audio, ...graphOf('audio.onnx', 'of the server', 'of the server') },
    webAudio: graphOf('audio.web.json', graph, weights),
    occurrence: null,
    labels: { ...template.labels, sha256: sha256Of(labels), count: 1 },
    calibration: await read('calibration.json'),
    files: Object.fromEntries(Object.entries(others).map(([name, content]) => [name, sha256Of(content)])),
  };
  const files: Record<string, string> = {
    'manifest.json': JSON.stringify(manifest),
    'audio.onnx': 'of the server',
    'audio.onnx.data': 'of the server',
    'labels.txt': labels,
    'audio.web.json': graph,
    'audio.web.data': weights,
    ...others,
  };
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}

const get = (url: string, headers: Record<string, string> = {}) => server.app.inject({ url, headers });
const offered = async () => onDeviceModelSchema.parse((await get('/v1/on-device/model')).json());
const addressOf = async (name: string) => (await offered()).files.find((file) => file.name === name)?.url ?? '';

describe('The model for browsers', () => {
  it('is listed with its licence, and each file has a permanent address with its hash', async () => {
    await install(server);
    const { licence, attribution, files } = await offered();
    expect({ licence, attribution }).toMatchObject({
      licence: 'CC-BY-NC-SA-4.0',
      attribution: expect.stringContaining('Powered by BirdNET'),
    });
    expect(files.map(({ name }) => name)).toEqual([
      'manifest.json',
      'audio.web.json',
      'audio.web.data',
      'labels.txt',
      'non-birds.txt',
      'names/de.txt',
      'LICENSE',
      'NOTICE',
    ]);
    for (const { url, bytes, sha256 } of files) {
      const { statusCode, headers, body } = await get(url);
      expect([statusCode, body.length, sha256Of(body)]).toEqual([200, bytes, sha256]);
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(headers['x-content-type-options']).toBe('nosniff');
    }
    expect((await get(await addressOf('NOTICE'))).headers['content-type']).toBe('text/plain; charset=utf-8');
  });

  it('is sent in parts, so that an interrupted download continues', async () => {
    await install(server);
    const url = await addressOf('audio.web.data');
    const part = await get(url, { range: 'bytes=11-' });
    expect([part.statusCode, part.body, part.headers['content-range']]).toEqual([206, 'the weights', 'bytes 11-21/22']);
    expect((await get(url, { range: 'bytes=500-' })).statusCode).toBe(416);
  });

  it.each(['audio.onnx', 'audio.onnx.data', '..%2Fmanifest.json', 'installation.json'])(
    'does not include the file %s of the model folder',
    async (name) => {
      await install(server);
      const { statusCode } = await get(`/v1/on-device/model/${sha256Of('of the server')}/${name}`);
      expect(statusCode).toBe(404);
      expect((await get(`/v1/on-device/model/${sha256Of(graph)}/${name}`)).statusCode).toBe(404);
    },
  );

  it('has another address for a file that a new installation changed; the former address is answered 404', async () => {
    await install(server);
    const before = await addressOf('NOTICE');
    const folder = await install(server, 'who changed it');
    await utimes(folder, 1, 1);
    const after = await addressOf('NOTICE');
    expect(after).not.toBe(before);
    expect([(await get(before)).statusCode, (await get(after)).body]).toEqual([404, 'who changed it']);
  });

  it('is not offered if none is installed', async () => {
    expect((await get('/v1/on-device/model')).statusCode).toBe(404);
  });
});

describe('GET /v1/occurrences', () => {
  it('rounds the place to a tenth of a degree and can be cached', async () => {
    const { statusCode, headers, rawPayload } = await get('/v1/occurrences?latitude=5.06&longitude=-12.94&week=20');
    expect([statusCode, [...rawPayload]]).toEqual([200, [51, 129, 20]]);
    expect(headers['content-type']).toBe('application/octet-stream');
    expect(headers['cache-control']).toBe('public, max-age=86400');
    expect([...(await get('/v1/occurrences?latitude=5.1&longitude=-12.9')).rawPayload]).toEqual([51, 129, 0]);
  });

  it('returns the occurrences for a time zone, if the towns of that zone are known', async () => {
    expect([...(await get('/v1/occurrences?timeZone=Europe/Kiev')).rawPayload]).toEqual([7, 0, 255]);
    expect((await get('/v1/occurrences?timeZone=Mars/Olympus')).statusCode).toBe(404);
  });

  it.each([
    ['', ['timeZone']],
    ['?latitude=1', ['longitude']],
    ['?latitude=91&longitude=0', ['latitude']],
    ['?latitude=1&longitude=0&week=49', ['week']],
    ['?latitude=1&longitude=0&timeZone=Europe/Kiev', ['timeZone']],
    ['?timeZone=Europe/Kiev&week=3', ['week']],
  ])('refuses %j and names what is wrong with it', async (query, fields) => {
    const response = await get(`/v1/occurrences${query}`);
    expect(response.statusCode).toBe(400);
    expect(problemBodySchema.parse(response.json()).errors?.map(({ field }) => field)).toEqual(fields);
  });
});

it('GET /v1/on-device/regions returns the regions of each label', async () => {
  const { statusCode, headers, body } = await get('/v1/on-device/regions');
  expect([statusCode, body]).toEqual([200, 'GB 155\n\nDE']);
  expect(headers['content-type']).toBe('text/plain; charset=utf-8');
});

it('GET /v1/on-device/zones returns the occurrences of each label, time zone by time zone', async () => {
  const { statusCode, headers, rawPayload } = await get('/v1/on-device/zones');
  expect([statusCode, [...rawPayload]]).toEqual([200, [1, 0, 255, 7, 0, 9]]);
  expect(headers['content-type']).toBe('application/octet-stream');
});

describe('The variable ON_DEVICE_MODEL', () => {
  const policyOf = async () => String((await get('/healthz')).headers['content-security-policy']);

  it('by default lets the page run WebAssembly, but no other generated code', async () => {
    expect(await policyOf()).toContain("script-src 'self' 'wasm-unsafe-eval';");
  });

  it('set to off offers browsers no model, and does not let the page run WebAssembly', async () => {
    await server.close();
    server = await createTestServer({ environment: { ON_DEVICE_MODEL: 'off' } });
    await install(server);
    for (const url of [
      '/v1/on-device/model',
      `/v1/on-device/model/${sha256Of(graph)}/audio.web.json`,
      '/v1/occurrences?latitude=1&longitude=1',
      '/v1/on-device/regions',
      '/v1/on-device/zones',
    ]) {
      expect((await get(url)).statusCode).toBe(404);
    }
    expect(await policyOf()).toContain("script-src 'self';");
  });
});
