import { describe, expect, it } from 'vitest';
import type { BirdReview } from '../bird-reviews.ts';
import type { Conditions, Detection } from '../prediction.ts';
import { audacityLabels } from './audacity.ts';
import { csvTable } from './csv.ts';
import { ravenTable } from './raven.ts';
import type { TableOptions, Tabulated } from './tabulated.ts';

const chiffchaff: Detection = {
  scientificName: 'Phylloscopus collybita',
  commonName: 'Common Chiffchaff',
  startSeconds: 3,
  endSeconds: 9.0004,
  score: 0.91237,
  confidence: 0.96,
  occurrence: null,
  hidden: false,
};
const cardinal: Detection = {
  ...{ scientificName: 'Cardinalis cardinalis', commonName: 'Northern Cardinal', startSeconds: 12, endSeconds: 15 },
  ...{ score: 0.9432, confidence: 0, occurrence: 0.00001, hidden: true },
};

const anywhere: Conditions = {
  ...{ latitude: null, longitude: null, placeSource: 'none', timeZone: null, week: null, date: null },
  ...{ minScore: 0.25, overlapSeconds: 1.5, language: 'en' },
};
const saxony: Conditions = { ...anywhere, placeSource: 'stated', latitude: 50.8, longitude: 12.9, week: 17, date: '2026-05-01' };
const model = { id: 'birdnet-v2.4', version: '2.4', sha256: 'f'.repeat(64), licence: 'CC', attribution: 'Powered by BirdNET' };

const morning = (fileName: string | null = 'morning.m4a', commonName = 'Common Chiffchaff'): Tabulated => ({
  recording: { fileName, durationSeconds: 31.25, sampleRate: 44_100 },
  detections: [{ ...chiffchaff, commonName }],
  conditions: anywhere,
  model,
});
const inSaxony = (detections: readonly Detection[]): Tabulated => ({
  ...morning(),
  conditions: saxony,
  detections: [...detections],
});

const silence: Tabulated = {
  ...morning(),
  recording: { fileName: 'night.wav', durationSeconds: 10, sampleRate: 16_000 },
  detections: [],
};

const csvHeader =
  'Start (s),End (s),Scientific name,Common name,Score,Confidence,Occurrence,Hidden,File,' +
  'Latitude,Longitude,Date,Week,Min score,Min confidence,Overlap (s),Model,Time zone,Review,Reviewed as\n';

/** The rows of a table as records by column. */
function records(table: string, separator: string): Record<string, string>[] {
  const [head = [], ...rows] = table
    .trimEnd()
    .split('\n')
    .map((line) => line.split(separator));
  return rows.map((row) => Object.fromEntries(head.map((column, i) => [column, row[i] ?? ''])));
}

describe('Every exported table', () => {
  const tables: [string, (options?: TableOptions) => string][] = [
    ['csv', (options) => csvTable([inSaxony([chiffchaff, cardinal])], options)],
    ['raven', (options) => ravenTable([inSaxony([chiffchaff, cardinal])], options)],
    ['audacity', (options) => audacityLabels(inSaxony([chiffchaff, cardinal]), options)],
  ];

  it.each(tables)('leaves out birds hidden by location unless they are requested: %s', (_, write) => {
    expect(write()).toContain('Common Chiffchaff');
    expect(write()).not.toContain('Northern Cardinal');
    expect(write({ showHidden: true })).toContain('Northern Cardinal');
  });

  it.each(tables)('leaves out detections below the lowest confidence, whatever their score: %s', (_, write) => {
    expect(write({ minConfidence: 0.96 })).toContain('Common Chiffchaff');
    expect(write({ minConfidence: 0.97 })).not.toContain('Common Chiffchaff');
    // A hidden detection has no confidence, and is included on request.
    expect(write({ minConfidence: 0.97, showHidden: true })).toContain('Northern Cardinal');
  });
});

