import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { circumstancesOf } from '../circumstances.ts';
import { recordingTime } from '../recording-time.ts';
import { big, box, bytesOf, chunk, comments, fileType, id3, little, oggPage, utf8, wave, zeros } from '../testing/fake-files.ts';
import { bytesOfBlob, createBoundedReader } from './bounded-reader.ts';
import { type DateAndPlace, readRecordingMetadata } from './read-recording-metadata.ts';

const readFile = async (file: File): Promise<DateAndPlace> => {
  const { date, place } = await readRecordingMetadata(file.name, bytesOfBlob(file), { nowMs: Date.UTC(2026, 10, 28) });
  return { date, place };
};
const read = (bytes: Uint8Array<ArrayBuffer>, name = 'morning') => readFile(new File([bytes], name));
const dated = (value: string) => ({ date: { value, from: 'metadata' }, place: null });

const sound = chunk('data', bytesOf(zeros(101)));
const audioMoth = (comment: string) => chunk('LIST', bytesOf('INFO', chunk('ICMT', utf8(`${comment}\0`))));
const guano = (text: string) => chunk('guan', utf8(text));
const bext = (date: string) => chunk('bext', bytesOf(zeros(320), date, '05:12:44', zeros(274)));

describe('A WAV recording', () => {
  it.each(['UTC', 'UTC+2', 'UTC-3:30'])('of an AudioMoth is dated by its comment, day first (%s)', async (zone) => {
    const comment = `Recorded at 05:12:44 01/05/2026 (${zone}) by AudioMoth 24E144085F256 at medium gain.`;
    expect(await read(wave(audioMoth(comment), sound))).toEqual(dated('2026-05-01'));
  });

  it('with GUANO metadata behind the samples is dated and placed by the metadata', async () => {
    const text = 'GUANO|Version: 1.0\nTimestamp: 2026-05-01T05:12:44+02:00\nLoc Position: 50.8357 -12.9292\n';
    expect(await read(wave(sound, guano(text)))).toEqual({
      date: { value: '2026-05-01', from: 'metadata' },
      place: { latitude: 50.8357, longitude: -12.9292 },
    });
  });

  it.each(['2026-05-01', '2026:05:01', '2026/05/01'])(
    'with the broadcast extension is dated by the extension (%s)',
    async (date) => {
      expect(await read(wave(bext(date), sound))).toEqual(dated('2026-05-01'));
    },
  );

  it('of more than 4 GiB is read by its 64-bit sizes', async () => {
    const ds64 = chunk('ds64', bytesOf(little(0, 8), little(6, 8), zeros(8)));
    const long = bytesOf(
      'RF64',
      little(0xffffffff),
      'WAVE',
      ds64,
      'data',
      little(0xffffffff),
      zeros(6),
      guano('Timestamp: 2026-05-01T05:12'),
    );
    expect(await read(long)).toEqual(dated('2026-05-01'));
  });

  it.each(['0.0 0.0', '91 12', '50.8', 'NaN 3', '50.8 1e3'])('has no place if its metadata says “%s”', async (position) => {
    expect((await read(wave(guano(`Loc Position: ${position}\n`)))).place).toBeNull();
  });
});

