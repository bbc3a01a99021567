import { createHash } from 'node:crypto';
import { PredictionError } from '@chiffchaff/analysis';
import { predictionSchema, problemBodySchema } from '@chiffchaff/contract';
import { afterEach, describe, expect, it } from 'vitest';
import { BOUNDARY, FORM_TYPE, field, file, form, type Part } from '../testing/multipart.ts';
import { signUp } from '../testing/signed-in.ts';
import { createTestServer, type TestServer, type TestServerOptions } from '../testing/test-server.ts';

let server: TestServer;

afterEach(() => server.close());

async function start(options?: TestServerOptions): Promise<TestServer> {
  server = await createTestServer(options);
  return server;
}

const post = (payload: Buffer | string, headers: Record<string, string> = { 'content-type': FORM_TYPE }) =>
  server.app.inject({ method: 'POST', url: '/get_prediction', payload, headers });
const postForm = (...parts: Part[]) => post(form(parts));

describe('POST /get_prediction', () => {
  it('returns 200 with a prediction for the recording in the field “file”', async () => {
    await start();
    const response = await postForm(file('some sound'));
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toContain('application/json');
    const prediction = predictionSchema.parse(response.json());
    expect(prediction.recording).toMatchObject({
      fileName: 'morning.wav',
      sha256: createHash('sha256').update('some sound').digest('hex'),
    });
    expect(server.analyzer.requests).toMatchObject([{ content: 'some sound', fileName: 'morning.wav' }]);
  });

  it.each(['before', 'after'])('reads the optional fields sent %s the file', async (order) => {
    await start();
    const fields = Object.entries({
      latitude: '52.5',
      longitude: '13.4',
      placeSource: 'file',
      timeZone: 'America/Lima',
      date: '2026-05-31',
      language: 'de-AT',
      minScore: '0.5',
      top: '3',
      overlapSeconds: '2',
      keepAudio: 'nothing',
    }).map(([name, value]) => field(name, value));
    const response = await postForm(...(order === 'before' ? [...fields, file('x')] : [file('x'), ...fields]));
    expect(response.statusCode).toBe(200);
    expect(server.analyzer.requests[0]).toMatchObject({
      latitude: 52.5,
      longitude: 13.4,
      placeSource: 'file',
      week: 20,
      language: 'de-AT',
      minScore: 0.5,
      top: 3,
      overlapSeconds: 2,
    });
  });

  it('says whether the place was stated or assumed from a time zone, and uses no place for an unknown time zone', async () => {
    await start();
    const sourceOf = async (...fields: readonly ReturnType<typeof field>[]) => {
      const { placeSource, timeZone } = (await postForm(file('x'), ...fields)).json().conditions;
      return { placeSource, timeZone };
    };
    const zone = field('timeZone', 'Europe/Kiev');
    const place = [field('latitude', '1'), field('longitude', '2')];
    expect(await sourceOf(zone)).toEqual({ placeSource: 'assumed', timeZone: 'Europe/Kyiv' });
    expect(await sourceOf(zone, ...place)).toEqual({ placeSource: 'stated', timeZone: null });
    expect(await sourceOf(zone, ...place, field('placeSource', 'file'))).toEqual({ placeSource: 'file', timeZone: null });
    for (const unknown of ['UTC', 'Mars/Olympus', '', '☃'])
      expect(await sourceOf(field('timeZone', unknown))).toEqual({ placeSource: 'none', timeZone: null });
  });

  it('uses the default settings for absent or empty fields', async () => {
    await start();
    await postForm(file('x'), field('latitude', ''), field('longitude', ''), field('somethingElse', 'ignored'));
    expect(Object.keys(server.analyzer.requests[0] ?? {}).sort()).toEqual([
      'content',
      'fileName',
      'mostDetections',
      'path',
      'sha256',
    ]);
  });

  it('names every field that is wrong', async () => {
    await start();
    const response = await postForm(file('x'), field('latitude', '91'), field('longitude', '0'), field('top', '0'));
    expect(response.statusCode).toBe(400);
    const problem = problemBodySchema.parse(response.json());
    expect(problem.code).toBe('REQUEST_INVALID');
    expect(problem.errors).toEqual([
      { field: 'latitude', message: 'must be a number from -90 to 90' },
      { field: 'top', message: 'must be a whole number from 1 to 100' },
    ]);
    expect(problem.detail).toContain('latitude must be a number');
  });

  it('lists the available languages when it does not know the requested language', async () => {
    await start();
    const response = await postForm(file('x'), field('language', 'tlh'));
    expect(response.json().errors).toEqual([{ field: 'language', message: 'must be one of en, en_uk, en_us, de, pt' }]);
  });

  it('keeps no file, whatever the response', async () => {
    await start();
    await postForm(file('x'));
    await postForm(file('x'), field('top', 'many'));
    server.analyzer.failWith(new Error('broken'));
    await postForm(file('x'));
    await post(form([file('x')], { end: false }));
    expect(await server.uploadedFiles()).toEqual([]);
  });

  it('returns the problem that stopped the analysis, with its details', async () => {
    await start();
    server.analyzer.failWith(new PredictionError('RECORDING_TOO_SHORT', { foundSeconds: 0.2, minSeconds: 0.5 }));
    const response = await postForm(file('x'));
    expect(response.statusCode).toBe(422);
    expect(response.headers['content-type']).toContain('application/problem+json');
    expect(problemBodySchema.parse(response.json())).toMatchObject({
      type: 'urn:chiffchaff:problem:recording-too-short',
      title: 'Recording too short',
      status: 422,
      detail: 'A recording must be at least half a second long. This one is 0.2 seconds.',
      instance: response.headers['x-request-id'],
      code: 'RECORDING_TOO_SHORT',
      retryable: false,
    });
  });

  it('logs the cause of an unexpected failure and does not reveal it to the client', async () => {
    await start();
    server.analyzer.failWith(new Error('the disk is on fire'));
    const response = await postForm(file('x'));
    expect(response.statusCode).toBe(500);
    expect(response.body).not.toContain('fire');
    expect(response.json()).toMatchObject({ code: 'INTERNAL', retryable: true });
    const line = server.logged.find(({ level }) => level === 50);
    expect(JSON.stringify(line)).toContain('the disk is on fire');
    expect(response.json().detail).toContain(`Reference ${line?.predictionId}.`);
  });

  it.each([
    ['MODEL_NOT_INSTALLED', 'The model is not installed yet.'],
    ['DECODER_NOT_INSTALLED', 'The program that reads recordings (ffmpeg) is not installed yet.'],
  ] as const)('returns 503 %s, before it reads the request body', async (code, detail) => {
    await start({ missing: [code] });
    const response = await postForm(file('x'));
    expect(response.statusCode).toBe(503);
    expect(response.json()).toMatchObject({ code, detail, retryable: true });
  });

  it('requires sign-in unless predictions need no account', async () => {
    await start({ environment: { OPEN_PREDICTION: 'false' } });
    const response = await postForm(file('x'));
    expect(response.statusCode).toBe(401);
    expect(response.json()).toMatchObject({ code: 'SIGN_IN_REQUIRED', detail: 'Please sign in.' });
  });

  it('logs one line about the request and one about the prediction, without file name, place or content', async () => {
    await start();
    const parts = [file('x', 'private-diary.wav'), field('latitude', '52.987'), field('longitude', '13.4')];
    await server.app.inject({
      method: 'POST',
      url: '/get_prediction?token=secret',
      payload: form(parts),
      headers: { 'content-type': FORM_TYPE, authorization: 'Bearer secret' },
    });
    const lines = server.logged.filter(({ level }) => level === 30);
    expect(lines.map(({ msg }) => msg)).toEqual(['prediction', 'request']);
    expect(lines[0]).toMatchObject({ model: 'fake', audioSeconds: 3, decodeMs: 1, inferenceMs: 2, bytes: 1 });
    expect(lines[1]).toMatchObject({ method: 'POST', path: '/get_prediction', status: 200 });
    expect(JSON.stringify(server.logged)).not.toMatch(/private|secret|52\.987/);
  });

  it('logs a path with a colon as it was requested', async () => {
    await start();
    await signUp(server, 'walker@example.org');
    expect(server.logged).toContainEqual(expect.objectContaining({ method: 'POST', path: '/v1/accounts:signUp' }));
  });
});

