import { describe, expect, it } from 'vitest';
import { effortHeader, surveyCsvHeader } from '../index.ts';
import { type Row, readRows } from './read-rows.ts';
import { openTable } from './tables-of-ours.ts';

async function rowsOf(...pieces: readonly string[]): Promise<Row[]> {
  const given = async function* () {
    yield* pieces;
  };
  const rows: Row[] = [];
  for await (const row of readRows(given())) rows.push(row);
  return rows;
}
const open = (header: string) => openTable({ cells: header.trimEnd().split(','), line: 1 });

describe('Reading the rows of a CSV table', () => {
  it('gives the same cells in whatever pieces the text arrives', async () => {
    const text = '\ufeffFile,Site\n"a ""b"",\nc.wav",Mill\r\n\nd.wav,"Mill, old"\ne.wav,';
    const whole = [
      { cells: ['File', 'Site'], line: 1 },
      { cells: ['a "b",\nc.wav', 'Mill'], line: 3 },
      { cells: ['d.wav', 'Mill, old'], line: 5 },
      { cells: ['e.wav', ''], line: 6 },
    ];
    expect((await rowsOf(text)).map(({ cells }) => cells)).toEqual(whole.map(({ cells }) => cells));
    for (let at = 1; at < text.length; at += 1)
      expect(
        (await rowsOf(text.slice(0, at), text.slice(at))).map(({ cells }) => cells),
        `cut at ${at}`,
      ).toEqual(whole.map(({ cells }) => cells));
    expect((await rowsOf(...text)).map(({ line }) => line)).toEqual(whole.map(({ line }) => line));
  });

  it('fails at a row with an unclosed quotation mark, and states its line', async () => {
    await expect(rowsOf('a,b\n', '"open,', 'x'.repeat(1_100_000))).rejects.toThrow('A row that begins on line 2 has no end');
    await expect(rowsOf('a,b\nc"d,e\n')).rejects.toThrow("Line 2 can't be read as CSV");
  });
});

describe('The tables of detections and files', () => {
  it('are recognised by the headers that `chiffchaff identify` writes', () => {
    expect([open(surveyCsvHeader()).kind, open(effortHeader()).kind]).toEqual(['detections', 'files']);
  });

  it('are distinguished from tables of other programs, which are refused with the command that writes the right one', () => {
    const found = (header: string) => {
      expect(() => open(header)).toThrow('Give the CSV of identify (--format csv --out NAME.csv)');
      try {
        return open(header).kind;
      } catch (error) {
        return error instanceof Error ? error.message : '';
      }
    };
    expect(found('Start (s),End (s),Scientific name,Common name,Confidence,File')).toContain('BirdNET-Analyzer');
    expect(found('INDIR,FOLDER,IN FILE,OFFSET')).toContain('Kaleidoscope');
    expect(found('Selection\tView\tChannel')).toContain('Raven');
    expect(found('Start (s);End (s);Scientific name')).toContain('semicolons');
    expect(found('{"file":"a.wav"}')).toContain('JSON');
    expect(found('species,count\u001b[31m')).toContain('"species, count?[31m"');
    expect(() => openTable(undefined)).toThrow('The table is empty.');
  });

  it('contain no detection in the row of a bird that only a person named', () => {
    const table = open('File,Start (s),End (s),Scientific name,Common name,Score,Confidence,Review');
    const row = (score: string, review: string) => ({
      cells: ['a', '0', '60', 'Parus major', 'Great Tit', score, score, review],
      line: 2,
    });
    expect(table.read(row('', 'added'))).toBeNull();
    expect(table.read(row('0.5', 'confirmed'))).toMatchObject({ score: 0.5 });
    expect(() => table.read(row('', ''))).toThrow('Line 2: "" is no Score');
  });

  it('are refused with the line and value that are damaged', () => {
    const table = open('File,State,Seconds,Detections,Date');
    expect(() => table.read({ cells: ['a', 'analysed', '-1', '0', ''], line: 7 })).toThrow('Line 7: "-1" is no Seconds');
    expect(() => table.read({ cells: ['a', 'analysed', '1', '0', '1.5.26'], line: 8 })).toThrow('looks like 2026-05-01');
    expect(() => table.read({ cells: ['a', 'analysed'], line: 9 })).toThrow('Line 9 has 2 cells and the header 5');
    expect(table.read({ cells: ['a', 'failed', '', '', ''], line: 10 })).toMatchObject({ isAnalyzed: false, seconds: 0 });
  });
});