describe('The metadata of a WAV recording', () => {
  const readAll = (bytes: Uint8Array<ArrayBuffer>, name = 'morning.wav', nowMs = Date.UTC(2026, 10, 28)) =>
    readRecordingMetadata(name, bytesOfBlob(new File([bytes], name)), { nowMs });
  const at = (date: string, time: string | null, from: 'metadata' | 'name' = 'metadata') => ({
    date: { value: date, from },
    time,
  });

  it.each([
    ['before clocks of recorders were right', '2000-01-01'],
    ['in the future', '2031-05-01'],
    ['years before that of the name', '2015-01-01'],
    ['three days before that of the name', '2026-04-28'],
    ['three days after that of the name', '2026-05-04'],
  ])('is overruled by the file name, with a note, if its day is %s', async (_, day) => {
    const found = await readAll(wave(bext(day), sound), '20260501_051200.wav');
    expect(found).toMatchObject(at('2026-05-01', '05:12:00', 'name'));
    expect(found.notes).toEqual(['DAY_OF_NAME']);
  });

  it('decides the day unless the file name has a likelier one, with a note if the day is doubtful', async () => {
    expect(await readAll(wave(bext('2000-01-01'), sound))).toMatchObject({
      ...at('2000-01-01', '05:12:44'),
      notes: ['DAY_DOUBTFUL'],
    });
    expect(await readAll(wave(bext('2000-01-01'), sound), '20000101_051244.wav')).toMatchObject(at('2000-01-01', '05:12:44'));
    expect(await readAll(wave(bext('2015-01-01'), sound), '260501_0001.wav')).toMatchObject({
      ...at('2015-01-01', '05:12:44'),
      notes: ['DAY_OF_HEADER'],
    });
    expect(await readAll(wave(bext('2026-05-01'), sound), '20000101_051200.wav')).toMatchObject({
      ...at('2026-05-01', '05:12:44'),
      notes: ['DAY_OF_HEADER'],
    });
    for (const name of ['20260429_051200.wav', '20260501_051200.wav', '20260503_051200.wav']) {
      expect(await readAll(wave(bext('2026-05-01'), sound), name)).toMatchObject({ ...at('2026-05-01', '05:12:44'), notes: [] });
    }
  });

  it.each(['24-05-01\0\0', '24:05:01\0\0'])('is read if the year has two digits (%j)', async (date) => {
    expect(await readAll(wave(bext(date), sound))).toMatchObject(at('2024-05-01', '05:12:44'));
  });

  it.each([
    ['a note of 70 kB', `Note: ${'x'.repeat(70_000)}`],
    ['600 other fields', Array.from({ length: 600 }, (_, index) => `SB|Field ${index}: ${index}`).join('\n')],
    ['a note of 700 kB', `Note: ${'|'.repeat(700_000)}`],
  ])('is found in GUANO behind %s', async (_, before) => {
    const text = `GUANO|Version: 1.0\n${before}\nTimestamp: 2024-05-01T05:12:44Z\nSerial: 123\n`;
    expect(await readAll(wave(sound, guano(text)))).toMatchObject({ ...at('2024-05-01', '05:12:44'), recorders: ['123'] });
  });

  it('is found in two chunks of GUANO, and behind samples without a length', async () => {
    const first = guano('Timestamp: 2024-05-01T05:12:44Z\nSerial: 123\n');
    expect(await readAll(wave(sound, first, guano('Note: x\nSerial: 456\n')))).toMatchObject({
      ...at('2024-05-01', '05:12:44'),
      recorders: ['456'],
    });
    const samples = zeros(5000).map((_, index) => 1 + (index % 200));
    expect(await readAll(wave(bytesOf('data', little(0), samples), first))).toMatchObject(at('2024-05-01', '05:12:44'));
  });

  it.each([
    ['Loc Position: 50,8357 -12,9292'],
    ['Loc Position: 50.8357° N, 12.9292° W'],
    ['Loc Position: 50.8357N 12.9292W'],
    ['loc position:50.8357,-12.9292\r'],
  ])('has a place in any usual notation (%s)', async (position) => {
    expect((await readAll(wave(guano(position)))).place).toEqual({ latitude: 50.8357, longitude: -12.9292 });
  });

  it.each(['05:12:44 UTC', '05:12:44 GMT', '05:12:44Z', '05:12:44+00:00'])('has a time in UTC (%s)', async (time) => {
    expect(await readAll(wave(guano(`Timestamp: 2024-05-01 ${time}`)))).toMatchObject({
      ...at('2024-05-01', '05:12:44'),
      offsetMinutes: 0,
    });
  });

  it.each([
    ['Temperature Int: 21,5 °C', 21.5],
    ['Temperature Ext: 21.5 degC', 21.5],
    ['Temperature Int: 70.7 F', 21.5],
    ['Temperature Int: warm', null],
  ])('has a temperature in °C (%s: %j)', async (line, temperature) => {
    expect((await readAll(wave(guano(line)))).temperature).toBe(temperature);
  });

  it.each([
    ['GUANO of a maker', wave(guano('WA|Kaleidoscope|Version: 5\nPET|Serial: A1B2C3D4\n'))],
    ['GUANO, with another word', wave(guano('Device Serial Number: A1B2C3D4\n'))],
    ['the artist of an AudioMoth', wave(chunk('LIST', bytesOf('INFO', chunk('IART', utf8('AudioMoth A1B2C3D4\0')))), sound)],
    [
      'a field behind an odd one without padding',
      wave(chunk('LIST', bytesOf('INFO', 'ICMT', little(3), 'abc', chunk('IART', utf8('AudioMoth A1B2C3D4\0')))), sound),
    ],
  ])('has the serial number of the recorder in %s', async (_, bytes) => {
    expect((await readAll(bytes)).recorders).toEqual(['A1B2C3D4']);
  });

  it('of the first AudioMoths has a time in UTC, although it does not say so', async () => {
    const comment =
      'Recorded at 12:00:00 14/06/2018 by AudioMoth 0FE081F80FE081F0 at gain setting 2 while battery state was 4.2V';
    const found = await readAll(wave(audioMoth(comment), sound));
    expect(found).toMatchObject({ ...at('2018-06-14', '12:00:00'), offsetMinutes: 0, recorders: ['0FE081F80FE081F0'] });
  });

  it('is found behind an odd chunk without padding, before the samples or behind them', async () => {
    const odd = bytesOf('note', little(5), 'early');
    const text = guano('Timestamp: 2026-05-01T05:12:44Z\n');
    expect(await readAll(wave(odd, text, sound))).toMatchObject(at('2026-05-01', '05:12:44'));
    expect(await readAll(wave(bytesOf('data', little(101), zeros(101)), text))).toMatchObject(at('2026-05-01', '05:12:44'));
  });

  it('comes with a note if the header states a wrong length, or if the recorder waited for a trigger', async () => {
    const samples = bytesOf(zeros(5000).map((_, index) => 1 + (index % 200)));
    expect((await readAll(wave(bytesOf('data', little(44), samples)))).notes).toEqual(['WRONG_HEADER']);
    expect((await readAll(wave(chunk('data', samples), guano('Note: x')))).notes).toEqual([]);
    const comment =
      'Recorded at 05:12:44 01/05/2026 (UTC) by AudioMoth 24E144085F256AB1. Frequency trigger (8kHz) threshold was 1%.';
    const triggered = (bytes: number) =>
      readAll(wave(chunk('fmt ', bytesOf(zeros(12), bytes, 0, 8 * bytes, 0)), audioMoth(comment), sound), '20260501_051244T.WAV');
    expect((await triggered(2)).notes).toEqual(['TRIGGERED']);
    expect((await triggered(3)).notes).toEqual(['NOT_EXPANDED']);
    expect((await readAll(bytesOf('fLaC'), '20260501_051244T.flac')).notes).toEqual(['NOT_EXPANDED']);
  });
});

