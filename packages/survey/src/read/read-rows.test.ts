import { describe, expect, it } from 'vitest';
import { createRowReader, type Row, readRows } from './read-rows.ts';

const notes: string[] = [];
const options = { shownAs: 'birds.csv', note: (sentence: string) => notes.push(sentence) };

function rowsOf(...pieces: readonly (string | Uint8Array)[]): Row[] {
  notes.length = 0;
  const reader = createRowReader(options);
  const bytes = pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece));
  return [...bytes.flatMap((piece) => reader.push(piece, false)), ...reader.push(new Uint8Array(0), true)];
}
const cellsOf = (...pieces: readonly (string | Uint8Array)[]) => rowsOf(...pieces).map(({ cells }) => cells);
const sites = [
  ['site', 'folder'],
  ['Mühle', 'Grünwald'],
];

describe('The rows of a table', () => {
  it('are the same in whatever pieces its bytes arrive', () => {
    const text = '\ufeffFile,Site\n"a ""b"",\nc.wav",Mühle\r\n\nd.wav,"Mill, old"\re.wav,';
    const whole = [
      { cells: ['File', 'Site'], line: 1, isEnded: true },
      { cells: ['a "b",\nc.wav', 'Mühle'], line: 3, isEnded: true },
      { cells: ['d.wav', 'Mill, old'], line: 5, isEnded: true },
      { cells: ['e.wav', ''], line: 6, isEnded: false },
    ];
    expect(readRows(text, options)).toEqual(whole);
    for (const bytes of [Buffer.from(text), Buffer.from(text, 'utf16le')]) {
      for (let at = 1; at < bytes.length; at += 1)
        expect(rowsOf(bytes.subarray(0, at), bytes.subarray(at)), `cut at ${at}`).toEqual(whole);
      expect(rowsOf(...[...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(whole);
    }
  });

  it('are the same in a file of many pieces, each of which ends within a letter', () => {
    const row = `Mühle,${'ü'.repeat(496)}`;
    const bytes = Buffer.from(`site,folder\n${`${row}\n`.repeat(2500)}`);
    const pieces = Array.from({ length: Math.ceil(bytes.length / 1_048_580) }, (_, at) =>
      bytes.subarray(at * 1_048_580, (at + 1) * 1_048_580),
    );
    const rows = rowsOf(...pieces);
    expect([pieces.length, rows.length, new Set(rows.map(({ cells }) => cells.join())).size]).toEqual([3, 2501, 2]);
    expect([rows.at(-1)?.line, notes]).toEqual([2501, []]);
  });

  it('are read in UTF-8 with or without a mark, in UTF-16 of either order, and in Windows-1252 with a note', () => {
    const text = 'site,folder\r\nMühle,Grünwald\r\n';
    const little = Buffer.from(text, 'utf16le');
    for (const bytes of [text, `\ufeff${text}`, little, Buffer.from(`\ufeff${text}`, 'utf16le'), Buffer.from(little).swap16()]) {
      expect(cellsOf(bytes)).toEqual(sites);
      expect(notes).toEqual([]);
    }
    expect(cellsOf(Buffer.from(text, 'latin1'))).toEqual(sites);
    expect(notes).toEqual([
      'birds.csv is not UTF-8; it is read as Windows-1252, which gives “Mühle, Grünwald”. If that is wrong, so are other names: save it as CSV UTF-8.',
    ]);
    expect(cellsOf('a,b\n', Buffer.from('M\xfchle,\x80\n', 'latin1'), Buffer.from('x,\xe9', 'latin1'))).toEqual([
      ['a', 'b'],
      ['Mühle', '€'],
      ['x', 'é'],
    ]);
    expect(notes).toHaveLength(1);
  });

  it('are read as Windows-1252 in other encodings, with a note that shows what a name becomes', () => {
    const noted = (name: string, hex: string) => {
      cellsOf('site,folder\n', Buffer.from(hex, 'hex'), ',a\n');
      return expect(notes, name).toEqual([
        expect.stringContaining('If that is wrong, so are other names: save it as CSV UTF-8.'),
      ]);
    };
    noted('Mühle in MacRoman', '4d9f686c65');
    expect(notes[0]).toContain('“MŸhle”');
    noted('Łąka and Mühle in Windows-1250', '4dfc686c6520a3b96b61');
    expect(notes[0]).toContain('“Mühle, £¹ka”');
    noted('Луг in Windows-1251', 'cbf3e3');
    noted('森 in Shift-JIS', '9058');
  });

  it('are refused if they mix two encodings, or if the file is a workbook', () => {
    expect(() => cellsOf('site,folder\nMühle,a\n', Buffer.from('M\xfchle,b\n', 'latin1'))).toThrow(
      'birds.csv has text in UTF-8 and in another encoding. Save it as CSV UTF-8.',
    );
    expect(() => cellsOf('PK\u0003\u0004\u0014\u0000')).toThrow('birds.csv is a workbook or an archive');
  });

  it('may end with any line end, and decomposed letters become composed ones', () => {
    for (const end of ['\n', '\r\n', '\r']) expect(cellsOf(`site,folder${end}Mu\u0308hle,Grünwald${end}`)).toEqual(sites);
  });

  it('are separated by commas, semicolons or tabs, or by what the first line says', () => {
    for (const separator of [',', ';', '\t']) {
      expect(cellsOf(`site${separator}folder\nMühle${separator}Grünwald`)).toEqual(sites);
      expect(cellsOf(`"site"${separator}"folder"\n"Mühle"${separator}"Grünwald"\n`)).toEqual(sites);
    }
    expect(cellsOf('sep=;\nsite;folder\nMühle;Grünwald\n')).toEqual(sites);
    expect(cellsOf('\ufeffsep=|\r\nsite|folder\r\nMühle|Grünwald')).toEqual(sites);
    expect(cellsOf('"sep=",\nsite,folder\nMühle,Grünwald\n')).toEqual(sites);
    expect(cellsOf('a;"b, c, d";e\n1;2;3\n')).toEqual([
      ['a', 'b, c, d', 'e'],
      ['1', '2', '3'],
    ]);
  });

  it('leave out lines whose cells are all blank, and keep their line numbers', () => {
    const rows = rowsOf('\n,,\nsite,folder,\n,,\n"", ,""\nMühle,Grünwald,\n,,,,\n\n ,');
    expect(rows.map(({ line }) => line)).toEqual([3, 6]);
    expect(rowsOf('')).toEqual([]);
    expect(rowsOf('\n\n ,,')).toEqual([]);
  });

  it('are refused with their line where a quotation mark is unclosed or misplaced', () => {
    expect(() => rowsOf('a,b\n', '"open,', 'x'.repeat(1_100_000))).toThrow('birds.csv: A row that begins on line 2 has no end');
    expect(() => rowsOf('a,b\n"open,')).toThrow('A row that begins on line 2 has no end');
    expect(() => rowsOf('a,b\nc"d",e\n')).toThrow("birds.csv: Line 2 can't be read as CSV");
  });
});
