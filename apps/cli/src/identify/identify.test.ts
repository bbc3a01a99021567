import { link, mkdir, mkdtemp, readdir, readFile, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { ChannelMissing, PredictionError } from '@chiffchaff/analysis';
import { readOurs } from '@chiffchaff/survey/testing/tables';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
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
  {
    analyzer = createFakeAnalyzer(),
    signal = new AbortController().signal,
    out = undefined as Writable | undefined,
    workers = 2,
  } = {},
) {
  const options = readOptions(identifyCommand, args);
  if (options === null) throw new Error('help was asked for');
  const captured = createCapturedTerminal();
  const terminal = { ...captured, out: out ?? captured.out };
  const config = { startFolder: folder, workers };
  return {
    ...captured,
    analyzer,
    run: () => identify(options, { config, terminal, signal, openAnalyzer: async () => analyzer }),
  };
}

/** As `workers`: two recordings more than these are begun at once. */
const ONE_AT_A_TIME = -1;

const fails = (name: string) => (error: Error) =>
  createFakeAnalyzer(async ({ fileName }) => {
    if (fileName === name) throw error;
    return makePrediction();
  });

describe('`chiffchaff identify`', () => {
  it('prints one line of JSON for each recording in the given order, and finds recordings in nested folders', async () => {
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

  it('analyses with the place, week and settings given as options, and otherwise with the defaults', async () => {
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
      perClip: true,
      top: 2,
    });
    const merged = set(['a.wav', '--merge']);
    await merged.run();
    expect(merged.analyzer.asked[0]?.perClip).toBe(false);
    const bare = set(['a.wav']);
    await bare.run();
    expect(bare.analyzer.asked[0]).toEqual({ path: join(folder, 'a.wav'), fileName: 'a.wav', perClip: true, top: 5 });
  });

  it('writes several formats at once, each as when written alone', async () => {
    await put('a.wav', 'b.wav');
    const all = ['csv', 'json', 'raven', 'audacity', 'analyzer', 'kaleidoscope', 'table'];
    const recordings = ['a.wav', 'b.wav'];
    await mkdir(join(folder, 'out'));
    await set([...recordings, ...all.flatMap((format) => ['--format', format]), '--out', 'out/birds.csv']).run();
    expect(await readdir(join(folder, 'out'))).toEqual(
      [
        ...['birds.analyzer.csv', 'birds.audacity', 'birds.csv', 'birds.files.csv', 'birds.jsonl'],
        ...['birds.kaleidoscope.csv', 'birds.raven.list.txt', 'birds.raven.txt', 'birds.txt'],
      ].sort(),
    );
    expect(await readdir(join(folder, 'out/birds.audacity'))).toEqual(['a.wav.audacity.txt', 'b.wav.audacity.txt']);
    for (const [format, name] of [
      ['csv', 'birds.csv'],
      ['raven', 'birds.raven.txt'],
      ['table', 'birds.txt'],
    ] as const) {
      await set([...recordings, '--format', format, '--out', 'alone']).run();
      expect(await readFile(join(folder, 'out', name), 'utf8')).toBe(await readFile(join(folder, 'alone'), 'utf8'));
      await rm(join(folder, 'alone'));
    }
    await expect(set([...recordings, '--format', 'raven', '--format', 'csv', '--out', 'out/birds']).run()).rejects.toThrow(
      'out/birds.raven.txt exists already. Add --overwrite to replace it, or choose another name.',
    );
  });

  it('writes, beside one Raven table of several recordings, a list of them in the order in which the table’s times run on, those without birds too', async () => {
    await put('cards/a.wav', 'cards/b.wav', 'cards/c.wav', 'cards/broken.wav');
    const analyzer = createFakeAnalyzer(async ({ fileName }) => {
      if (fileName === 'broken.wav') throw new PredictionError('RECORDING_EMPTY', {});
      return makePrediction(fileName === 'b.wav' ? { detections: [] } : {});
    });
    expect(await set(['cards', '--format', 'raven', '--out', 'heard.txt'], { analyzer }).run()).toBe(exitCode.input);
    expect(await readFile(join(folder, 'heard.list.txt'), 'utf8')).toBe(
      ['a', 'b', 'c'].map((name) => `${join(folder, 'cards', name)}.wav\n`).join(''),
    );
    const rows = (await readFile(join(folder, 'heard.txt'), 'utf8')).trimEnd().split('\n').slice(1);
    // Each recording is 31.2 s long; the second has no bird.
    expect(rows.map((row) => row.split('\t')[3])).toEqual(['3', '65.4']);
    await set(['cards/a.wav', '--format', 'raven', '--out', 'one.txt']).run();
    expect(await readdir(folder)).not.toContain('one.list.txt');
  });

  it('writes a file for each recording to --out FOLDER/, even if recordings have the same name', async () => {
    await put('cards/A/1.wav', 'cards/B/1.wav', 'cards/B/1.flac', 'cards/B/deep/1.wav', 'cards/B/broken.wav');
    const analyzer = fails('broken.wav')(new PredictionError('RECORDING_EMPTY', {}));
    const asked = ['cards/B', 'cards/A', '--format', 'raven', '--format', 'audacity', '--out', 'tables/'];
    expect(await set(asked, { analyzer }).run()).toBe(exitCode.input);
    const written = (await readdir(join(folder, 'tables'), { recursive: true })).filter((name) => name.includes('.')).sort();
    const recordings = ['A/1.wav', 'B/1.flac', 'B/1.wav', 'B/deep/1.wav'];
    expect(written).toEqual([
      ...recordings.flatMap((name) => [`${name}.audacity.txt`, `${name}.raven.txt`]),
      'recordings.files.csv',
    ]);
    const [, row = ''] = (await readFile(join(folder, 'tables/B/deep/1.wav.raven.txt'), 'utf8')).split('\n');
    expect(row.split('\t').slice(3, 5)).toEqual(['3', '9']);
    expect(await readFile(join(folder, 'tables/A/1.wav.audacity.txt'), 'utf8')).toBe(
      '3.000000\t9.000000\tCommon Chiffchaff 0.91\n',
    );
    expect(await readFile(join(folder, 'tables/recordings.files.csv'), 'utf8')).toContain('cards/B/broken.wav,failed');
    await expect(set(asked).run()).rejects.toThrow('tables exists already. Add --overwrite to replace it');
    expect(await set([...asked, '--overwrite'], { analyzer }).run()).toBe(exitCode.input);
    await expect(set(['cards', '--format', 'raven', '--out', 'no/tables/']).run()).rejects.toThrow('There is no folder no');
  });

  it('writes one CSV and one JSON file for all recordings to --out FOLDER/', async () => {
    await put('cards/A/1.wav', 'cards/B/1.wav');
    const formats = ['csv', 'json', 'kaleidoscope'].flatMap((format) => ['--format', format]);
    expect(await set(['cards', ...formats, '--out', 'tables/']).run()).toBe(exitCode.done);
    expect((await readdir(join(folder, 'tables'))).sort()).toEqual([
      ...['A', 'B', 'recordings.csv', 'recordings.files.csv', 'recordings.jsonl'],
    ]);
    expect(readOurs(await readFile(join(folder, 'tables/recordings.csv'), 'utf8')).detections.map(({ file }) => file)).toEqual([
      ...['cards/A/1.wav', 'cards/B/1.wav'],
    ]);
    expect(await readdir(join(folder, 'tables/A'))).toEqual(['1.wav.kaleidoscope.csv']);
    expect(await set(['cards/A/1.wav', '--format', 'csv', '--out', 'one/']).run()).toBe(exitCode.done);
    expect(await readdir(join(folder, 'one'))).toEqual(['recordings.csv']);
  });

  it('analyses only unfinished recordings, and has a table for each, when an interrupted --out FOLDER/ is repeated', async () => {
    await put('a.wav', 'b.wav');
    const cancelling = new AbortController();
    const analyzer = createFakeAnalyzer(async ({ fileName }, signal) => {
      if (fileName === 'a.wav') return makePrediction();
      cancelling.abort();
      throw signal.reason;
    });
    const args = ['a.wav', 'b.wav', '--format', 'audacity', '--out', 'labels/'];
    expect(await set(args, { analyzer, signal: cancelling.signal }).run()).toBe(exitCode.cancelled);
    const again = set(args);
    expect(await again.run()).toBe(exitCode.done);
    expect(again.analyzer.asked.map(({ fileName }) => fileName)).toEqual(['b.wav']);
    expect(await readdir(join(folder, 'labels'))).toEqual(['a.wav.audacity.txt', 'b.wav.audacity.txt', 'recordings.files.csv']);
  });

  it('ends at once while another run is writing to the same output or its list of recordings, and leaves that run alone', async () => {
    await put('a.wav', 'b.wav');
    /** @param others outputs that the run to `out` keeps others from */
    const whileWriting = async (out: string, others: readonly string[]) => {
      const gate = Promise.withResolvers<void>();
      const analyzer = createFakeAnalyzer(async () => {
        await gate.promise;
        return makePrediction();
      });
      const ended = set(['.', '--format', 'csv', '--out', out], { analyzer }).run();
      await expect.poll(() => analyzer.asked.length).toBeGreaterThan(0);
      for (const other of others) {
        const { run, analyzer: unused } = set(['a.wav', '--format', 'csv', '--out', other]);
        await expect(run()).rejects.toThrow(SetUpError);
        await expect(run()).rejects.toThrow(/^Another run is writing to .+\. Wait until it has ended, or choose another name\.$/);
        expect(unused.asked).toEqual([]);
      }
      gate.resolve();
      expect(await ended).toBe(exitCode.done);
    };
    await writeFile(join(folder, '.birds.lock'), ''); // as a killed run leaves it
    await whileWriting('birds.csv', ['birds.csv', 'birds.txt']);
    await whileWriting('tables/', ['tables/']);
    expect((await readdir(folder)).sort()).toEqual(['a.wav', 'b.wav', 'birds.csv', 'birds.files.csv', 'tables']);
    expect((await readdir(join(folder, 'tables'))).sort()).toEqual(['recordings.csv', 'recordings.files.csv']);
  });

  it('refuses one Audacity file for several recordings, and says what works', async () => {
    await put('cards/a.wav');
    const works = (out: string) => `For a file for each, give --out a folder: ${out}/`;
    await expect(set(['cards', '--format', 'audacity', '--out', 'x.txt']).run()).rejects.toThrow(works('x'));
    await expect(set(['cards', '--format', 'audacity']).run()).rejects.toThrow(works('labels'));
    const one = set(['cards/a.wav', '--format', 'audacity']);
    expect(await one.run()).toBe(exitCode.done);
    expect(one.written()).toBe('3.000000\t9.000000\tCommon Chiffchaff 0.91\n');
  });

  it('writes the analysed channel and frequencies into a Raven table with --channel and --speed', async () => {
    await put('a.wav');
    const analyzer = createFakeAnalyzer(async () =>
      makePrediction({ recording: { ...makePrediction().recording, sampleRate: 240_000, channels: 2 } }),
    );
    const { run, written } = set(['a.wav', '--format', 'raven', '--channel', '2', '--speed', '0.2'], { analyzer });
    expect(await run()).toBe(exitCode.done);
    const [header = [], row = []] = written()
      .split('\n')
      .map((line) => line.split('\t'));
    const cell = (name: string) => row[header.indexOf(name)];
    expect(['Channel', 'High Freq (Hz)'].map(cell)).toEqual(['2', '75000']);
  });

  it('also writes sounds that are no birds with --sounds, but counts only birds', async () => {
    await put('a.wav', 'b.wav');
    const [bird] = makePrediction().detections;
    if (!bird) throw new Error('no detection');
    const engine = { ...bird, scientificName: 'Engine', commonName: 'Engine', kind: 'sound' as const };
    const analyzer = createFakeAnalyzer(async ({ fileName }) =>
      makePrediction({ detections: fileName === 'a.wav' ? [bird, engine] : [engine] }),
    );
    const { run, said } = set(['a.wav', 'b.wav', '--sounds', '--format', 'csv', '--out', 'birds.csv'], { analyzer });
    expect(await run()).toBe(exitCode.done);
    expect(analyzer.asked).toMatchObject([{ sounds: true }, { sounds: true }]);
    expect(said()).toContain('2 analysed, 2 without day, 1 with birds.');
    expect(
      (await readFile(join(folder, 'birds.csv'), 'utf8'))
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((row) => row.split(',').at(-1)),
    ).toEqual([...['bird', 'sound', 'sound']]);
    const files = await readFile(join(folder, 'birds.files.csv'), 'utf8');
    expect(files).toContain('a.wav,analysed,31.2,1,');
    expect(files).toContain('b.wav,analysed,31.2,0,');
  });

  it('begins both CSV tables with a UTF-8 mark for --excel-safe, and writes the path of a recording alike in both', async () => {
    await put('=Mühle.wav', 'b.wav');
    await set(['=Mühle.wav', 'b.wav', '--format', 'csv', '--excel-safe', '--out', 'birds.csv']).run();
    const [birds, files] = [
      await readFile(join(folder, 'birds.csv'), 'utf8'),
      await readFile(join(folder, 'birds.files.csv'), 'utf8'),
    ];
    expect([birds.charCodeAt(0), files.charCodeAt(0)]).toEqual([0xfeff, 0xfeff]);
    const [detection] = readOurs(birds).detections;
    // Not a formula, and still the path of the recording.
    expect(detection?.file).toBe('./=Mühle.wav');
    expect(readOurs(files).files.map(({ file }) => file)).toEqual(['./=Mühle.wav', 'b.wav']);
  });

  it('leaves out detections below the species’ threshold in the table given by --thresholds', async () => {
    await put('a.wav');
    const rows = async (threshold: string, outcome = '') => {
      await writeFile(
        join(folder, 't.csv'),
        `Scientific name,Threshold,Outcome\nPhylloscopus collybita,${threshold},${outcome}\n`,
      );
      const { run, written } = set(['a.wav', '--format', 'csv', '--thresholds', 't.csv']);
      expect(await run()).toBe(exitCode.done);
      return written().trimEnd().split('\n').length - 1;
    };
    expect([await rows('0.96'), await rows('0.97'), await rows('', 'no confidence is high enough')]).toEqual([1, 0, 0]);
    expect([await rows(''), await rows('', 'not enough labels')]).toEqual([1, 1]);
    await expect(rows('many')).rejects.toThrow('t.csv: Line 2: "many" is no Threshold, which goes from 0 to 1.');
  });

  it('says which species in the table given by --thresholds the model does not know', async () => {
    await put('a.wav');
    await writeFile(join(folder, 't.csv'), 'Scientific name,Threshold\nTurdus merula,0.5\nTurdus merulla,0.5\nEngine,\n');
    const analyzer = {
      ...createFakeAnalyzer(),
      namesIn: async () => new Map([['Turdus merula', 'Eurasian Blackbird']]),
      otherSounds: [{ index: 1, scientificName: 'Engine', labelName: 'Engine', kind: 'nonEvent' as const }],
    };
    const { run, said } = set(['a.wav', '--thresholds', 't.csv'], { analyzer });
    expect(await run()).toBe(exitCode.done);
    expect(said()).toContain('There are thresholds for Turdus merulla, which the model does not know.');
  });

  it('names only the species of the list in --species, and with --expected only those expected at the place', async () => {
    await put('a.wav');
    await writeFile(join(folder, 'list.txt'), 'Turdus merula\n');
    const analyzer = { ...createFakeAnalyzer(), namesIn: async () => new Map([['Turdus merula', 'Eurasian Blackbird']]) };
    const listed = set(['a.wav', '--species', 'list.txt', '--expected', '--lat', '1', '--lon', '2'], { analyzer });
    expect(await listed.run()).toBe(exitCode.done);
    expect(listed.analyzer.asked).toMatchObject([{ species: ['Turdus merula'], minOccurrence: 0.03 }]);
    expect(listed.said()).toContain('list.txt: only its 1 species is named.');
    const nowhere = set(['a.wav', '--expected']);
    expect(await nowhere.run()).toBe(exitCode.input);
    expect(nowhere.analyzer.asked).toEqual([]);
    expect(nowhere.said()).toContain(
      'a.wav: Its place is not known, and --expected needs one. Give --lat and --lon, or --sites.',
    );
    await writeFile(join(folder, 'list.txt'), 'Turdus merulla\n');
    await expect(set(['a.wav', '--species', 'list.txt'], { analyzer }).run()).rejects.toThrow(
      'the nearest name is “Turdus merula”',
    );
    await writeFile(join(folder, 'list.txt'), 'Turdus merulla\nTurdus merula\n');
    const loose = set(['a.wav', '--species', 'list.txt'], { analyzer });
    expect(await loose.run()).toBe(exitCode.done);
    expect(loose.said()).toContain('line 1: “Turdus merulla”; the nearest name is “Turdus merula”.');
    await expect(set(['a.wav', '--species', 'list.txt', '--strict-list'], { analyzer }).run()).rejects.toThrow('line 1:');
  });

  it('assumes a place from --time-zone, and refuses a time zone without a place', async () => {
    await put('a.wav');
    const { run, analyzer } = set(['a.wav', '--time-zone', 'Europe/London']);
    expect(await run()).toBe(exitCode.done);
    expect(analyzer.asked).toMatchObject([{ timeZone: 'Europe/London' }]);
    const misspelt = set(['a.wav', '--time-zone', 'Europe/Lomdon']);
    await expect(misspelt.run()).rejects.toThrow('such as Europe/London, not "Europe/Lomdon".');
    expect(misspelt.analyzer.asked).toEqual([]);
    expect(misspelt.analyzer.isClosed()).toBe(true);
  });

  it('continues after an unreadable recording, reports it in its line of JSON, and ends with exit status 1', async () => {
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

  it('applies --min-confidence to confidence instead of score', async () => {
    await put('a.wav');
    const [detection] = makePrediction().detections;
    if (!detection) throw new Error('no detection');
    const detections = [detection, { ...detection, score: 0.99, confidence: 0.3 }];
    const { run, written, analyzer } = set(['a.wav', '--format', 'csv', '--min-confidence', '0.5'], {
      analyzer: createFakeAnalyzer(async () => makePrediction({ detections })),
    });
    expect(await run()).toBe(exitCode.done);
    expect(analyzer.asked[0]).not.toHaveProperty('minScore');
    expect(written().trimEnd().split('\n').slice(1)).toEqual([expect.stringContaining(',0.9100,0.9600,')]);
    const byScore = set(['a.wav', '--format', 'csv', '--min-score', '0.5']);
    await byScore.run();
    expect(byScore.analyzer.asked[0]?.minScore).toBe(0.5);
  });

  it('reads recordings of phones and in linked folders, each once, and says which other files it did not read', async () => {
    const phones = ['a.qta', 'b.3ga', 'c.3gpp', 'd.awb', 'e.M4V', 'f.3g2'];
    await put(...phones.map((name) => `card/DATA/${name}`), 'elsewhere/siteA/x.opus', 'elsewhere/siteA/notes');
    await put(
      'card/g.w4v',
      'card/h.W4V',
      'card/i.wac',
      'card/$RECYCLE.BIN/S-1-5-21/y.wav',
      'card/System Volume Information/z.wav',
    );
    await symlink('../elsewhere/siteA', join(folder, 'card/A-link'));
    await symlink('DATA', join(folder, 'card/again'));
    await symlink('.', join(folder, 'card/loop'));
    await symlink('gone.wav', join(folder, 'card/broken.wav'));
    const { run, written, said } = set(['card', '--format', 'json']);
    expect(await run()).toBe(exitCode.done);
    const files = written()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).file);
    expect(files).toEqual([...phones.map((name) => `card/DATA/${name}`), 'card/A-link/x.opus']);
    expect(said()).toContain('5 other files were not read: 2 .w4v, 1 without ending, 1 .wac, 1 .wav.\n');
  });

  it('analyses a recording given by several names once, and says which names are the same file', async () => {
    await put('a.wav', 'cards/b.wav', 'cards/c.txt');
    await symlink('b.wav', join(folder, 'cards/a-link.wav'));
    await link(join(folder, 'a.wav'), join(folder, 'A.WAV'));
    await symlink('../a.wav', join(folder, 'cards/outside.wav'));
    const asked = ['a.wav', './a.wav', 'A.WAV', 'cards/c.txt', 'cards', 'cards/b.wav', 'cards/a-link.wav'];
    const { run, written, said } = set([...asked, '--format', 'json']);
    expect(await run()).toBe(exitCode.done);
    const files = written()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).file);
    expect(files).toEqual(['a.wav', 'cards/c.txt', 'cards/b.wav']);
    const same = (name: string, first: string) => `${name} is the same file as ${first}, which is analysed once.\n`;
    const [spelt, linked, outside] = ['./a.wav', 'A.WAV', 'cards/outside.wav'].map((name) => same(name, 'a.wav'));
    const inFolder = ['cards/a-link.wav', 'cards/b.wav'].map((name) => same(name, 'cards/b.wav'));
    expect(said()).toContain([spelt, linked, inFolder[0], outside, inFolder[1], '… and 1 more names\n'].join(''));
    expect(said()).toMatch(/\n3 analysed, 3 without day, 3 with birds\.\n$/);
    const folderTwice = set(['cards', 'cards/', '--format', 'json']);
    expect(await folderTwice.run()).toBe(exitCode.done);
    expect(folderTwice.analyzer.asked).toHaveLength(2);
  });

  it('says at the end which recordings have the same content, and analyses each of them', async () => {
    await put('a.wav', 'b.wav', 'c.wav');
    const analyzer = createFakeAnalyzer(async ({ fileName }) =>
      makePrediction({ recording: { ...makePrediction().recording, sha256: (fileName === 'b.wav' ? 'b' : 'a').repeat(64) } }),
    );
    const { run, said } = set(['.', '--format', 'csv'], { analyzer });
    expect(await run()).toBe(exitCode.done);
    expect(analyzer.asked).toHaveLength(3);
    expect(said()).toContain('c.wav has the same content as a.wav.\n3 analysed, 3 without day, 3 with birds.\n');
  });

  it('says once which clock it assumed for recordings that state none', async () => {
    await put('cards/20260501_051200.flac', 'cards/20260502_051200.flac', 'cards/20260502T051200Z.flac');
    await writeFile(join(folder, 'sites.csv'), 'site,folder,time zone\nMill,cards,Europe/Berlin\n');
    const assumed = set(['cards', '--sites', 'sites.csv', '--format', 'csv']);
    await assumed.run();
    expect(assumed.said()).toContain(
      'cards/20260501_051200.flac and 1 more: It does not say which clock its time is by. That of Europe/Berlin was',
    );
    await writeFile(join(folder, 'sites.csv'), 'site,folder,time zone,clock\nMill,cards,Europe/Berlin,UTC\n');
    const known = set(['cards', '--sites', 'sites.csv', '--format', 'csv']);
    await known.run();
    expect(known.said()).not.toContain('clock');
  });

  it('says so when a folder contains no recordings', async () => {
    await put('empty/notes.txt');
    const { run, written } = set(['empty', '--format', 'json']);
    expect(await run()).toBe(exitCode.input);
    expect(JSON.parse(written()).error.code).toBe('FOLDER_EMPTY');
  });

  it('ends with exit status 3 after a fault of the program, and still analyses the other recordings', async () => {
    await put('a.wav', 'b.wav');
    const { run, written, said } = set(['a.wav', 'b.wav', '--format', 'json'], {
      analyzer: fails('a.wav')(new TypeError('x is not a function')),
    });
    expect(await run()).toBe(exitCode.internal);
    expect(written()).not.toContain('x is not');
    expect(said()).toContain('TypeError: x is not a function');
    expect(written().trimEnd().split('\n')).toHaveLength(2);
  });

  it('stops at once when no model is installed, and says what to do', async () => {
    await put('a.wav', 'b.wav');
    const analyzer = createFakeAnalyzer(async () => {
      throw new PredictionError('MODEL_NOT_INSTALLED', {});
    });
    const { run } = set(['a.wav', 'b.wav'], { analyzer });
    await expect(run()).rejects.toThrow(SetUpError);
    expect(analyzer.isClosed()).toBe(true);
  });

  it('reports a recording without the requested channel, and continues', async () => {
    await put('a.wav', 'b.wav');
    const analyzer = createFakeAnalyzer(async ({ fileName }) => {
      if (fileName === 'a.wav') throw new ChannelMissing(1);
      return makePrediction();
    });
    const { run, written } = set(['a.wav', 'b.wav', '--channel', '2', '--format', 'json'], { analyzer });
    expect(await run()).toBe(exitCode.input);
    const [first, second] = written()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const message = 'It has one channel, so there is no channel 2. Leave out --channel to mix all.';
    expect(first).toEqual({ file: 'a.wav', error: { code: 'CHANNEL_MISSING', message } });
    expect(second.prediction).toBeDefined();
    expect(analyzer.asked).toMatchObject([{ preprocessing: { channel: 2 } }, { preprocessing: { channel: 2 } }]);
  });

  it.each(['de', 'en', 'de-AT', 'en_UK'])('accepts %s as the language of the names of birds', async (language) => {
    await put('a.wav');
    expect(await set(['a.wav', '--language', language]).run()).toBe(exitCode.done);
  });

  it('refuses a language without names of birds, and lists the languages with names', async () => {
    await put('a.wav');
    await expect(set(['a.wav', '--language', 'tlh']).run()).rejects.toThrow(
      new UsageError('--language takes en_us or de, not "tlh".'),
    );
  });

  it('keeps finished results and stops the analyses that are running when it is cancelled', async () => {
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
    const { run, said } = set(['a.wav', 'b.wav', 'c.wav', '--format', 'json', '--out', 'answers.jsonl'], {
      analyzer,
      signal: cancelling.signal,
    });
    expect(await run()).toBe(exitCode.cancelled);
    expect(stopped).toBe(2);
    expect(said()).toContain('Stopped. 1 of 3 done. What is done is kept. Run the same command again to go on.');
    expect((await readdir(folder)).sort()).toEqual(['a.wav', 'answers.jsonl.journal', 'b.wav', 'c.wav']);
    const again = set(['a.wav', 'b.wav', 'c.wav', '--format', 'json', '--out', 'answers.jsonl']);
    expect(await again.run()).toBe(exitCode.done);
    expect(again.analyzer.asked.map(({ fileName }) => fileName).sort()).toEqual(['b.wav', 'c.wav']);
    expect((await readFile(join(folder, 'answers.jsonl'), 'utf8')).trimEnd().split('\n')).toHaveLength(3);
    expect((await readdir(folder)).sort()).toEqual(['a.wav', 'answers.files.csv', 'answers.jsonl', 'b.wav', 'c.wav']);
  });

  it('says why it cannot write to standard output', async () => {
    await put('a.wav');
    const out = new Writable({
      write: (_piece, _encoding, done) =>
        done(Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })),
    });
    out.on('error', () => undefined);
    const { run } = set(['a.wav', '--format', 'csv'], { out });
    await expect(run()).rejects.toThrow(new SetUpError("The output can't be written: ENOSPC: no space left on device, write."));
  });

  it('stops without an error when the program that reads its output has ended', async () => {
    await put(...Array.from({ length: 30 }, (_, i) => `${i}.wav`));
    const out = new Writable({
      write: (_piece, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
    });
    out.on('error', () => undefined);
    const { run, analyzer } = set(['.', '--format', 'json'], { out });
    expect(await run()).toBe(exitCode.done);
    expect(analyzer.asked.length).toBeLessThan(10);
  });

  it('says why a file name that is not valid UTF-8 cannot be read', async ({ skip }) => {
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
      message: expect.stringMatching(/there is no such file, or its name is not UTF-8 \(rename it\)\.$/),
    });
  });

  it('refuses to overwrite one of the recordings to be read', async () => {
    await put('a.wav');
    await expect(set(['a.wav', '--out', './a.wav']).run()).rejects.toThrow('would overwrite one of the recordings');
    expect(await readFile(join(folder, 'a.wav'), 'utf8')).toBe('made up');
  });

  it('says at the end how many recordings were analysed, failed, have no day, and have birds', async () => {
    await put('a.wav', 'b.wav', '20260501_051200.wav');
    const analyzer = createFakeAnalyzer(async ({ fileName }) => {
      if (fileName === 'b.wav') throw new PredictionError('RECORDING_EMPTY', {});
      return makePrediction(fileName?.startsWith('2026') ? { detections: [] } : {});
    });
    const several = set(['.', 'gone.wav', '--format', 'csv'], { analyzer });
    expect(await several.run()).toBe(exitCode.input);
    expect(several.said()).toMatch(/\n2 analysed, 2 failed, 1 without day, 1 with birds\.\n$/);
    const good = set(['a.wav', '--out', 'one.csv', '--format', 'csv'], { analyzer });
    await good.run();
    expect(good.said()).toMatch(/\n1 analysed, 1 without day, 1 with birds\.\n$/);
    const one = set(['a.wav']);
    await one.run();
    expect(one.said()).not.toContain('analysed');
  });

  it('says after each of several recordings about how much time is left', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'Date'] });
    try {
      await put('a.wav', 'b.wav', 'c.wav', 'd.wav');
      const analyzer = createFakeAnalyzer(async () => {
        vi.advanceTimersByTime(60_000);
        return makePrediction();
      });
      const { run, said } = set(['.', '--format', 'csv'], { analyzer, workers: ONE_AT_A_TIME });
      expect(await run()).toBe(exitCode.done);
      const lines = said().split('\n');
      expect(lines.filter((line) => line.includes('left'))).toEqual([
        '25 % 1 of 4 · about 3 minutes left · a.wav',
        '50 % 2 of 4 · about 2 minutes left · b.wav',
        '75 % 3 of 4 · about 60 seconds left · c.wav',
      ]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('says on an interruption how many recordings are done, and that the output contains them', async () => {
    await put('a.wav', 'b.wav');
    const cancelling = new AbortController();
    const analyzer = createFakeAnalyzer(async ({ fileName }, signal) => {
      if (fileName === 'a.wav') return makePrediction();
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    const { run, said, written } = set(['a.wav', 'b.wav', '--format', 'csv'], { analyzer, signal: cancelling.signal });
    const ended = run();
    await expect.poll(() => written().split('\n')).toHaveLength(3);
    cancelling.abort();
    expect(await ended).toBe(exitCode.cancelled);
    expect(said()).toMatch(/(^|\n)Stopped\. 1 of 2 done; the output holds these\.\n$/);
  });

  it('says that the folder of its output does not exist, before it creates anything', async () => {
    await put('a.wav');
    await expect(set(['a.wav', '--out', 'tpyo/x.csv']).run()).rejects.toThrow(
      new UsageError('There is no folder tpyo for --out tpyo/x.csv. Create it, or choose another name.'),
    );
    expect(await readdir(folder)).toEqual(['a.wav']);
  });

  it('says why an output file cannot be written', async () => {
    await put('a.wav', 'taken/x');
    await expect(set(['a.wav', '--out', 'taken']).run()).rejects.toThrow(/^taken can't be written: EISDIR/);
  });
});

describe('`chiffchaff identify` with the time and place of each recording', () => {
  const list = 'site,folder,latitude,longitude,time zone,clock\nPond,cards/pond,50.8357,12.9292,Europe/Berlin,UTC\n';

  it('uses each recording’s own week and place, with the place from the list of sites first', async () => {
    await put('cards/pond/20260629_233000.WAV', 'cards/else/SMM1_20261231_120000.wav');
    await writeFile(join(folder, 'sites.csv'), list);
    const asked = ['cards', '--sites', 'sites.csv', '--lat', '1', '--lon', '2', '--format', 'csv'];
    const { run, written, analyzer } = set(asked, { workers: ONE_AT_A_TIME });
    expect(await run()).toBe(exitCode.done);
    expect(analyzer.asked).toMatchObject([
      { fileName: 'SMM1_20261231_120000.wav', latitude: 1, longitude: 2, week: 48, date: '2026-12-31' },
      { fileName: '20260629_233000.WAV', latitude: 50.8357, longitude: 12.9292, week: 24, date: '2026-06-30' },
    ]);
    const [head = [], ...rows] = written()
      .trimEnd()
      .split('\n')
      .map((line) => line.split(','));
    const cells = rows.map((row) => ['Site', 'Date', 'Time', 'UTC', 'Recorder'].map((name) => row[head.indexOf(name)]));
    expect(cells).toEqual([
      ['', '2026-12-31', '12:00:03', '', 'SMM1'],
      ['Pond', '2026-06-30', '01:30:03', '2026-06-29T23:30:03Z', ''],
    ]);
  });

  it('names rows of the list of sites that match no recording, and counts recordings without a site', async () => {
    const said = async (rows: string) => {
      await writeFile(join(folder, 'sites.csv'), `site,folder\n${rows}`);
      const { run, said: all } = set(['cards', '--sites', 'sites.csv', '--format', 'csv']);
      await run();
      return all()
        .split('\n')
        .find((line) => line.startsWith('sites.csv:'));
    };
    await put('cards/Pond/a.wav', 'cards/Pond/b.wav', 'cards/Ho\u0308he/c.wav');
    expect(await said('Mill,POND\n')).toBe(
      'sites.csv: Line 2 (Mill) matched no recording; 3 recordings have no site, the first is cards/Ho\u0308he/c.wav.',
    );
    expect(await said('Mill,Mil\nPond,Pond\nFen,Fens\n')).toBe(
      'sites.csv: Lines 2 (Mill), 4 (Fen) matched no recording; 1 recording has no site, the first is cards/Ho\u0308he/c.wav.',
    );
    expect(await said('Pond,Pond\nHill,Höhe\n')).toBeUndefined();
    expect(await said('Pond,Pond\nHill,Höhe\nMill,Mill\n')).toBe('sites.csv: Line 4 (Mill) matched no recording.');
  });

  it('does not report a site as without recordings if its only recording could not be analysed', async () => {
    await put('cards/Pond/a.wav', 'cards/Mill/b.wav');
    await writeFile(join(folder, 'sites.csv'), 'site,folder\nPond,Pond\nMill,Mill\n');
    const analyzer = fails('b.wav')(new PredictionError('RECORDING_EMPTY', {}));
    const { run, said } = set(['cards', '--sites', 'sites.csv', '--format', 'csv'], { analyzer });
    expect(await run()).toBe(exitCode.input);
    expect(said()).not.toContain('sites.csv');
  });

  it('finds a recorder in the list of sites if the disk writes its name in another form of Unicode', async () => {
    await put('cards/Ka\u0308uz_20260501_051200.wav');
    await writeFile(join(folder, 'sites.csv'), 'site,recorder\nMill,Käuz\n');
    const { run, written, said } = set(['cards', '--sites', 'sites.csv', '--format', 'csv']);
    await run();
    expect(said()).not.toContain('sites.csv');
    expect(written()).toContain(',Mill,');
  });

  it('uses --week for all recordings, and reads no metadata with --no-metadata', async () => {
    await put('20260629_233000.WAV');
    const place = ['--lat', '1', '--lon', '2'];
    const given = set(['.', ...place, '--week', '3']);
    await given.run();
    expect(given.analyzer.asked).toMatchObject([{ week: 3 }]);
    const unread = set(['.', ...place, '--no-metadata']);
    await unread.run();
    expect(unread.analyzer.asked[0]).not.toHaveProperty('week');
  });

  it('says what is wrong with the list of sites', async () => {
    await put('a.wav');
    await writeFile(join(folder, 'sites.csv'), 'site,folder\n,A\n');
    await expect(set(['a.wav', '--sites', 'sites.csv']).run()).rejects.toThrow(
      'sites.csv: Line 2: "" is no site, which must not be empty.',
    );
    await expect(set(['a.wav', '--sites', 'gone.csv']).run()).rejects.toThrow("gone.csv can't be read: there is no such file.");
  });
});

describe('`chiffchaff identify --out FILE`', () => {
  const names = ['a.wav', 'b.wav', 'c.wav', 'd.wav'];
  const args = (...more: string[]) => [...names, '--format', 'csv', '--out', 'birds.csv', ...more];
  const nameless = (failing: string) =>
    createFakeAnalyzer(async ({ fileName }) => {
      if (fileName === failing) throw new PredictionError('RECORDING_EMPTY', {});
      return makePrediction();
    });
  const readOut = (name = 'birds.csv') => readFile(join(folder, name), 'utf8');

  /** The system releases the lock of a process that was killed; this one lives on, so the next run gets another file. */
  const releaseLock = () => rm(join(folder, '.birds.lock'));

  /** Simulates `kill -9` after the first recordings: open files stay open and nothing is cleaned up. */
  async function interrupt(after: number, more: string[] = []): Promise<void> {
    const stuck = createFakeAnalyzer(async ({ fileName }) => {
      if (names.indexOf(fileName ?? '') >= after) return new Promise<never>(() => {});
      if (fileName === 'b.wav') throw new PredictionError('RECORDING_EMPTY', {});
      return makePrediction();
    });
    void set(args(...more), { analyzer: stuck }).run();
    await expect.poll(async () => (await readOut('birds.csv.journal').catch(() => '')).split('\n').length - 2).toBe(after);
    await releaseLock();
  }

  it('writes after an interruption what an uninterrupted run writes, and analyses no finished recording again', async () => {
    await put(...names);
    await set(args(), { analyzer: nameless('b.wav') }).run();
    const [whole, files] = [await readOut(), await readOut('birds.files.csv')];
    for (const after of [0, 1, 2, 3]) {
      await rm(join(folder, 'birds.csv'));
      await interrupt(after);
      const { run, analyzer, said } = set(args(), { analyzer: nameless('b.wav') });
      expect(await run()).toBe(exitCode.input);
      expect(analyzer.asked).toHaveLength(4 - after);
      expect(said().includes('Going on')).toBe(after > 0);
      expect(await readOut()).toBe(whole);
      expect(await readOut('birds.files.csv')).toBe(files);
      expect(await readdir(folder)).not.toContain('birds.csv.journal');
    }
  });

  it('analyses a recording again if its decoder failed in a run that was then interrupted', async () => {
    await put(...names);
    const stuck = createFakeAnalyzer(async ({ fileName }) => {
      if (fileName === 'b.wav') throw new PredictionError('DECODER_FAILED', {});
      return fileName === 'd.wav' ? new Promise<never>(() => {}) : makePrediction();
    });
    void set(args(), { analyzer: stuck }).run();
    await expect.poll(() => stuck.asked.length).toBe(4);
    await expect.poll(async () => (await readOut('birds.csv.journal')).split('\n').length - 2).toBe(2);
    await releaseLock();
    const { run, analyzer } = set(args());
    expect(await run()).toBe(exitCode.done);
    expect(analyzer.asked.map(({ fileName }) => fileName).sort()).toEqual(['b.wav', 'd.wav']);
  });

  it('continues an interrupted run from its journal of finished recordings, wherever that was cut off', async () => {
    await put(...names);
    await interrupt(2);
    const journal = await readFile(join(folder, 'birds.csv.journal'));
    const steps = Math.ceil(journal.length / 40);
    for (let length = 0; length <= journal.length; length += steps) {
      await writeFile(join(folder, 'birds.csv.journal'), journal);
      await truncate(join(folder, 'birds.csv.journal'), length);
      const { run, analyzer } = set(args('--overwrite'), { analyzer: nameless('b.wav') });
      expect(await run(), `cut to ${length}`).toBe(exitCode.input);
      expect((await readOut()).trimEnd().split('\n')).toHaveLength(4);
      expect(analyzer.asked.length).toBeGreaterThanOrEqual(2);
    }
  });

  it('analyses a finished recording again if it has changed since the interruption', async () => {
    await put(...names);
    await interrupt(3);
    await writeFile(join(folder, 'a.wav'), 'another');
    await utimes(join(folder, 'c.wav'), 1, 1);
    const { run, analyzer } = set(args(), { analyzer: nameless('b.wav') });
    await run();
    // Several recordings are analysed concurrently, in any order.
    expect(analyzer.asked.map(({ fileName }) => fileName).sort()).toEqual(['a.wav', 'c.wav', 'd.wav']);
  });

  it('refuses to continue an interrupted run with other settings', async () => {
    await put(...names);
    await interrupt(2);
    await expect(set(args('--min-score', '0.5')).run()).rejects.toThrow(
      new UsageError(
        'A run with other settings was interrupted here. Run it again as it was, delete birds.csv.journal, or choose another name.',
      ),
    );
    const { run, analyzer } = set(args('--show-hidden', '--excel-safe'), { analyzer: nameless('b.wav') });
    expect(await run()).toBe(exitCode.input);
    expect(analyzer.asked).toHaveLength(2);
  });

  it('replaces an existing file only with --overwrite, and only when the new one is complete', async () => {
    await put(...names);
    await writeFile(join(folder, 'birds.csv'), 'last year');
    await expect(set(args()).run()).rejects.toThrow(
      new UsageError('birds.csv exists already. Add --overwrite to replace it, or choose another name.'),
    );
    await interrupt(2, ['--overwrite']);
    expect(await readOut()).toBe('last year');
    await set(args('--overwrite')).run();
    expect(await readOut()).toMatch(/^Start \(s\),/);
    expect(() => readOptions(identifyCommand, ['a.wav', '--overwrite'])).toThrow('--overwrite needs --out');
  });

  it('reports a recording whose end is missing: at once, in its rows and in the list of recordings', async () => {
    await put('a.wav', 'b.wav');
    const analyzer = createFakeAnalyzer(async ({ fileName }) =>
      makePrediction({
        recording: { ...makePrediction().recording, fileName, truncated: fileName === 'a.wav' },
        checkUp: fileName === 'a.wav' ? [{ code: 'ENDED_EARLY', share: 0.5 }] : [],
      }),
    );
    const { run, said } = set(['a.wav', 'b.wav', '--out', 'birds.csv', '--format', 'csv'], { analyzer });
    expect(await run()).toBe(exitCode.done);
    const sentence = 'The recording ends earlier than it says. What could be read was analysed.';
    expect(said()).toContain(`a.wav: ${sentence}\n`);
    expect(said()).not.toContain('b.wav:');
    const [, first, second] = (await readOut()).split('\n');
    expect([first, second]).toEqual([expect.stringMatching(/,ENDED_EARLY$/), expect.stringMatching(/,$/)]);
    expect((await readOut('birds.files.csv')).split('\n').slice(1, 3)).toEqual([
      `a.wav,analysed,31.2,1,,,,,,,ENDED_EARLY,${sentence}`,
      'b.wav,analysed,31.2,1,,,,,,,,',
    ]);
  });

  it('says only once, for all recordings, that they have several sound tracks', async () => {
    await put('a.wav', 'b.wav', 'c.wav');
    const analyzer = createFakeAnalyzer(async ({ fileName }) =>
      makePrediction({
        recording: { ...makePrediction().recording, fileName, sha256: String(fileName) },
        checkUp: fileName === 'b.wav' ? [] : [{ code: 'SEVERAL_TRACKS', share: 1 }],
      }),
    );
    const { run, said } = set(['a.wav', 'b.wav', 'c.wav', '--out', 'birds.csv', '--format', 'csv'], { analyzer });
    expect(await run()).toBe(exitCode.done);
    expect(said().split('several sound tracks')).toHaveLength(2);
    expect(said()).toContain('a.wav and 1 more: It has several sound tracks.');
  });

  it.each([
    ['without hidden ones', [], 1],
    ['with hidden ones if the table has them', ['--show-hidden'], 3],
  ] as const)('states in the list of recordings how many detections each has, %s', async (_which, more, count) => {
    await put('a.wav', 'b.wav');
    const [bird] = makePrediction().detections;
    if (bird === undefined) throw new Error('no bird');
    const detections = [{ ...bird, hidden: true }, { ...bird, hidden: true }, bird];
    const analyzer = createFakeAnalyzer(async () => makePrediction({ detections }));
    await set(['a.wav', 'b.wav', '--out', 'birds.csv', '--format', 'csv', ...more], { analyzer }).run();
    expect((await readOut()).trimEnd().split('\n')).toHaveLength(1 + 2 * count);
    expect((await readOut('birds.files.csv')).split('\n')[1]).toContain(`a.wav,analysed,31.2,${count},`);
  });

  it('lists every recording, with the number of its detections or the reason why it failed', async () => {
    await put('SMM1_20261231_120000.wav', 'b.wav');
    await set(['SMM1_20261231_120000.wav', 'b.wav', 'gone.wav', '--out', 'birds.csv', '--format', 'csv'], {
      analyzer: nameless('b.wav'),
    }).run();
    expect((await readOut('birds.files.csv')).trimEnd().split('\n')).toEqual([
      'File,State,Seconds,Detections,Site,Latitude,Longitude,Date,Time,UTC,Problem,Message',
      'SMM1_20261231_120000.wav,analysed,31.2,1,,,,2026-12-31,12:00:00,,,',
      'b.wav,failed,,,,,,,,,RECORDING_EMPTY,There is no audio in this file.',
      'gone.wav,failed,,,,,,,,,NOT_FOUND,There is no file or folder at gone.wav.',
    ]);
  });
});