describe('An MP4 recording', () => {
  const noon = Date.UTC(2026, 4, 1, 12) / 1000 + 2_082_844_800;
  const mvhd = (seconds: number) => box('mvhd', big(0), big(seconds), zeros(92));
  const own = (name: string, text: string) => box(`©${name}`, big(utf8(text).length, 2), [0x15, 0xc7], utf8(text));
  const item = (name: string, text: string) => box(name, box('data', big(1), big(0), utf8(text)));

  it('is dated by its creation time if nothing better is stated', async () => {
    expect(await read(bytesOf(fileType, box('moov', mvhd(noon)), box('mdat', zeros(50))))).toEqual(dated('2026-05-01'));
    expect(await read(bytesOf(fileType, box('moov', mvhd(noon))), 'Aufnahme 30.04.2026.m4a')).toEqual({
      date: { value: '2026-04-30', from: 'name' },
      place: null,
    });
    expect(await read(bytesOf(fileType, box('moov', mvhd(0))))).toEqual({ date: null, place: null });
  });

  it('with its index behind the samples is dated and placed by the text fields that phones write', async () => {
    const data = box('udta', own('day', '2026-05-01T05:12:44+0200'), own('xyz', '+50.8357+012.9292+300.1/'));
    expect(await read(bytesOf(fileType, box('mdat', zeros(5000)), box('moov', mvhd(noon + 9e6), data)))).toEqual({
      date: { value: '2026-05-01', from: 'metadata' },
      place: { latitude: 50.8357, longitude: 12.9292 },
    });
  });

  it('with iTunes metadata is dated by the metadata', async () => {
    const meta = box('meta', big(0), box('hdlr', zeros(25)), box('ilst', item('©too', 'x'), item('©day', '2026-05-01')));
    expect(await read(bytesOf(fileType, box('moov', mvhd(noon + 9e6), box('udta', meta))))).toEqual(dated('2026-05-01'));
  });

  it('with QuickTime keys is dated and placed by the keys', async () => {
    const names = ['com.apple.quicktime.make', 'com.apple.quicktime.location.ISO6709', 'com.apple.quicktime.creationdate'];
    const keys = box('keys', big(0), big(3), ...names.map((name) => bytesOf(big(8 + name.length), 'mdta', name)));
    const list = box(
      'ilst',
      item('\0\0\0\x01', 'Apple'),
      item('\0\0\0\x02', '-33.8568+151.2153/'),
      item('\0\0\0\x03', '2026-05-01T05:12:44+1000'),
    );
    expect(await read(bytesOf(fileType, box('moov', box('meta', box('hdlr', zeros(24)), keys, list))))).toEqual({
      date: { value: '2026-05-01', from: 'metadata' },
      place: { latitude: -33.8568, longitude: 151.2153 },
    });
  });

  it('states the moment at which it was made, whatever the time zone of this computer', async () => {
    // 3:30 in UTC is the evening before in New York.
    const made = new File([bytesOf(fileType, box('moov', mvhd(noon - 8.5 * 3600)))], 'New Recording 12.m4a');
    const nowMs = Date.UTC(2026, 10, 28);
    const found = await readRecordingMetadata(made.name, bytesOfBlob(made), { nowMs });
    expect(found).toMatchObject({ date: { value: '2026-05-01' }, time: '03:30:00', offsetMinutes: 0 });
    expect(found.isTimeOfFile).toBe(true);
    const sentence = expect.stringContaining('at which the file was made');
    expect(circumstancesOf(made.name, found, {}).notes).toEqual([sentence]);
    expect(recordingTime(found, { timeZone: 'America/New_York' })).toMatchObject({ date: '2026-04-30', time: '23:30:00' });
    const onThePage = await readRecordingMetadata(made.name, bytesOfBlob(made), { nowMs, minutesAhead: () => -240 });
    expect(onThePage).toMatchObject({ date: { value: '2026-04-30' }, time: '23:30:00', offsetMinutes: -240 });
  });

  it.each([0, 2_082_844_800 + 3600, 2 ** 32 - 1])('has no date from an impossible time (%i s since 1904)', async (seconds) => {
    expect(await read(bytesOf(fileType, box('moov', mvhd(seconds))))).toEqual({ date: null, place: null });
  });

  it('with 64-bit sizes is read', async () => {
    const long = bytesOf(big(1), 'mdat', big(116, 8), zeros(100));
    expect(await read(bytesOf(fileType, long, box('moov', mvhd(noon))))).toEqual(dated('2026-05-01'));
  });
});

