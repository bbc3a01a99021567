import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REVIEW_TOKEN_HEADER } from '@chiffchaff/contract';
import { labelsHeader, readLabels, surveyCsvHeader } from '@chiffchaff/survey';
import { eventually } from '@chiffchaff/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exitCode } from '../command-error.ts';
import { createCapturedTerminal } from '../testing/captured-terminal.ts';
import { makeWave } from '../testing/fake-wave.ts';
import { readOptions } from '../testing/read-options.ts';
import { reviewCommand } from './options.ts';
import { runReview } from './run-review.ts';

let outer: string;
let folder: string;
let stop: (() => Promise<unknown>) | null = null;
const header = surveyCsvHeader().trimEnd().split(',');
const bird = (file: string, start: number, confidence: number, name = 'Parus major', hidden = 'false') => {
  const cells: Readonly<Record<string, string | number>> = {
    ...{ 'Start (s)': start, 'End (s)': start + 3, 'Scientific name': name, 'Common name': `The ${name}` },
    ...{ Score: confidence, Confidence: confidence, File: file, Hidden: hidden },
  };
  return header.map((column) => cells[column] ?? '').join(',');
};
const put = async (path: string, content: string | Uint8Array) => {
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, content);
};

beforeEach(async () => {
  outer = await mkdtemp(join(tmpdir(), 'chiffchaff-review-'));
  folder = join(outer, 'opened');
  await put(join(outer, 'page/review.html'), '<title>Review</title>');
  await put(join(outer, 'page/assets/a.js'), 'export {};');
  await put(join(outer, 'page/other.html'), 'not of the review');
  await put(join(outer, 'secret.wav'), makeWave({ seconds: 3, sampleRate: 8000 }));
  await put(join(folder, 'card/a.wav'), makeWave({ seconds: 12, sampleRate: 8000 }));
  await symlink(join(outer, 'secret.wav'), join(folder, 'card/linked.wav'));
  const rows = [
    ...[
      bird('card/a.wav', 0, 0.9),
      bird('card/a.wav', 6, 0.4),
      bird('card/a.wav', 9, 0.6),
      bird('card/a.wav', 3, 0, 'Apus apus', 'true'),
    ],
    ...['../secret.wav', join(outer, 'secret.wav'), 'card/linked.wav', 'card', 'none.wav'].map((file) => bird(file, 0, 0.9)),
  ];
  await put(join(folder, 'birds.csv'), `${[header.join(','), ...rows].join('\n')}\n`);
});
afterEach(async () => {
  await stop?.();
  stop = null;
  await rm(outer, { recursive: true });
});

async function start(...args: readonly string[]) {
  const terminal = createCapturedTerminal();
  const ending = new AbortController();
  const running = runReview(readOptions(reviewCommand, [...args]), {
    ...{ config: { startFolder: folder }, terminal, signal: ending.signal, pageFolder: join(outer, 'page') },
    // Plain WAV needs no ffmpeg.
    findFfmpeg: async () => '/nonexistent/ffmpeg',
    openSpecies: async () => ({ species: async (name) => (name === 'Blue Tit' ? 'Cyanistes caeruleus' : null) }),
  });
  stop = async () => {
    ending.abort();
    return running;
  };
  await Promise.race([eventually(() => expect(terminal.written()).toContain('http')), running]);
  const [, port = '', token = ''] = /^http:\/\/127\.0\.0\.1:(\d+)\/#([\w-]{22})\n$/.exec(terminal.written()) ?? [];
  /** Sends path and headers unchanged, which `fetch` would not. */
  const ask = (
    path: string,
    headers: Record<string, string> = { [REVIEW_TOKEN_HEADER]: token },
    body?: unknown,
    method?: string,
  ) =>
    new Promise<{ status: number | undefined; bytes: Buffer; headers: NodeJS.Dict<string | string[]> }>((done, fail) => {
      const sent = request(
        {
          ...{ host: '127.0.0.1', port, path, method: method ?? (body === undefined ? 'GET' : 'POST') },
          headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        },
        (response) => {
          const pieces: Buffer[] = [];
          response.on('data', (piece: Buffer) => pieces.push(piece));
          response.on('end', () =>
            done({ status: response.statusCode, bytes: Buffer.concat(pieces), headers: response.headers }),
          );
        },
      );
      sent.on('error', fail).end(body === undefined ? undefined : JSON.stringify(body));
    });
  const call = async (name: string, body?: unknown) => {
    const { status, bytes } = await ask(`/review/${name}`, undefined, body);
    return { status, ...JSON.parse(String(bytes)) };
  };
  return { terminal, port, token, ask, call, end: () => stop?.() };
}
const labels = async () => readLabels(await readFile(join(folder, 'labels.csv'), 'utf8'), 'labels.csv');

