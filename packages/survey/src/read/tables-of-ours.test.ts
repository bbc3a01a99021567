import { describe, expect, it } from 'vitest';
import { effortHeader, surveyCsvHeader } from '../index.ts';
import { detectionsCsv, effortCsv, readOurs } from '../testing/fake-tables.ts';
import { createColumns } from './columns.ts';
import { openTable } from './tables-of-ours.ts';

const { detections } = readOurs(detectionsCsv);
const columns = 'File,Hidden,Start (s),End (s),Scientific name,Score,Confidence';
/** A table of one detection with these further columns. */
const withCells = (names: string, cells: string, separator = ',') =>
  [`${columns},${names}`, `a.wav,false,0,3,Parus major,0.5,0.5,${cells}`, ''].join('\n').replaceAll(',', separator);
const only = (table: string) => readOurs(table).detections[0];

describe('The tables of detections and of recordings by `identify`', () => {
  it('are recognised by the headers that `chiffchaff identify` writes', () => {
    const kinds: string[] = [];
    const open = openTable('birds.csv', { detection: () => {}, file: () => {}, opened: (kind) => kinds.push(kind) });
    for (const header of [surveyCsvHeader(), effortHeader()]) open(createColumns(header.trimEnd().split(','), 'birds.csv'));
    expect(kinds).toEqual(['detections', 'files']);
  });

  it('are distinguished from tables of other programs, which are refused with the command that writes the right one', () => {
    const found = (header: string) => {
      try {
        readOurs(header);
      } catch (error) {
        return error instanceof Error ? error.message : '';
      }
      return '';
    };
    const works = ' Give the CSV of identify (--format csv --out NAME.csv).';
    const analyzer = 'Start (s),End (s),Scientific name,Common name,Confidence,File';
    expect(found(analyzer)).toBe(`birds.csv: This is a table of BirdNET-Analyzer, which has no score.${works}`);
    expect(found('INDIR,FOLDER,IN FILE,OFFSET')).toBe(`birds.csv: This is a table of Kaleidoscope.${works}`);
    expect(found('Selection\tView\tChannel')).toBe(`birds.csv: This is a selection table of Raven.${works}`);
    expect(found('{"file":"a.wav"}\n')).toBe("birds.csv: Line 1 can't be read as CSV.");
    expect(found('species,count\u001b[31m')).toContain('"species, count?[31m"');
    expect(found('')).toBe(`birds.csv: The table is empty.${works}`);
  });

  it('give the same in any order of columns, with others between, and with cells that a spreadsheet adds or leaves out', () => {
    const lines = detectionsCsv.trimEnd().split('\n');
    const reversed = (line: string) => `x,${line.replace('"Pond, north"', 'Pond north').split(',').toReversed().join(',')}`;
    const plain = readOurs(detectionsCsv.replaceAll('"Pond, north"', 'Pond north')).detections;
    expect(readOurs(lines.map(reversed).join('\n')).detections).toEqual(plain);
    expect(readOurs(lines.map((line, index) => (index === 0 ? line : `${line},,`)).join('\r\n')).detections).toEqual(detections);
    expect(readOurs(detectionsCsv.replaceAll(/,SM4$/gm, '')).detections[0]).toEqual({ ...detections[0], recorder: '' });
  });

  it('are read as before once R has numbered rows, quoted text, changed names of columns and written NA', () => {
    const [header = '', ...rows] = detectionsCsv.trimEnd().split('\n');
    const names = header.split(',').map((name) => `"${name.replace(/[ ()]/g, '.')}"`);
    const numbered = rows.map((row, index) => `"${index + 1}",${row.replace('false', 'FALSE').replace('true', 'TRUE')}`);
    expect(readOurs([names.join(','), ...numbered].join('\n')).detections).toEqual(detections);
    expect(readOurs([`"",${names.join(',')}`, ...numbered].join('\n')).detections).toEqual(detections);
    const missing = numbered.map((row) => row.replace(/,SM4$/, ',NA'));
    expect(readOurs([names.join(','), ...missing].join('\n')).detections[0]).toEqual({ ...detections[0], recorder: '' });
  });

  it('are read as before if R has put a number before each row and the last column is empty', () => {
    const table = (...rows: readonly string[]) => readOurs(`${columns},Check-up\n${rows.join('\n')}\n`).detections;
    const bare = `Start (s),End (s),Scientific name,Score,Confidence,Hidden,File,Check-up`;
    const bird = ['0,3,Parus major,0.5,0.5,false,a.wav,', '1,4,Parus major,0.5,0.5,false,a.wav,'];
    const expected = readOurs(`${bare}\n${bird.join('\n')}\n`).detections;
    for (const first of [1, 2, 12])
      expect(readOurs(`${bare}\n${bird.map((row, index) => `${first + index},${row}`).join('\n')}\n`).detections).toEqual(
        expected,
      );
    // A spreadsheet may add a cell to rows that begin with a number.
    expect(readOurs(`${bare}\n${bird.toReversed().join(',\n')},\n`).detections).toEqual(expected.toReversed());
    expect(table('12,a.wav,false,0,3,Parus major,0.5,0.5,')).toMatchObject([{ file: 'a.wav' }]);
    expect(table('12.wav,false,0,3,Parus major,0.5,0.5,,')).toMatchObject([{ file: '12.wav' }]);
  });

  it('give no detection for a row whose bird was only added in a review, and refuse other rows without a score', () => {
    const table = (score: string, review: string) => `${columns},Review\na,false,0,60,Parus major,${score},${score},${review}\n`;
    expect(readOurs(table('', 'added')).detections).toEqual([]);
    expect(only(table('0.5', 'confirmed'))).toMatchObject({ score: 0.5 });
    expect(() => only(table('', ''))).toThrow('birds.csv: Line 2: "" is no Score, which goes from 0 to 1.');
    expect(() => only(table('NA', 'NA'))).toThrow('birds.csv: Line 2: "NA" is no Score');
  });

  it('give no detection for a row whose Kind is “sound” or “animal” instead of “bird”', () => {
    const table = (kind: string) => `${columns},Kind\na,false,0,3,Engine,0.9,,${kind}\nb,false,0,3,Parus major,0.5,0.5,bird\n`;
    for (const kind of ['sound', 'animal']) expect(readOurs(table(kind)).detections, kind).toMatchObject([{ file: 'b' }]);
    expect(() => readOurs(table(''))).toThrow('birds.csv: Line 2: "" is no Confidence');
  });

  it('mark a detection as hidden by whatever spreadsheets, R, pandas and people write for true, and refuse other words', () => {
    const hidden = (cell: string) => withCells('Site', 'Mill').replace('false', cell);
    for (const yes of ['true', 'TRUE', 'True', 'WAHR', 'VRAI', 'yes', '1', '1.0', ' true '])
      expect(only(hidden(yes))?.isHidden, yes).toBe(true);
    for (const no of ['false', 'FALSE', 'False', 'FALSCH', 'no', '0', '0.0']) expect(only(hidden(no))?.isHidden, no).toBe(false);
    for (const word of ['hidden', '-1', '', 'NA', 'x'])
      expect(() => only(hidden(word)), word).toThrow(`birds.csv: Line 2: "${word}" is no Hidden, which is true or false.`);
    for (const name of ['is_hidden', 'x'])
      expect(() => readOurs(detectionsCsv.replace('Hidden', name)), name).toThrow(
        'birds.csv has no column Hidden. A table of identify has; this one begins Start (s), End (s), Scientific name.',
      );
  });

  it('give a species one spelling, in whatever case and with whatever blanks its name is typed', () => {
    for (const name of ['parus major', 'PARUS MAJOR', ' Parus  major ', 'Parus\u00a0Major'])
      expect(only(withCells('Site', 'Mill').replace('Parus major', name))?.scientificName, name).toBe('Parus major');
  });

  it('may have numbers with exponents, and decimal commas between semicolons', () => {
    const confidence = (text: string, separator = ',') =>
      only(withCells('Site', 'Mill', separator).replace(`0.5${separator}Mill`, `${text}${separator}Mill`))?.confidence;
    for (const [text, value] of [
      ...([
        ['1e-04', 0.0001],
        ['9.99E-01', 0.999],
        ['1', 1],
        ['.5', 0.5],
        ['1.', 1],
        ['+0.25', 0.25],
      ] as const),
    ])
      expect(confidence(text), text).toBe(value);
    expect([confidence('0,8', ';'), confidence('0,8', '\t'), confidence('0.8', ';'), confidence('"0,8"')]).toEqual([
      0.8, 0.8, 0.8, 0.8,
    ]);
    for (const text of ['1.1', '-0.1', '93%', '1e', '0.5.1', '1 0', 'Inf', '1-May', '"1,000"'])
      expect(() => confidence(text), text).toThrow(`birds.csv: Line 2: "${text.replaceAll('"', '')}" is no Confidence`);
    const grouped = withCells('Latitude', 'x', ';').replace('x', '1.234,5');
    expect(() => only(grouped)).toThrow('birds.csv: Line 2: "1.234,5" is no Latitude');
  });

  it('may have numbers such as 3.600 if other rows tell whether they are thousands, and are refused if none does', () => {
    const starts = (separator: string, ...cells: readonly (readonly [start: string, confidence: string])[]) => {
      const rows = cells.map(([start, confidence]) => ['a.wav', 'false', start, '20000', 'Parus major', '1', confidence]);
      const table = [columns.split(','), ...rows].map((row) => row.join(separator)).join('\n');
      return readOurs(`${table}\n`).detections.map(({ startSeconds }) => startSeconds);
    };
    expect(starts(';', ['3.600', '1'], ['9,000', '0,8'])).toEqual([3600, 9]);
    expect(starts(';', ['3.600', '0.8'], ['9,000', '1'])).toEqual([3.6, 9000]);
    expect(starts('\t', ['1.200,5', '1'], ['3.600', '1'], ['3\u202f600', '1'])).toEqual([1200.5, 3600, 3600]);
    expect(starts(',', ['3.600', '1'], ['"3,600"', '1'], ["1'200", '1'])).toEqual([3.6, 3600, 1200]);
    expect(starts(';', ['0', '1.000'], ['9', '1,000'])).toEqual([0, 9]);
    expect(starts(';', ['3,600', '1,000'], ['9,000', '1,000'])).toEqual([3.6, 9]);
    const either = '"3.600" is no Start (s), which may be 3.6 or 3600: no other row tells whether point or comma is decimal.';
    expect(() => starts(';', ['9', '1'], ['3.600', '1'])).toThrow(`birds.csv: Line 3: ${either}`);
    expect(() => starts(';', ['9', '0.8'], ['9', '0,8'], ['3.600', '1'])).toThrow(`birds.csv: Line 4: ${either}`);
    expect(() => starts(';', ['9', '0,8'], ['3.600', '1'], ['9', '0.8'])).toThrow('birds.csv: Line 4 has another decimal sign');
    expect(starts(';', ['9', '0,8'], ['3', '0.8'])).toEqual([9, 3]);
  });

  it('may have days as spreadsheets write them if other rows tell which is day and which month', () => {
    const dates = (...days: readonly string[]) => {
      const rows = days.map((day) => `a.wav,false,0,3,Parus major,0.5,0.5,${day}\n`);
      return readOurs(`${columns},Date\n${rows.join('')}`).detections.map(({ date }) => date);
    };
    expect(dates('01/05/2026', '2/5/2026', '13/05/2026', '01/06/2026')).toEqual([
      ...['2026-05-01', '2026-05-02', '2026-05-13', '2026-06-01'],
    ]);
    expect(dates('5/1/2026', '5/13/2026')).toEqual(['2026-05-01', '2026-05-13']);
    expect(dates('1.5.2026', '01.05.2026', '2026-5-1', '2026/05/01', '2026-05-01 00:00:00', '05/05/2026', '')).toEqual([
      ...['2026-05-01', '2026-05-01', '2026-05-01', '2026-05-01', '2026-05-01', '2026-05-05', ''],
    ]);
    expect(dates('2026.05.01.')).toEqual(['2026-05-01']);
    expect(() => dates('2026-05-01', '01/05/2026', '02/05/2026')).toThrow(
      'birds.csv: Line 3: "01/05/2026" is no Date, which looks like 2026-05-01.',
    );
    expect(() => dates('13/05/2026', '05/13/2026')).toThrow('Line 3: "05/13/2026" is no Date');
    for (const day of ['46143', '1-May-26', '01/05/26', '2026-02-30', '31.02.2026', 'yesterday'])
      expect(() => dates(day), day).toThrow(`Line 2: "${day}" is no Date`);
  });

  it('may have times and moments in UTC as spreadsheets, R and pandas write them', () => {
    const at = (time: string, utc: string) => {
      const { time: clock, epochMs } = only(withCells('Time,UTC', `${time},${utc}`)) ?? {};
      return [clock, epochMs];
    };
    const moment = Date.UTC(2026, 4, 1, 3, 12, 44);
    expect(at('05:12:44', '2026-05-01T03:12:44Z')).toEqual(['05:12:44', moment]);
    expect(at('5:12:44 AM', '2026-05-01 03:12:44')).toEqual(['05:12:44', moment]);
    expect(at('5:12', '2026-05-01 03:12:44+00:00')).toEqual(['05:12:00', moment]);
    expect(at('12:00:00 am', '2026-05-01T05:12:44+0200')).toEqual(['00:00:00', moment]);
    expect(at('5:12:44 PM', '1.5.2026 3:12:44')).toEqual(['17:12:44', moment]);
    expect(at('', '')).toEqual(['', null]);
    for (const time of ['24:00:00', '05:60:00', '0.217', '13:00 PM'])
      expect(() => at(time, ''), time).toThrow(`Line 2: "${time}" is no Time, which looks like 05:12:44.`);
    for (const utc of ['2026-05-01', '03:12:44', '01/05/2026 03:12', '2026-05-01T03:12:44 CET'])
      expect(() => at('', utc), utc).toThrow(`Line 2: "${utc}" is no UTC, which looks like 2026-05-01T03:12:44Z.`);
  });

  it('may have paths of any operating system, which are read with slashes and composed letters', () => {
    const fileOf = (file: string) => readOurs(withCells('Site', 'Mill').replace('a.wav', file)).detections[0]?.file;
    expect(fileOf('surv\\B\\a.wav')).toBe('surv/B/a.wav');
    expect(fileOf('D:\\cards/B\\a.wav')).toBe('D:/cards/B/a.wav');
    expect(fileOf('\\\\server\\share/a.wav')).toBe('//server/share/a.wav');
    expect(fileOf('cards/a\\b.wav')).toBe('cards/a\\b.wav');
    expect(fileOf('Ka\u0308uzchen/ a.wav ')).toBe('Käuzchen/ a.wav ');
    expect(() => fileOf('')).toThrow('Line 2: "" is no File, which must not be empty.');
  });

  it('are refused with the line and value that are damaged, and lose no row', () => {
    const files = (...rows: readonly string[]) => readOurs(`File,State,Seconds,Detections,Date\n${rows.join('\n')}\n`).files;
    expect(() => files('a,analysed,-1,0,')).toThrow('birds.csv: Line 2: "-1" is no Seconds');
    expect(() => files('a,Analysed,1,0,', 'a,done,1,0,')).toThrow('Line 3: "done" is no State, which is analysed or failed.');
    expect(() => files('a,analysed')).toThrow('birds.csv: Line 2 has 2 cells and the header 5');
    expect(() => files('a,b,analysed,1,0,,')).toThrow('birds.csv: Line 2');
    expect(files('a,failed,,,')).toMatchObject([{ isAnalyzed: false, seconds: 0 }]);
    expect(() => readOurs(effortCsv.trimEnd().slice(0, -30))).toThrow(/birds\.csv: Line 6 has \d cells and the header 12/);
    expect(() => readOurs(withCells('hidden', 'true'))).not.toThrow();
    expect(() => readOurs(withCells('Hidden', 'true'))).toThrow('birds.csv has 2 columns Hidden. Leave one.');
  });
});