describe('A recording in a compressed format', () => {
  const latin = (text: string) => bytesOf(0, text);
  const wide = (text: string) => bytesOf(1, [0xff, 0xfe], ...[...text].map((letter) => little(letter.charCodeAt(0), 2)));

  const frame = bytesOf([0xff, 0xfb, 0x90, 0x64], zeros(413));
  const mp3 = (tag: Uint8Array) => bytesOf(tag, frame, frame);

  it('is dated by ID3 if it is an MP3', async () => {
    expect(await read(mp3(id3(4, { TIT2: latin('x'.repeat(400)), TDRC: latin('2026-05-01T05:12') })))).toEqual(
      dated('2026-05-01'),
    );
    expect(await read(mp3(id3(3, { TYER: wide('2026'), TDAT: latin('0105') })))).toEqual(dated('2026-05-01'));
    expect(await read(mp3(id3(3, { TYER: latin('2026') })))).toEqual({ date: null, place: null });
  });

  it('is dated by its comments if it is a FLAC', async () => {
    const list = comments('TITLE=x', 'date=2026-05-01');
    const flac = bytesOf('fLaC', 0, big(34, 3), zeros(34), 0x84, big(list.length, 3), list);
    expect(await read(flac)).toEqual(dated('2026-05-01'));
  });

  it('of a BAR-LT recorder is dated, placed and ascribed to that recorder by its comments', async () => {
    const list = comments('RecordingStart=2026-05-01T05:12:44+1000', 'SensorLocation=-27.3866 +152.8761', 'SensorUid=00013577');
    const flac = bytesOf('fLaC', 0, big(34, 3), zeros(34), 0x84, big(list.length, 3), list);
    expect(await readRecordingMetadata('a.flac', bytesOfBlob(new Blob([flac])))).toMatchObject({
      ...{ date: { value: '2026-05-01' }, time: '05:12:44', offsetMinutes: 600 },
      ...{ place: { latitude: -27.3866, longitude: 152.8761 }, recorders: ['00013577'] },
    });
  });

  const audioMothSaid =
    'Recorded at 05:12:44 01/05/2024 (UTC+2) by AudioMoth 0FE081F80FE081F0 while battery was 4.1V and temperature was 21.5C.';
  const flacOf = (list: Uint8Array) => bytesOf('fLaC', 0, big(34, 3), zeros(34), 0x84, big(list.length, 3), list);
  it.each([
    ['a FLAC', flacOf(comments(`DESCRIPTION=${audioMothSaid}`, 'DATE=2024'))],
    [
      'an Ogg',
      bytesOf(oggPage(bytesOf('OpusHead', zeros(11)), true), oggPage(bytesOf('OpusTags', comments(`comment=${audioMothSaid}`)))),
    ],
    ['an MP3', mp3(id3(4, { TXXX: latin(`comment\0${audioMothSaid}`) }))],
    ['an MP3 with a comment', mp3(id3(4, { COMM: latin(`eng\0${audioMothSaid}`) }))],
    [
      'an MP4',
      bytesOf(fileType, box('moov', box('udta', box('©cmt', big(audioMothSaid.length, 2), [0x15, 0xc7], audioMothSaid)))),
    ],
  ])('keeps time, zone, serial number and temperature of the AudioMoth’s WAV that a program turned into %s', async (_, bytes) => {
    expect(await readRecordingMetadata('20240501_051200', bytesOfBlob(new Blob([bytes])))).toMatchObject({
      ...{ date: { value: '2024-05-01', from: 'metadata' }, time: '05:12:44', offsetMinutes: 120 },
      ...{ recorders: ['0FE081F80FE081F0'], temperature: 21.5 },
    });
  });

  it('is dated by its comments if it is an Ogg with Opus or Vorbis', async () => {
    const list = comments('DATE=2026-05-01', 'GEO_LOCATION=50.8 12.9');
    const expected = { ...dated('2026-05-01'), place: { latitude: 50.8, longitude: 12.9 } };
    expect(await read(bytesOf(oggPage(bytesOf('OpusHead', zeros(11)), true), oggPage(bytesOf('OpusTags', list))))).toEqual(
      expected,
    );
    expect(
      await read(
        bytesOf(
          oggPage(bytesOf('\x01vorbis', zeros(23)), true),
          oggPage(bytesOf('\x03vorbis', list)),
          oggPage(bytesOf('\x05vorbis', zeros(40), 1)),
        ),
      ),
    ).toEqual(expected);
  });

  it('has no date if none is stated', async () => {
    expect(await read(bytesOf('some sound'))).toEqual({ date: null, place: null });
  });
});