describe('`chiffchaff review`', () => {
  it('leaves out detections below the given thresholds, but not those that a label rejects', async () => {
    await put(join(folder, 't.csv'), 'Scientific name,Threshold\nParus major,0.5\n');
    await put(join(folder, 'labels.csv'), `${labelsHeader()}l1,2026-06-01T10:00:00Z,Ada,card/a.wav,9,12,Parus major,0.6,no,,\n`);
    const { call, terminal } = await start('birds.csv', '--thresholds', 't.csv');
    expect(await call('state')).toMatchObject({ species: [{ detections: 2, labels: 1, right: 0, needsLabels: true }] });
    expect(terminal.said()).toContain('Left out: 1 detection below the threshold of its species.\n');
  });

  it('shows clips, adds labels and takes them back, and continues where it ended', async () => {
    const first = await start('birds.csv', '--by', 'Ada');
    expect(await first.call('state')).toMatchObject({
      ...{ status: 200, target: 0.95, labelsName: 'labels.csv', canUndo: false },
      species: [{ scientificName: 'Parus major', commonName: 'The Parus major', detections: 3, labels: 0, precision: null }],
    });
    const shown = (await first.call('next', { species: null, held: [] })).clip;
    expect(shown).toMatchObject({ file: 'card/a.wav', scientificName: 'Parus major' });
    const sound = await first.ask(`/review/clips/${shown.id}`);
    expect(sound).toMatchObject({ status: 200, headers: { 'content-type': 'audio/wav' } });
    const seconds = Math.min(12, shown.endSeconds + 3) - shown.clipStartSeconds;
    expect(Number(sound.headers['x-duration-seconds'])).toBeCloseTo(seconds);
    expect(sound.bytes.length).toBe(44 + 2 * 8000 * seconds);

    const answer = await first.call('labels', { clip: shown.id, verdict: 'other', otherSpecies: ' Blue Tit ' });
    expect(answer).toMatchObject({ status: 200, species: { labels: 1, right: 0 }, canUndo: true });
    expect(await labels()).toMatchObject([
      {
        by: 'Ada',
        verdict: 'other',
        otherSpecies: 'Cyanistes caeruleus',
        startSeconds: shown.startSeconds,
        confidence: shown.confidence,
      },
    ]);
    const second = (await first.call('next', { species: 'Parus major', held: [] })).clip;
    expect(second.id).not.toBe(shown.id);
    await first.call('labels', { clip: second.id, verdict: 'yes', otherSpecies: '' });
    expect(await first.call('undo', {})).toMatchObject({ clip: { id: second.id }, canUndo: true });
    expect(await first.end()).toBe(exitCode.cancelled);
    expect(first.terminal.said()).toContain('One label was given and saved to labels.csv.');

    const again = await start('.', '--by', 'Ada');
    expect(await again.call('state')).toMatchObject({ canUndo: true, species: [{ labels: 1, right: 0 }] });
    expect((await again.call('next', { species: null, held: [] })).clip.startSeconds).not.toBe(shown.startSeconds);
    expect(await labels()).toHaveLength(1);
  });

  it('opens no file outside the recordings folder, also behind a symbolic link, and says so', async () => {
    const { terminal, call, ask } = await start('birds.csv');
    const said = terminal.said();
    for (const file of ['../secret.wav', join(outer, 'secret.wav'), 'card/linked.wav'])
      expect(said).toContain(`${file} is not in ${folder}. --recordings opens another folder.`);
    expect(said).toContain('card is no file.');
    expect(said).toContain('There is no recording none.wav.');
    expect(said).toContain('3 detections of 1 species.');
    expect((await call('state')).species).toMatchObject([{ detections: 3 }]);
    expect((await ask('/review/clips/3')).status).toBe(404);
  });

  it('answers only requests from its own page on the same machine', async () => {
    const { ask, token, port } = await start('birds.csv');
    const own = { [REVIEW_TOKEN_HEADER]: token };
    const page = { ...own, origin: `http://127.0.0.1:${port}`, 'sec-fetch-site': 'same-origin' };
    expect((await ask('/review/clips/0', page)).status).toBe(200);
    for (const [headers, status] of [
      [{}, 401],
      [{ [REVIEW_TOKEN_HEADER]: 'A'.repeat(22) }, 401],
      [{ ...own, origin: 'https://example.org' }, 403],
      [{ ...own, origin: 'http://127.0.0.1:1' }, 403],
      [{ ...own, origin: 'null' }, 403],
      [{ ...own, 'sec-fetch-site': 'cross-site' }, 403],
      [{ ...own, host: 'example.org' }, 421],
      [{ ...own, host: 'localhost' }, 421],
    ] as const) {
      for (const path of ['/review/state', '/review/clips/0']) {
        const refused = await ask(path, headers as Record<string, string>);
        expect(refused.status, JSON.stringify(headers)).toBe(status);
        expect(refused.headers['access-control-allow-origin']).toBeUndefined();
        expect(String(refused.bytes)).not.toMatch(/Parus|RIFF/);
      }
      if (status !== 401) expect((await ask('/', headers as Record<string, string>)).status).toBe(status);
    }
    const opened = await ask('/', { 'sec-fetch-site': 'none' });
    expect(String(opened.bytes)).toBe('<title>Review</title>');
    expect(opened.headers['content-security-policy']).toContain("default-src 'none'");
    expect((await ask('/assets/a.js', {})).status).toBe(200);
    for (const path of [
      '/../secret.wav',
      '/review/../../secret.wav',
      '/assets/../other.html',
      '/assets/%2e%2e/other.html',
      '/other.html',
    ])
      expect((await ask(path)).status, path).toBe(404);
  });

  it('answers an invalid request by saying what is wrong with it', async () => {
    const { call, ask, token } = await start('birds.csv');
    expect(await call('labels', { clip: 99, verdict: 'yes', otherSpecies: '' })).toEqual({
      status: 404,
      message: 'There is no such detection.',
    });
    expect(await call('labels', { clip: 0, verdict: 'maybe', otherSpecies: '' })).toMatchObject({ status: 400 });
    expect(await call('labels', { clip: 0, verdict: 'other', otherSpecies: 'Periparus' })).toEqual({
      status: 422,
      message: '“Periparus” is no species that the model knows. Choose one of the list, or leave the name out.',
    });
    expect(await call('undo', {})).toEqual({ status: 409, message: 'There is no label to take back.' });
    expect((await ask('/review/state', undefined, {})).status).toBe(405);
    expect((await ask('/review/clips/0', undefined, undefined, 'DELETE')).status).toBe(405);
    const plain = { [REVIEW_TOKEN_HEADER]: token, 'content-type': 'text/plain' };
    expect((await ask('/review/undo', plain, {})).status).toBe(400);
    expect(await call('next', { species: 'x'.repeat(20_000), held: [] })).toMatchObject({ status: 400 });
    await rm(join(folder, 'card/a.wav'));
    expect(await call('clips/0')).toEqual({
      status: 422,
      message: expect.stringContaining("can't be read: there is no such file"),
    });
    expect(await labels()).toEqual([]);
  });

  it('says which table, recordings or page is missing before it starts', async () => {
    await expect(start('none.csv')).rejects.toThrow("The table none.csv can't be read");
    await rm(join(folder, 'card'), { recursive: true });
    await rm(join(outer, 'secret.wav'));
    await expect(start('birds.csv')).rejects.toThrow('None of the recordings in these tables can be opened.');
    await rm(join(outer, 'page/review.html'));
    await expect(start('birds.csv')).rejects.toThrow('The page is not built yet. Run npm start once.');
    stop = null;
  });
});
