import { describe, expect, it } from 'vitest';
import { detectionKey, type Label, labelLine, labelsHeader, readLabels, undoLine, wholeLines } from './labels.ts';

const columns = 'Label id,By,File,Start,End,Scientific name,Label,Confidence';
const labelOf = (id: string, verdict: Label['verdict']): Label => ({
  ...{ id, labelled: '2026-06-01T10:00:00Z', by: 'Ada', verdict, otherSpecies: '', file: 'a.wav' },
  ...{ startSeconds: 0, endSeconds: 3, scientificName: 'Parus major', confidence: 0.5 },
});
function read(content: string | Uint8Array, speciesOf?: (name: string) => string | null) {
  const notes: string[] = [];
  const labels = readLabels(content, 'labels.csv', (sentence) => notes.push(sentence), speciesOf);
  return { labels, notes, verdicts: labels.map(({ verdict }) => verdict) };
}

describe('A file of review labels', () => {
  it('is read without labels that were taken back and, with a note, without an incomplete last line', () => {
    const [kept, undone] = [labelOf('l1', 'other'), labelOf('l2', 'no')];
    const named = { ...kept, file: 'a "b",\nc.wav', otherSpecies: 'Cyanistes caeruleus' };
    const undo = undoLine({ id: 'u1', labelled: undone.labelled, by: 'Ada', undoes: undone.id });
    const text = labelsHeader() + labelLine(named) + labelLine(undone) + undo;
    const note = 'The last line of labels.csv is incomplete and is left out.';
    for (const torn of [
      'l9,2026-06-01T10:00:00Z,Ada,"a\nb',
      'l9',
      'l9,2026-06-01T10:00:00Z,Ada,a.wav,0,3,Parus major,0.5,yes,',
    ]) {
      expect(wholeLines(text + torn)).toBe(text);
      expect(read(text + torn), torn).toMatchObject({ labels: [named], notes: [note] });
    }
    expect(read(text)).toMatchObject({ labels: [named], notes: [] });
  });

  it('keeps its last label without a line end if it is whole', () => {
    const text = `${columns}\n1,Ada,a.wav,0,3,Parus major,yes,0.7932\n2,Ada,a.wav,3,6,Parus major,no,0.9929`;
    expect(read(text)).toMatchObject({ verdicts: ['yes', 'no'], notes: [] });
  });

  it('may have labels in upper or lower case, with blanks around them', () => {
    const text = `${columns}\n1,Ada,a.wav,0,3,Parus major,Yes,\n2,Ada,a.wav,3,6,Parus major, no ,1e-04\n3,,a.wav,6,9,Parus major,UNSURE,NA\n`;
    expect(read(text).verdicts).toEqual(['yes', 'no', 'unsure']);
    expect(read(text).labels.map(({ confidence }) => confidence)).toEqual([null, 0.0001, null]);
  });

  it('names species as the tables do, in whatever case and with whatever blanks they are typed', () => {
    const [label] = read(`${columns}\n1,Ada,a.wav,0,3,parus  Major,yes,\n`).labels;
    expect(label?.scientificName).toBe('Parus major');
  });

  it('is read in order of time if every label has a time, however a spreadsheet sorted it', () => {
    const [yes, no] = [
      { ...labelOf('l1', 'yes'), labelled: '2026-06-01T10:00:00Z' },
      { ...labelOf('l2', 'no'), labelled: '2026-06-01T10:00:00.500Z' },
    ];
    const text = (...labels: readonly Label[]) => labelsHeader() + labels.map((label) => labelLine(label)).join('');
    expect(read(text(no, yes)).verdicts).toEqual(['yes', 'no']);
    expect(read(text(yes, no)).verdicts).toEqual(['yes', 'no']);
    expect(read(text(no, { ...yes, labelled: '' })).verdicts).toEqual(['no', 'yes']);
  });

  it('is refused if a label names another species but is not “other”', () => {
    const text = labelsHeader() + labelLine({ ...labelOf('l1', 'no'), otherSpecies: 'Parus ater' });
    expect(() => read(text)).toThrow(
      'labels.csv: Line 2: "Parus ater" is no Other species, which is empty where the label is no, not other.',
    );
  });

  it('is refused with line and column if a cell has no valid value', () => {
    const row = (changes: Readonly<Record<string, string>>) => {
      const cells = { 'Label id': '1', By: 'Ada', File: 'a.wav', Start: '0', End: '3', 'Scientific name': 'Parus major' };
      const all: Readonly<Record<string, string>> = { ...cells, Label: 'yes', Confidence: '', ...changes };
      return `${columns},Undoes\n${[...columns.split(','), 'Undoes'].map((name) => all[name] ?? '').join(',')}\n`;
    };
    const says = (changes: Readonly<Record<string, string>>, sentence: string) =>
      expect(() => read(row(changes)), sentence).toThrow(`labels.csv: Line 2: ${sentence}`);
    says({ Label: '1' }, '"1" is no Label, which is yes, no, unsure or other.');
    says({ Label: 'maybe' }, '"maybe" is no Label');
    says({ Label: '' }, '"" is no Label');
    says({ Start: 'x' }, '"x" is no Start, which goes from 0 to');
    says({ Start: '5' }, '"3" is no End, which goes from 5 to');
    says({ File: '' }, '"" is no File');
    says({ 'Scientific name': '' }, '"" is no Scientific name');
    says({ Confidence: '80%' }, '"80%" is no Confidence, which goes from 0 to 1.');
    says({ Undoes: 'l7' }, '"l7" is no Undoes, which is the id of a label in this file.');
    expect(read(row({ Undoes: 'NA' })).verdicts).toEqual(['yes']);
  });

  it('is read as Excel saves it: with semicolons, old line ends, blank rows and its own encoding', () => {
    const saved = `${columns.replaceAll(',', ';')}\r1;J\xfcrgen;a.wav;0;3;Parus major;yes;0,5\r;;;;;;;\r`;
    expect(read(Buffer.from(saved, 'latin1'))).toMatchObject({
      labels: [{ by: 'Jürgen', confidence: 0.5 }],
      notes: [
        'labels.csv is not UTF-8; it is read as Windows-1252, which gives “Jürgen”. If that is wrong, so are other names: save it as CSV UTF-8.',
      ],
    });
    const times = (...written: readonly string[]) =>
      read(
        `${columns},Labelled (UTC)\n${written.map((time, id) => `${id},,a.wav,0,3,Parus major,yes,,${time}\n`).join('')}`,
      ).labels.map(({ labelled }) => labelled);
    expect(times('2026-06-01T10:00:00.123Z', '13/06/2026 10:00', '2026-06-01 10:00:00', '')).toEqual([
      ...['2026-06-01T10:00:00.123Z', '2026-06-13T10:00:00.000Z', '2026-06-01T10:00:00.000Z', ''],
    ]);
  });

  it('is refused if the other species of a label is none that the model knows', () => {
    const text = labelsHeader() + labelLine({ ...labelOf('l1', 'other'), otherSpecies: 'Periparus' });
    expect(() => read(text, () => null)).toThrow(
      'labels.csv: Line 2: "Periparus" is no Other species, which is a species that the model knows, or empty.',
    );
    expect(read(text, () => 'Periparus ater').labels).toMatchObject([{ otherSpecies: 'Periparus ater' }]);
    expect(read(labelsHeader() + labelLine(labelOf('l1', 'other')), () => null).verdicts).toEqual(['other']);
  });
});

describe('The key that matches a label with its detection', () => {
  it('is the same for paths with slashes or backslashes, and for any form of Unicode', () => {
    const keyOf = (file: string) =>
      detectionKey(read(`${columns}\n1,Ada,${file},0,3,Parus major,yes,\n`).labels[0] ?? labelOf('l1', 'no'));
    expect(new Set(['surv\\Käuzchen\\a.wav', './surv/Käuzchen/a.wav', 'surv/Ka\u0308uzchen/a.wav'].map(keyOf)).size).toBe(1);
    expect(keyOf('B/a.wav')).not.toBe(keyOf('A/a.wav'));
  });
});