describe('Sounds other than birds in an exported table', () => {
  const frog: Detection = {
    ...chiffchaff,
    scientificName: 'Lithobates clamitans',
    commonName: 'Green Frog',
    confidence: 0,
    kind: 'animal',
  };
  const engine: Detection = { ...frog, scientificName: 'Engine', commonName: 'Engine', kind: 'sound' };
  const heard = inSaxony([chiffchaff, frog, engine]);

  it('have a score but no confidence, and are listed whatever the lowest confidence', () => {
    const options = { sounds: true, minConfidence: 0.97 };
    expect(records(csvTable([heard], options), ',')).toMatchObject([
      { 'Common name': 'Green Frog', Score: '0.9124', Confidence: '', Hidden: 'FALSE' },
      { 'Common name': 'Engine', Score: '0.9124', Confidence: '' },
    ]);
  });

  it('are marked in the column Kind of a Raven table, which is missing if they were not requested', () => {
    expect(
      records(ravenTable([heard], { sounds: true }), '\t').map((row) => [row['Common Name'], row['Kind'], row['Calibrated']]),
    ).toEqual([
      ['Common Chiffchaff', 'bird', '0.9600'],
      ['Green Frog', 'animal', ''],
      ['Engine', 'sound', ''],
    ]);
    expect(ravenTable([heard]).split('\n', 1)[0]).not.toContain('Kind');
  });
});