describe('Reading a recording’s metadata', () => {
  const begins = [
    'RIFF\0\0\0\0WAVE',
    'RF64\0\0\0\0WAVE',
    '\0\0\0\x10ftypM4A \0\0\0\0',
    'ID3\x03\0\0\0\0\x7f\x7f',
    'ID3\x04\0\x40\0\0\x7f\x7f',
    'fLaC',
    'OggS',
  ];
  const named = [
    'LIST',
    'INFO',
    'guan',
    'bext',
    'ds64',
    'data',
    'moov',
    'udta',
    'meta',
    'ilst',
    'keys',
    'mvhd',
    '©xyz',
    'OpusTags',
    'TDRC',
    'Timestamp: ',
  ];

  it('does not throw for arbitrary bytes and stays within its limits', async () => {
    const piece = fc.oneof(
      fc.constantFrom(...named).map((name) => bytesOf(name)),
      fc.integer({ min: 0, max: 0xffffffff }).map((value) => bytesOf(big(value))),
      fc.integer({ min: 0, max: 64 }).map((value) => bytesOf(little(value))),
      fc.uint8Array({ maxLength: 40 }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...begins),
        fc.array(piece, { maxLength: 30 }),
        fc.string(),
        async (begin, pieces, name) => {
          const file = new File([bytesOf(begin, ...pieces)], name);
          const slices = vi.spyOn(file, 'slice');
          const { date, place } = await readFile(file);
          expect(date?.value ?? '2000-01-01').toMatch(/^\d{4}-\d\d-\d\d$/);
          expect(Math.abs(place?.latitude ?? 0)).toBeLessThanOrEqual(90);
          expect(slices.mock.calls.length).toBeLessThanOrEqual(300);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('reads a bounded number of bytes, however many chunks there are', async () => {
    const many = wave(...Array.from({ length: 60 }, () => guano('x'.repeat(60_000))));
    const file = new File([many], 'a.wav');
    const slices = vi.spyOn(file, 'slice');
    await readFile(file);
    const bytes = slices.mock.calls.reduce((sum, [from = 0, to = 0]) => sum + to - from, 0);
    expect(bytes).toBeGreaterThan(500_000);
    expect(bytes).toBeLessThanOrEqual(1024 * 1024);
  });

  it('reads nothing more when its limit of bytes or reads is used up', async () => {
    const reader = createBoundedReader(bytesOfBlob(new Blob([bytesOf(zeros(400))])), 1000);
    for (let count = 0; count < 300; count += 1) expect((await reader.read(count, 1)).byteLength).toBe(1);
    expect((await reader.read(0, 1)).byteLength).toBe(0);
    expect((await createBoundedReader(bytesOfBlob(new Blob(['xyz'])), 2).read(0, 3)).byteLength).toBe(2);
    expect((await createBoundedReader(bytesOfBlob(new Blob(['x'])), 2).read(Number.NaN, 1)).byteLength).toBe(0);
  });

  it('falls back to the file name when the file can no longer be read', async () => {
    const file = new File(['RIFFxxxxWAVE'], '20260501_051244.WAV');
    vi.spyOn(file, 'slice').mockImplementation(() => {
      throw new DOMException('gone', 'NotReadableError');
    });
    expect(await readFile(file)).toEqual({ date: { value: '2026-05-01', from: 'name' }, place: null });
  });
});
