import { describe, expect, it } from 'vitest';
import { audacityLabels } from './audacity.ts';
import { csvTable } from './csv.ts';
import { ravenTable } from './raven.ts';
import type { Tabulated } from './tabulated.ts';

const chiffchaff = {
  scientificName: 'Phylloscopus collybita',
  commonName: 'Common Chiffchaff',
  startSeconds: 3,
  endSeconds: 9.0004,
  score: 0.91237,
  confidence: 0.96,
};

const morning = (fileName: string | null = 'morning.m4a', commonName = 'Common Chiffchaff'): Tabulated => ({
  recording: { fileName, durationSeconds: 31.25, sampleRate: 44_100 },
  detections: [{ ...chiffchaff, commonName }],
});

const silence: Tabulated = { recording: { fileName: 'night.wav', durationSeconds: 10, sampleRate: 16_000 }, detections: [] };

describe('csvTable', () => {
  it('has the columns of BirdNET-Analyzer and the model’s own score', () => {
    expect(csvTable([morning()])).toBe(
      'Start (s),End (s),Scientific name,Common name,Confidence,File\n' +
        '3,9,Phylloscopus collybita,Common Chiffchaff,0.9124,morning.m4a\n',
    );
  });

  it('is a header alone when nothing was detected', () => {
    expect(csvTable([silence])).toBe('Start (s),End (s),Scientific name,Common name,Confidence,File\n');
  });

  it('quotes what would break a row', () => {
    expect(csvTable([morning('a, "b"\n.wav')])).toContain(',"a, ""b""\n.wav"\n');
  });

  it.each(['=1+1.wav', '+1.wav', '-1.wav', '@SUM.wav', '\t=1', '  =1', '\r=1', '＝1'])(
    'never begins a cell with a formula: %j',
    (name) => {
      const row = csvTable([morning(name, name)])
        .split('\n')
        .slice(1)
        .join('\n');
      expect(row).not.toMatch(/(^|,)"?\s*[=+\-@＝]/);
      expect(row).toContain(`'${name}`);
    },
  );

  it('leaves names alone that only hold such signs', () => {
    expect(csvTable([morning('20-05=a@b+c.wav')])).toContain(',20-05=a@b+c.wav\n');
  });

  it('leaves the file out when it has no name', () => {
    expect(csvTable([morning(null)])).toMatch(/,0\.9124,\n$/);
  });
});

describe('ravenTable', () => {
  it('has the columns that Raven and BirdNET-Analyzer know', () => {
    const [header, row] = ravenTable([morning()]).split('\n');
    expect(header).toBe(
      'Selection\tView\tChannel\tBegin Time (s)\tEnd Time (s)\tLow Freq (Hz)\tHigh Freq (Hz)\tCommon Name\tSpecies Code\tConfidence\tBegin Path\tFile Offset (s)',
    );
    expect(row).toBe('1\tSpectrogram 1\t1\t3\t9\t0\t15000\tCommon Chiffchaff\tPhylloscopus collybita\t0.9124\tmorning.m4a\t3');
  });

  it('lays recordings end to end and counts selections on', () => {
    const rows = ravenTable([morning(), silence, morning('later.wav')])
      .trim()
      .split('\n')
      .slice(1);
    expect(rows.map((row) => row.split('\t'))).toEqual([
      expect.arrayContaining(['1', '3', '9', 'morning.m4a']),
      expect.arrayContaining(['2', '44.25', '50.25', 'later.wav', '3']),
    ]);
  });

  it('draws no selection above what the recording holds', () => {
    const narrow = { ...morning(), recording: { ...silence.recording } };
    expect(ravenTable([narrow])).toContain('\t0\t8000\t');
  });

  it('keeps every row on one line and in its columns', () => {
    const row = ravenTable([morning('a\tb\nc.wav')]).split('\n')[1];
    expect(row?.split('\t')).toHaveLength(12);
    expect(row).toContain('a b c.wav');
  });

  it('never begins a cell with a formula', () => {
    expect(ravenTable([morning('=cmd.wav')])).toContain("\t'=cmd.wav\t");
  });
});

describe('audacityLabels', () => {
  it('writes start, end and label', () => {
    expect(audacityLabels(morning())).toBe('3.000000\t9.000400\tCommon Chiffchaff 0.91\n');
  });

  it('is empty when nothing was detected', () => {
    expect(audacityLabels(silence)).toBe('');
  });

  it('keeps a label on one line', () => {
    expect(audacityLabels(morning('x.wav', 'Odd\tname\r\nhere'))).toBe('3.000000\t9.000400\tOdd name here 0.91\n');
  });
});