describe('The CSV table of detections', () => {
  it('has separate columns for score and confidence, and a column for each setting of the analysis', () => {
    expect(csvTable([morning()])).toBe(
      `${csvHeader}3,9,Phylloscopus collybita,Common Chiffchaff,0.9124,0.9600,,FALSE,morning.m4a,,,,,0.25,0,1.5,birdnet-v2.4,,,\n`,
    );
    const local = { ...chiffchaff, occurrence: 0.51234 };
    expect(records(csvTable([inSaxony([local, cardinal])], { showHidden: true, minConfidence: 0.5 }), ',')).toMatchObject([
      { Score: '0.9124', Confidence: '0.9600', Occurrence: '0.5123', Hidden: 'FALSE', Date: '2026-05-01', Week: '17' },
      { Score: '0.9432', Confidence: '0.0000', Occurrence: '0.0000', Hidden: 'TRUE', Latitude: '50.8', 'Min confidence': '0.5' },
    ]);
  });

  it('states the review of each bird, and the species that it confirms', () => {
    const said = { commonName: '', to: null, toCommonName: null, at: '2026-05-01T06:00:00.000Z' };
    const wren = { to: 'Troglodytes troglodytes', toCommonName: 'Wren, Eurasian' };
    const table = (review: Pick<BirdReview, 'verdict'> & Partial<BirdReview>) =>
      csvTable([{ ...morning(), reviews: [{ scientificName: 'Phylloscopus collybita', ...said, ...review }] }]);
    expect(table({ verdict: 'confirmed' })).toContain(',birdnet-v2.4,,confirmed,Phylloscopus collybita\n');
    expect(table({ verdict: 'confirmed', bulk: true })).toContain(',birdnet-v2.4,,confirmed in bulk,Phylloscopus collybita\n');
    expect(table({ verdict: 'rejected' })).toContain(',birdnet-v2.4,,rejected,\n');
    expect(table({ verdict: 'corrected', ...wren })).toContain(
      ',birdnet-v2.4,,"corrected to Wren, Eurasian",Troglodytes troglodytes\n',
    );
    expect(table({ verdict: 'rejected', scientificName: 'Parus major' }).trimEnd().split('\n')).toHaveLength(2);
  });

  it('has a row without numbers, for the whole recording, for each bird that only a person named', () => {
    const said = { commonName: 'A tit', to: null, toCommonName: null, at: '2026-05-01T06:00:00.000Z' };
    const reviews: BirdReview[] = [
      { ...said, scientificName: 'Cardinalis cardinalis', commonName: 'A cardinal', verdict: 'confirmed' },
      { ...said, scientificName: 'Parus major', verdict: 'corrected', to: 'Parus minor', toCommonName: 'Another tit' },
      { ...said, scientificName: 'Poecile palustris', verdict: 'rejected' },
      { ...said, scientificName: 'Sitta europaea', verdict: 'added' },
    ];
    const rowsAfter = (options?: TableOptions) =>
      records(csvTable([{ ...inSaxony([chiffchaff, cardinal]), reviews }, silence], options), ',').slice(1);
    const only = { 'Start (s)': '0', 'End (s)': '31.25', Score: '', Confidence: '', Hidden: 'FALSE', File: 'morning.m4a' };
    const tits = [
      { ...only, 'Scientific name': 'Parus major', Review: 'corrected to Another tit', 'Reviewed as': 'Parus minor' },
      { ...only, 'Scientific name': 'Sitta europaea', 'Common name': 'A tit', Review: 'added', 'Reviewed as': 'Sitta europaea' },
    ];
    expect(rowsAfter()).toMatchObject([
      { ...only, 'Scientific name': 'Cardinalis cardinalis', 'Common name': 'A cardinal', Review: 'confirmed' },
      ...tits,
    ]);
    expect(rowsAfter({ showHidden: true })).toMatchObject([{ Score: '0.9432', Review: 'confirmed' }, ...tits]);
  });

  it('has the time zone of an assumed place, and the occurrence there', () => {
    const conditions: Conditions = { ...anywhere, placeSource: 'assumed', timeZone: 'Europe/London' };
    const assumed = { ...morning(), conditions, detections: [{ ...chiffchaff, occurrence: 0.25 }] };
    expect(records(csvTable([assumed]), ',')).toMatchObject([
      { Occurrence: '0.2500', Hidden: 'FALSE', Latitude: '', Longitude: '', 'Time zone': 'Europe/London', Review: '' },
    ]);
  });

  it('begins with a byte order mark when it is made for spreadsheets, by which Excel knows UTF-8', () => {
    const table = csvTable([morning('Mühle.wav')], { excelSafe: true });
    expect([...Buffer.from(table).subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    expect(table.slice(1)).toBe(csvTable([morning('Mühle.wav')]));
    expect(csvTable([silence], { excelSafe: true })).toBe(`\ufeff${csvHeader}`);
  });

  it('is only a header when nothing was detected', () => {
    expect(csvTable([silence])).toBe(csvHeader);
  });

  it('quotes cells that contain commas, quotation marks or line ends', () => {
    expect(csvTable([morning('a, "b"\n.wav')])).toContain(',"a, ""b""\n.wav",');
  });

  const formulas = ['=1+1.wav', '+1.wav', '-1.wav', '@SUM.wav', '\t=1', '  =1', '\r=1', '＝1'];

  it.each(formulas)('leaves a file name that looks like a formula unchanged for programs: %j', (name) => {
    const cell = name.includes('\r') ? `"${name}"` : name;
    expect(csvTable([morning(name)])).toContain(`,FALSE,${cell},`);
  });

  it.each(formulas)('never begins a cell with a formula when it is made for spreadsheets: %j', (name) => {
    const row = csvTable([morning(name)], { excelSafe: true })
      .split('\n')
      .slice(1)
      .join('\n');
    expect(row).not.toMatch(/(^|,)"?\s*[=+\-@＝]/);
    expect(row).toContain(`'${name}`);
  });

  it('leaves a file name unchanged that contains formula signs inside', () => {
    expect(csvTable([morning('20-05=a@b+c.wav')], { excelSafe: true })).toContain(',20-05=a@b+c.wav,');
  });

  it('writes coordinates of the south and west as numbers when it is made for spreadsheets', () => {
    const lima = { ...morning(), conditions: { ...saxony, latitude: -12.05, longitude: -77.04 } };
    expect(csvTable([lima], { excelSafe: true })).toContain(',-12.05,-77.04,');
  });

  it('leaves the file column empty for a recording without a name', () => {
    expect(csvTable([morning(null)])).toMatch(/,FALSE,,,,,,0\.25,/);
  });
});

describe('The Raven table of detections', () => {
  it('has the columns of Raven and BirdNET-Analyzer with their meanings, then the calibrated confidence', () => {
    const [header, row] = ravenTable([morning()]).split('\n');
    expect(header).toBe(
      'Selection\tView\tChannel\tBegin Time (s)\tEnd Time (s)\tLow Freq (Hz)\tHigh Freq (Hz)\tCommon Name\tSpecies Code\tConfidence\tBegin Path\tFile Offset (s)\tScientific Name\tCalibrated',
    );
    expect(row).toBe(
      '1\tSpectrogram 1\t1\t3\t9\t0\t15000\tCommon Chiffchaff\t\t0.9124\tmorning.m4a\t3\tPhylloscopus collybita\t0.9600',
    );
  });

  it('marks birds hidden by location in a column before Calibrated', () => {
    const table = ravenTable([inSaxony([chiffchaff, cardinal])], { showHidden: true });
    expect(table.split('\n', 1)[0]).toMatch(/\tScientific Name\tHidden\tCalibrated$/);
    expect(records(table, '\t')).toMatchObject([
      { Hidden: 'FALSE' },
      { Hidden: 'TRUE', Confidence: '0.9432', Calibrated: '0.0000' },
    ]);
  });

  it('places recordings end to end and numbers the selections in one series', () => {
    const table = ravenTable([inSaxony([cardinal, chiffchaff]), silence, morning('later.wav')]);
    expect(records(table, '\t')).toMatchObject([
      { Selection: '1', 'Begin Time (s)': '3', 'End Time (s)': '9', 'Begin Path': 'morning.m4a' },
      { Selection: '2', 'Begin Time (s)': '44.25', 'End Time (s)': '50.25', 'Begin Path': 'later.wav', 'File Offset (s)': '3' },
    ]);
  });

  it('draws no selection above the highest frequency of the recording', () => {
    const narrow = { ...morning(), recording: { ...silence.recording } };
    expect(ravenTable([narrow])).toContain('\t0\t8000\t');
  });

  it.each([
    [{ speed: 0.2 }, 240_000, '75000'],
    [{ speed: 0.1 }, 192_000, '96000'],
    [{ speed: 0.05 }, 500_000, '250000'],
    [{ speed: 2 }, 48_000, '7500'],
    [{ speed: 1 }, 22_051, '11025'],
    [{}, 48_000, '15000'],
  ])('draws selections up to what the model heard of a recording: %j of %d Hz', (options, sampleRate, highest) => {
    const recorded = { ...morning(), recording: { ...morning().recording, sampleRate } };
    expect(records(ravenTable([recorded], options), '\t')).toMatchObject([{ 'Low Freq (Hz)': '0', 'High Freq (Hz)': highest }]);
  });

  it('names the channel that was analysed, and channel 1 if all were', () => {
    const channelOf = (options: TableOptions) => records(ravenTable([morning()], options), '\t')[0]?.['Channel'];
    expect([channelOf({ channel: 2 }), channelOf({ channel: 4 }), channelOf({})]).toEqual(['2', '4', '1']);
  });

  it('has the scientific name in a column of its own, and leaves the column of eBird’s species codes empty', () => {
    expect(records(ravenTable([morning()]), '\t')).toMatchObject([
      { 'Common Name': 'Common Chiffchaff', 'Species Code': '', 'Scientific Name': 'Phylloscopus collybita' },
    ]);
  });

  it('replaces tabs and line ends in a file name', () => {
    const [row] = records(ravenTable([morning('a\tb\nc.wav')]), '\t');
    expect(row).toMatchObject({ 'Begin Path': 'a b c.wav', Calibrated: '0.9600' });
  });

  it('leaves a file name unchanged even if it looks like a formula, because Raven opens the file', () => {
    expect(ravenTable([morning('=cmd.wav')], { excelSafe: true })).toContain('\t=cmd.wav\t');
  });
});

describe('The Audacity labels of detections', () => {
  it('have start, end and label with the score', () => {
    expect(audacityLabels(morning())).toBe('3.000000\t9.000400\tCommon Chiffchaff 0.91\n');
  });

  it('are empty when nothing was detected', () => {
    expect(audacityLabels(silence)).toBe('');
  });

  it('mark birds hidden by location', () => {
    expect(audacityLabels(inSaxony([cardinal]), { showHidden: true })).toBe(
      '12.000000\t15.000000\tNorthern Cardinal 0.94 (hidden)\n',
    );
  });

  it('have line ends in a label replaced', () => {
    expect(audacityLabels(morning('x.wav', 'Odd\tname\r\nhere'))).toBe('3.000000\t9.000400\tOdd name here 0.91\n');
  });
});