describe('A form sent to POST /get_prediction', () => {
  const wrong: [what: string, status: number, code: string, payload: Buffer | string, headers?: Record<string, string>][] = [
    ['no file', 400, 'FILE_MISSING', form([field('latitude', '1')])],
    ['no part at all', 400, 'FILE_MISSING', form([])],
    ['a file field that was left empty', 400, 'FILE_MISSING', form([file('', '', 'application/octet-stream')])],
    ['the recording in another field', 400, 'FILE_MISSING', form([file('x', 'x.wav', 'audio/wav', 'recording')])],
    ['two files', 400, 'REQUEST_INVALID', form([file('x'), file('y')])],
    ['a field twice', 400, 'REQUEST_INVALID', form([file('x'), field('top', '1'), field('top', '2')])],
    ['a huge field', 400, 'REQUEST_INVALID', form([field('language', 'x'.repeat(900_000)), file('x')])],
    ['endless fields', 400, 'REQUEST_INVALID', form([...Array.from({ length: 5000 }, (_, n) => field(`f${n}`, 'x')), file('x')])],
    ['another boundary than it says', 400, 'REQUEST_INVALID', form([file('x')], { boundary: 'another' })],
    ['another boundary in a long body', 400, 'REQUEST_INVALID', form([file('x'.repeat(300_000))], { boundary: 'another' })],
    ['an end in the middle of the file', 400, 'REQUEST_INVALID', form([file('x'.repeat(100_000))], { end: false })],
    ['an end in the middle of a field', 400, 'REQUEST_INVALID', form([file('x'), field('top', '1')]).subarray(0, -30)],
    ['no boundary', 400, 'REQUEST_INVALID', form([file('x')]), { 'content-type': 'multipart/form-data' }],
    ['no content type', 400, 'FILE_MISSING', form([file('x')]), {}],
    ['another content type', 400, 'FILE_MISSING', '{"file": "x"}', { 'content-type': 'application/json' }],
    ['the bare recording', 400, 'FILE_MISSING', 'RIFF', { 'content-type': 'audio/wav' }],
    ['an empty body', 400, 'REQUEST_INVALID', '', { 'content-type': FORM_TYPE }],
    ['a broken content type', 400, 'REQUEST_INVALID', form([file('x')]), { 'content-type': ';;;' }],
    ['a file that is too large', 413, 'RECORDING_TOO_LARGE', form([file('x'.repeat(1001))])],
    ['too large a file, announced', 413, 'RECORDING_TOO_LARGE', form([file('x'.repeat(400_000))])],
  ];

  it.each(wrong)('with %s is answered %i %s', async (_what, status, code, payload, headers) => {
    await start({ environment: { MAX_UPLOAD_BYTES: code === 'RECORDING_TOO_LARGE' ? '1000' : '1000000' } });
    const response = await post(payload, headers);
    expect(response.json()).toMatchObject({ status, code });
    expect(response.statusCode).toBe(status);
    expect(server.analyzer.requests).toEqual([]);
    expect(await server.uploadedFiles()).toEqual([]);
  });

  it('may state a wrong media type: the content decides', async () => {
    await start();
    const asText: Part = {
      headers: ['Content-Disposition: form-data; name="file"', 'Content-Type: text/plain'],
      content: 'sound',
    };
    expect((await postForm(asText)).statusCode).toBe(200);
    expect((await postForm(file('sound', 'x.exe', 'application/x-msdownload'))).statusCode).toBe(200);
    expect(server.analyzer.requests.map(({ content }) => content)).toEqual(['sound', 'sound']);
  });

  it.each([
    ['a path', '../../etc/passwd', 'passwd'],
    ['a path of Windows', 'C:\\fakepath\\dawn.wav', 'dawn.wav'],
    ['10,000 characters', `${'x'.repeat(10_000)}.wav`, 'x'.repeat(255)],
    ['the folder above', '..', '..'],
    ['quotes', 'a %22singing%22 wren.wav', 'a "singing" wren.wav'],
    ['a change of direction', 'evil\u202Evaw.exe', 'evilvaw.exe'],
  ])('can have %s as the file name, which never becomes a path', async (_what, sent, shown) => {
    await start();
    const response = await postForm(file('x', sent));
    expect(response.statusCode).toBe(200);
    expect(response.json().recording.fileName).toBe(shown);
    expect(server.analyzer.requests[0]?.path.startsWith(server.dataDir)).toBe(true);
    expect(server.analyzer.requests[0]?.path).toMatch(/[0-9a-f-]{36}$/);
  });

  it('can have a recording of exactly the largest size', async () => {
    await start({ environment: { MAX_UPLOAD_BYTES: '1000' } });
    expect((await postForm(file('x'.repeat(1000)))).statusCode).toBe(200);
  });

  it('can have fields named like properties of every JavaScript object', async () => {
    await start();
    expect((await postForm(file('x'), field('__proto__', 'x'), field('constructor', 'y'))).statusCode).toBe(200);
  });

  it('can have a boundary that the recording nearly contains', async () => {
    await start();
    const content = `\r\n--${BOUNDARY.slice(0, -1)}\r\n--${BOUNDARY} no\r\n`.replace(`${BOUNDARY} no`, BOUNDARY.slice(0, -2));
    expect((await postForm(file(content))).statusCode).toBe(200);
    expect(server.analyzer.requests[0]?.content).toBe(content);
  });
});
