import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { surveyCsvHeader } from '@chiffchaff/survey';
import { labelsCsv } from '@chiffchaff/survey/testing/tables';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exitCode, SetUpError } from '../command-error.ts';
import { lockOutput } from '../files.ts';
import { createCapturedTerminal } from '../testing/captured-terminal.ts';
import { makeWave } from '../testing/fake-wave.ts';
import { readOptions } from '../testing/read-options.ts';
import { segmentsCommand } from './options.ts';
import { runSegments } from './run-segments.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chiffchaff-segments-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const header = surveyCsvHeader().trimEnd().split(',');
const rowOf = (cells: Readonly<Record<string, string | number>>): string =>
  header.map((name) => `"${String(cells[name] ?? '').replaceAll('"', '""')}"`).join(',');
const bird = (file: string, start: number, confidence: number, name = 'Parus major', common = 'Great Tit') =>
  rowOf({
    ...{ 'Start (s)': start, 'End (s)': start + 3, 'Scientific name': name, 'Common name': common },
    ...{ Score: confidence, Confidence: confidence, File: file, Hidden: 'false' },
  });

/** Plain WAV needs no ffmpeg; the nonexistent program shows that none is called. */
const run = (...args: readonly string[]) => runWith('/nonexistent/ffmpeg', ...args);

async function runWith(ffmpegPath: string, ...args: readonly string[]) {
  const terminal = createCapturedTerminal();
  const signal = new AbortController().signal;
  const config = { startFolder: folder, workers: 2 };
  const options = readOptions(segmentsCommand, ['--out', 'clips', ...args]);
  const code = await runSegments(options, { config, terminal, signal, findFfmpeg: async () => ffmpegPath });
  return { code, said: terminal.said(), written: terminal.written() };
}
const put = async (name: string, content: string | Uint8Array) => {
  await mkdir(join(folder, name, '..'), { recursive: true });
  await writeFile(join(folder, name), content);
};
const putTable = (name: string, ...rows: readonly string[]) => put(name, [header.join(','), ...rows, ''].join('\n'));
const listed = async () => (await readFile(join(folder, 'clips/segments.csv'), 'utf8')).trimEnd().split('\n');

