import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { PredictionError } from '@chiffchaff/analysis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exitCode, SetUpError, UsageError } from '../command-error.ts';
import { createCapturedTerminal } from '../testing/captured-terminal.ts';
import { createFakeAnalyzer, makePrediction } from '../testing/fake-analyzer.ts';
import { readOptions } from '../testing/read-options.ts';
import { identify } from './identify.ts';
import { identifyCommand } from './options.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chiffchaff-identify-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function put(...names: string[]) {
  for (const name of names) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), 'made up');
  }
}

function set(
  args: string[],
  { analyzer = createFakeAnalyzer(), signal = new AbortController().signal, out = undefined as Writable | undefined } = {},
) {
  const options = readOptions(identifyCommand, args);
  if (options === null) throw new Error('help was asked for');
  const captured = createCapturedTerminal();
  const terminal = { ...captured, out: out ?? captured.out };
  const config = { startFolder: folder, workers: 2 };
  return {
    ...captured,
    analyzer,
    run: () => identify(options, { config, terminal, signal, openAnalyzer: async () => analyzer }),
  };
}

const fails = (name: string) => (error: Error) =>
  createFakeAnalyzer(async ({ fileName }) => {
    if (fileName === name) throw error;
    return makePrediction();
  });

describe('identify', () => {
  it('writes one line of JSON a file, in the order asked, folders with what looks like audio at any depth', async () => {
    await put('z.xyz', 'garden/b.WAV', 'garden/a/1.mp3', 'garden/notes.txt', 'garden/._b.wav', 'garden/.cache/x.wav');
    const { run, written, analyzer } = set(['z.xyz', 'garden', '--format', 'json']);
    expect(await run()).toBe(exitCode.done);
    const lines = written()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ file }) => file)).toEqual(['z.xyz', 'garden/a/1.mp3', 'garden/b.WAV']);
    expect(lines[0].prediction).toMatchObject({ ...makePrediction(), detections: [{ hidden: false }] });
    expect(analyzer.isClosed()).toBe(true);
  });

  it('hands the conditions on and nothing that was not given', async () => {
    await put('a.wav');
    const given = set([
      'a.wav',
      '--lat',
      '50.8',
      '--lon',
      '-12.9',
      '--week',
      '20',
      '--min-score',
      '0.4',
      '--overlap',
      '0',
      '--language',
      'de',
      '--top',
      '2',
    ]);
    await given.run();
    expect(given.analyzer.asked[0]).toEqual({
      path: join(folder, 'a.wav'),
      fileName: 'a.wav',
      latitude: 50.8,
      longitude: -12.9,
      week: 20,
      minScore: 0.4,
      overlapSeconds: 0,
      language: 'de',
      top: 2,
    });
    const bare = set(['a.wav']);
    await bare.run();
    expect(bare.analyzer.asked[0]).toEqual({ path: join(folder, 'a.wav'), fileName: 'a.wav', top: 5 });
  });

  it('goes on after a recording that cannot be read, and says so in its line and by exit status 1', async () => {
    await put('a.wav', 'b.wav');
    const analyzer = fails('a.wav')(new PredictionError('RECORDING_EMPTY', {}));
    const { run, written, said } = set(['a.wav', 'gone.wav', 'b.wav', '--format', 'json'], { analyzer });
    expect(await run()).toBe(exitCode.input);
    const lines = written()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toEqual({ file: 'a.wav', error: { code: 'RECORDING_EMPTY', message: 'There is no audio in this file.' } });
    expect(lines[1]).toEqual({
      file: 'gone.wav',
      error: { code: 'NOT_FOUND', message: 'There is no file or folder at gone.wav.' },
    });
    expect(lines[2].prediction).toBeDefined();
    expect(said()).toContain('a.wav: There is no audio in this file.');
  });

  it('holds to the calibrated confidence what --min-confidence asks for, and says that this is new', async () => {
    await put('a.wav');
    const [detection] = makePrediction().detections;
    if (!detection) throw new Error('no detection');
    const detections = [detection, { ...detection, score: 0.99, confidence: 0.3 }];
    const { run, written, said, analyzer } = set(['a.wav', '--format', 'csv', '--min-confidence', '0.5'], {
      analyzer: createFakeAnalyzer(async () => makePrediction({ detections })),
    });
    expect(await run()).toBe(exitCode.done);
    expect(analyzer.asked[0]).not.toHaveProperty('minScore');
    expect(written().trimEnd().split('\n').slice(1)).toEqual([expect.stringContaining(',0.9100,0.9600,')]);
    expect(said()).toContain('--min-confidence now means the calibrated confidence; for the score');
    const byScore = set(['a.wav', '--format', 'csv', '--min-score', '0.5']);
    await byScore.run();
    expect(byScore.analyzer.asked[0]?.minScore).toBe(0.5);
    expect(byScore.said()).not.toContain('--min-confidence');
  });

  it('says that a folder holds no recordings', async () => {
    await put('empty/notes.txt');
    const { run, written } = set(['empty', '--format', 'json']);
    expect(await run()).toBe(exitCode.input);
    expect(JSON.parse(written()).error.code).toBe('FOLDER_EMPTY');
  });

  it('ends with 3 when the program is at fault, the other recordings answered', async () => {
    await put('a.wav', 'b.wav');
    const { run, written, said } = set(['a.wav', 'b.wav', '--format', 'json'], {
      analyzer: fails('a.wav')(new TypeError('x is not a function')),
    });
    expect(await run()).toBe(exitCode.internal);
    expect(written()).not.toContain('x is not');
    expect(said()).toContain('TypeError: x is not a function');
    expect(written().trimEnd().split('\n')).toHaveLength(2);
  });

  it('stops at once when the model is not installed, and says what to do', async () => {
    await put('a.wav', 'b.wav');
    const analyzer = createFakeAnalyzer(async () => {
      throw new PredictionError('MODEL_NOT_INSTALLED', {});
    });
    const { run } = set(['a.wav', 'b.wav'], { analyzer });
    await expect(run()).rejects.toThrow(SetUpError);
    expect(analyzer.isClosed()).toBe(true);
  });

  it.each(['de', 'en', 'de-AT', 'en_UK'])('takes %s for a language that has names', async (language) => {
    await put('a.wav');
    expect(await set(['a.wav', '--language', language]).run()).toBe(exitCode.done);
  });

  it('refuses a language that has no names, naming those that have', async () => {
    await put('a.wav');
    await expect(set(['a.wav', '--language', 'tlh']).run()).rejects.toThrow(
      new UsageError('--language takes en_us or de; we found "tlh".'),
    );
  });

  it('keeps answers that were written, and stops the work, when it is cancelled', async () => {
    await put('a.wav', 'b.wav', 'c.wav');
    const cancelling = new AbortController();
    let begun = 0;
    let stopped = 0;
    const analyzer = createFakeAnalyzer(async ({ fileName }, signal) => {
      if (fileName === 'a.wav') return makePrediction();
      await new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          stopped += 1;
          reject(signal.reason);
        });
        begun += 1;
        if (begun === 2) cancelling.abort();
      });
      throw new Error('not reached');
    });
    const { run } = set(['a.wav', 'b.wav', 'c.wav', '--format', 'json', '--out', 'answers.jsonl'], {
      analyzer,
      signal: cancelling.signal,
    });
    expect(await run()).toBe(exitCode.cancelled);
    expect(stopped).toBe(2);
    expect((await readFile(join(folder, 'answers.jsonl'), 'utf8')).trimEnd().split('\n')).toHaveLength(1);
  });

  it('says why standard output cannot be written', async () => {
    await put('a.wav');
    const out = new Writable({
      write: (_piece, _encoding, done) =>
        done(Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })),
    });
    out.on('error', () => undefined);
    const { run } = set(['a.wav', '--format', 'csv'], { out });
    await expect(run()).rejects.toThrow(new SetUpError("The output can't be written: ENOSPC: no space left on device, write."));
  });

  it('stops quietly when nobody reads any more', async () => {
    await put(...Array.from({ length: 30 }, (_, i) => `${i}.wav`));
    const out = new Writable({
      write: (_piece, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
    });
    out.on('error', () => undefined);
    const { run, analyzer } = set(['.', '--format', 'json'], { out });
    expect(await run()).toBe(exitCode.done);
    expect(analyzer.asked.length).toBeLessThan(10);
  });

  it('says of a name that is no UTF-8 why it cannot be read', async ({ skip }) => {
    const name = Buffer.from([...Buffer.from(`${folder}/`), 0xe9, ...Buffer.from('.wav')]);
    if (await writeFile(name, 'made up').catch(() => true)) return skip('file names are text here');
    const analyzer = createFakeAnalyzer(async ({ path: asked }) => {
      await readFile(asked);
      return makePrediction();
    });
    const { run, written } = set(['.', '--format', 'json'], { analyzer });
    expect(await run()).toBe(exitCode.input);
    expect(JSON.parse(written()).error).toMatchObject({
      code: 'FILE_UNREADABLE',
      message: expect.stringMatching(/there is no such file, or its name is not UTF-8; rename it\.$/),
    });
  });

  it('never writes over a recording that is to be read', async () => {
    await put('a.wav');
    await expect(set(['a.wav', '--out', './a.wav']).run()).rejects.toThrow('would replace a recording');
    expect(await readFile(join(folder, 'a.wav'), 'utf8')).toBe('made up');
  });

  it('says why a file cannot be written', async () => {
    await put('a.wav', 'taken/x');
    await expect(set(['a.wav', '--out', 'taken']).run()).rejects.toThrow(/^taken can't be written: EISDIR/);
  });
});