describe('`chiffchaff segments`', () => {
  it('cuts segments into one folder for each species, and lists them in a table', async () => {
    await put('card/a.wav', makeWave({ seconds: 12, sampleRate: 8000 }));
    await putTable(
      'birds.csv',
      bird('card/a.wav', 3, 0.9),
      bird('card/a.wav', 0, 0.4),
      bird('card/a.wav', 8, 0.7, 'Apus apus', ''),
    );
    await put('birds.files.csv', 'File,State,Seconds,Detections\ncard/a.wav,analysed,12,3\n');
    expect(await run('--in', 'birds.csv')).toEqual({
      code: exitCode.done,
      said: '3 segments of 2 species are in clips, listed in segments.csv.\n',
      written: '',
    });
    expect((await readdir(join(folder, 'clips'), { recursive: true })).sort()).toEqual([
      ...['Apus apus', 'Apus apus/0.700_a_00007.0s.wav', 'Parus major_Great Tit'],
      ...['Parus major_Great Tit/0.400_a_00000.0s.wav', 'Parus major_Great Tit/0.900_a_00002.0s.wav', 'segments.csv'],
    ]);
    expect(await listed()).toEqual([
      'Segment,File,Start (s),End (s),Detection start (s),Detection end (s),Scientific name,Common name,Confidence,Score,Site,Date,Time',
      'Apus apus/0.700_a_00007.0s.wav,card/a.wav,7.000,12.000,8,11,Apus apus,,0.7000,0.7000,,,',
      'Parus major_Great Tit/0.900_a_00002.0s.wav,card/a.wav,2.000,7.000,3,6,Parus major,Great Tit,0.9000,0.9000,,,',
      'Parus major_Great Tit/0.400_a_00000.0s.wav,card/a.wav,0.000,5.000,0,3,Parus major,Great Tit,0.4000,0.4000,,,',
    ]);
    const original = Buffer.from(makeWave({ seconds: 12, sampleRate: 8000 }));
    const clip = await readFile(join(folder, 'clips/Parus major_Great Tit/0.900_a_00002.0s.wav'));
    expect(clip.subarray(44).equals(original.subarray(44 + 2 * 2 * 8000, 44 + 2 * 7 * 8000))).toBe(true);
  });

  it('leaves out detections below the given thresholds or rejected by a label, but not those that a person confirmed', async () => {
    await put('a.wav', makeWave({ seconds: 12, sampleRate: 8000 }));
    await putTable('birds.csv', bird('a.wav', 0, 0.9), bird('a.wav', 3, 0.3), bird('a.wav', 6, 0.3), bird('a.wav', 9, 0.8));
    await put('t.csv', 'Scientific name,Threshold\nParus major,0.5\n');
    await put('labels.csv', labelsCsv(['Ada', 'a.wav', 3, 'Parus major', 'yes'], ['Ada', 'a.wav', 9, 'Parus major', 'no']));
    const { said } = await run('--in', 'birds.csv', '--thresholds', 't.csv', '--labels', 'labels.csv');
    expect(said.split('\n')).toEqual([
      'Left out: 1 detection that a person said is another bird or none.',
      'Left out: 1 detection below the threshold of its species.',
      ...['2 segments of 1 species are in clips, listed in segments.csv.', ''],
    ]);
    expect((await listed()).slice(1).map((line) => line.split(',')[4])).toEqual(['0', '3']);
  });

  it('reads a folder of tables, but not those of other programs among them', async () => {
    await put('a.wav', makeWave({ seconds: 12, sampleRate: 8000 }));
    await putTable('tables/birds.csv', bird('a.wav', 3, 0.9));
    await put('tables/birds.analyzer.csv', 'Start (s),End (s),Scientific name,Common name,Confidence,File\n');
    await put('tables/birds.kaleidoscope.csv', 'INDIR,FOLDER,IN FILE\n');
    expect(await run('--in', 'tables')).toMatchObject({ code: exitCode.done });
  });

  it('continues after a recording that is missing, damaged or too short, and says so', async () => {
    await put('a.wav', makeWave({ seconds: 6, sampleRate: 8000 }));
    await put('text.wav', 'no sound at all');
    await putTable(
      'birds.csv',
      ...['a.wav', 'gone.wav', 'text.wav'].flatMap((file) => [bird(file, 0, 0.9), bird(file, 30, 0.8)]),
    );
    const { code, said } = await run('--in', 'birds.csv');
    expect(code).toBe(exitCode.input);
    expect(said.trimEnd().split('\n').sort()).toEqual([
      '1 segment of 1 species is in clips, listed in segments.csv.',
      '5 segments could not be cut.',
      'a.wav: It ends before its detections: is it another recording?',
      'gone.wav: There is no such recording. --recordings names the folder that tables are relative to.',
      expect.stringMatching(/^text\.wav: /),
    ]);
    expect(await listed()).toHaveLength(2);
    expect(await readdir(join(folder, 'clips/Parus major_Great Tit'))).toEqual(['0.900_a_00000.0s.wav']);
  });

  it('finds recordings relative to their table, or in the folder of --recordings', async () => {
    await put('season/card/a.wav', makeWave({ seconds: 6, sampleRate: 8000 }));
    await put('season/card/=a.wav', makeWave({ seconds: 6, sampleRate: 8000 }));
    await putTable('season/birds.csv', bird('card/a.wav', 1, 0.9));
    expect((await run('--in', 'season')).code).toBe(exitCode.done);
    await putTable('birds.csv', bird('a.wav', 1, 0.9), bird("'=a.wav", 1, 0.9));
    expect((await run('--in', 'birds.csv', '--recordings', 'season/card', '--overwrite')).code).toBe(exitCode.done);
    expect(await listed()).toHaveLength(3);
  });

  it('finds recordings of tables from Windows, and from macOS, where accents in file names have another form', async () => {
    await put('surv/Ka\u0308uzchen/a.wav', makeWave({ seconds: 6, sampleRate: 8000 }));
    await put('surv/B/back\\slash.wav', makeWave({ seconds: 6, sampleRate: 8000 }));
    await putTable(
      'birds.csv',
      ...['surv\\Käuzchen\\a.wav', 'surv/Käuzchen/a.wav', 'surv/B/back\\slash.wav'].map((file) => bird(file, 1, 0.9)),
    );
    expect(await run('--in', 'birds.csv')).toMatchObject({
      ...{ code: exitCode.done, said: expect.stringContaining('2 segments of 1 species') },
    });
  });

  it('finds recordings of a card that is now elsewhere, by the longest end of their paths that --recordings contains', async () => {
    await put('surv/B/a.wav', makeWave({ seconds: 6, sampleRate: 8000 }));
    await put('surv/one.wav', makeWave({ seconds: 6, sampleRate: 8000 }));
    await putTable(
      'birds.csv',
      ...['D:\\cards\\B\\a.wav', '/media/card1/C/one.wav', '../../surv/B/a.wav'].map((file) => bird(file, 1, 0.9)),
    );
    expect(await run('--in', 'birds.csv', '--recordings', 'surv')).toMatchObject({ code: exitCode.input });
    await putTable('birds.csv', ...['D:\\cards\\B\\a.wav', '/media/card1/C/one.wav'].map((file) => bird(file, 1, 0.9)));
    expect(await run('--in', 'birds.csv', '--recordings', 'surv', '--overwrite')).toMatchObject({ code: exitCode.done });
    expect(await listed()).toHaveLength(3);
    // The same name on two cards: one file cannot be both.
    await putTable('birds.csv', ...['D:\\A\\one.wav', 'E:\\B\\one.wav'].map((file) => bird(file, 1, 0.9)));
    expect(await run('--in', 'birds.csv', '--recordings', 'surv', '--overwrite')).toMatchObject({
      ...{ code: exitCode.input, said: expect.stringContaining('2 segments could not be cut.') },
    });
  });

  it('replaces no existing file without --overwrite, and writes nothing outside its folder', async () => {
    await put('a.wav', makeWave({ seconds: 6, sampleRate: 8000 }));
    await putTable('birds.csv', bird('a.wav', 1, 0.9, '../../Parus', '/etc'));
    await run('--in', 'birds.csv');
    const clip = 'clips/__.._parus__etc/0.900_a_00000.0s.wav';
    expect((await readFile(join(folder, clip))).length).toBe(44 + 5 * 16_000);
    await expect(run('--in', 'birds.csv')).rejects.toThrow('exists already. Add --overwrite');
    // A link in place of a segment, then of a folder.
    await put('precious', 'last year');
    await rm(join(folder, clip));
    await symlink(join(folder, 'precious'), join(folder, clip));
    await expect(run('--in', 'birds.csv')).rejects.toThrow('exists already');
    await run('--in', 'birds.csv', '--overwrite');
    expect(await readFile(join(folder, 'precious'), 'utf8')).toBe('last year');
    await rm(join(folder, clip, '..'), { recursive: true });
    await mkdir(join(folder, 'elsewhere'));
    await symlink(join(folder, 'elsewhere'), join(folder, clip, '..'));
    await expect(run('--in', 'birds.csv', '--overwrite')).rejects.toThrow('is a link to another folder');
    expect(await readdir(join(folder, 'elsewhere'))).toEqual([]);
  });

  it('ends at once while another run is writing to its folder', async () => {
    await put('a.wav', makeWave({ seconds: 4, sampleRate: 8000 }));
    await putTable('birds.csv', bird('a.wav', 0, 0.9));
    {
      using _other = await lockOutput(join(folder, 'clips/segments'), 'clips');
      await expect(run('--in', 'birds.csv')).rejects.toThrow(
        new SetUpError('Another run is writing to clips. Wait until it has ended, or choose another name.'),
      );
    }
    expect(await readdir(join(folder, 'clips'))).toEqual([]);
    expect(await run('--in', 'birds.csv')).toMatchObject({ code: exitCode.done });
    expect((await readdir(join(folder, 'clips'))).sort()).toEqual(['Parus major_Great Tit', 'segments.csv']);
  });

  it('leaves out birds hidden by location and detections below --min-confidence, and refuses tables of other programs', async () => {
    const hidden = rowOf({
      ...{
        'Start (s)': 0,
        'End (s)': 3,
        'Scientific name': 'Parus major',
        Score: 0.9,
        Confidence: 0,
        Hidden: 'true',
        File: 'a.wav',
      },
    });
    await putTable('birds.csv', bird('a.wav', 0, 0.3), hidden);
    await expect(run('--in', 'birds.csv', '--min-confidence', '0.5')).rejects.toThrow('None of the detections');
    await put('raven.txt', 'Selection\tView\n');
    await expect(run('--in', 'raven.txt')).rejects.toThrow(
      'raven.txt: This is a selection table of Raven. Give the CSV of identify',
    );
    await expect(run('--in', 'nothing.csv')).rejects.toThrow("The table nothing.csv can't be read: there is no such file.");
  });

  it.each(['No space left on device', 'Disk quota exceeded'])(
    'stops at a full disk, and names the output folder instead of a recording as the cause: %s',
    async (reason) => {
      await put('a.wav', makeWave({ seconds: 12, sampleRate: 8000 }));
      await putTable('birds.csv', bird('a.wav', 3, 0.9));
      await put('ffmpeg', `#!/bin/sh\necho "[error] av_interleaved_write_frame(): ${reason}" >&2\nexit 1\n`);
      await chmod(join(folder, 'ffmpeg'), 0o755);
      const cutting = runWith(join(folder, 'ffmpeg'), '--in', 'birds.csv', '--format', 'flac');
      await expect(cutting).rejects.toThrow(new SetUpError("clips can't be written: no space left on device."));
      expect((await readdir(join(folder, 'clips'), { recursive: true })).filter((name) => name.includes('a_'))).toEqual([]);
    },
  );
});
