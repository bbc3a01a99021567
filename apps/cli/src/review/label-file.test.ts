import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Label, labelLine, labelsHeader } from '@chiffchaff/survey';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InputError, SetUpError } from '../command-error.ts';
import { openLabelFile } from './label-file.ts';

const labelAt = (startSeconds: number): Label => ({
  ...{ id: `l${startSeconds}`, labelled: '2026-04-01T05:00:00.000Z', by: 'me', verdict: 'yes', otherSpecies: '' },
  ...{ file: 'Zaunkönig.wav', startSeconds, endSeconds: startSeconds + 3, scientificName: 'Troglodytes troglodytes' },
  confidence: 0.6,
});
const linesOf = (...starts: readonly number[]) => labelsHeader() + starts.map((start) => labelLine(labelAt(start))).join('');

/** Labels clip after clip from where the file ends; prints the number of each once it is acknowledged. */
const labelWithoutEnd = `
  const [, moduleUrl, path, label] = process.argv;
  const { openLabelFile } = await import(moduleUrl);
  const file = await openLabelFile(path, 'labels.csv');
  for (let start = file.labels.length; ; start += 1) {
    await file.add({ ...JSON.parse(label), id: 'l' + start, startSeconds: start, endSeconds: start + 3 });
    process.stdout.write(start + '\\n');
  }`;

describe('The file of review labels', () => {
  let folder: string;
  let path: string;
  let child: ChildProcess | null = null;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'labels-'));
    path = join(folder, 'labels.csv');
  });
  afterEach(async () => {
    child?.kill('SIGKILL');
    await rm(folder, { recursive: true });
  });
  const labelsNow = async () => {
    await using file = await openLabelFile(path, 'labels.csv');
    return file.labels;
  };

  it('keeps its labels in order when it is opened again, without those taken back', async () => {
    {
      await using file = await openLabelFile(path, 'labels.csv');
      await Promise.all([0, 1, 2].map((start) => file.add(labelAt(start))));
      await file.undo({ id: 'u1', labelled: '2026-04-01T05:00:01.000Z', by: 'me', undoes: 'l1' });
    }
    {
      await using again = await openLabelFile(path, 'labels.csv');
      await again.add(labelAt(3));
    }
    expect(await labelsNow()).toEqual([0, 2, 3].map(labelAt));
    expect(await readFile(path, 'utf8')).toContain(`${linesOf(0, 1, 2)}u1,`);
  });

  it('loses an incomplete last line when it is opened, even if that ends inside a two-byte character', async () => {
    const line = Buffer.from(labelLine(labelAt(1)));
    for (const torn of [1, line.indexOf('Zaunk') + 'Zaunk'.length + 1, line.length - 2]) {
      await writeFile(path, Buffer.concat([Buffer.from(linesOf(0)), line.subarray(0, torn)]));
      expect(await labelsNow(), `${torn} bytes`).toEqual([labelAt(0)]);
      expect(await readFile(path, 'utf8')).toBe(linesOf(0));
    }
    await writeFile(path, labelsHeader().slice(0, 20));
    expect(await labelsNow()).toEqual([]);
    expect(await readFile(path, 'utf8')).toBe(labelsHeader());
  });

  it('tells whether it lost an incomplete last line', async () => {
    const isTorn = async () => {
      await using file = await openLabelFile(path, 'labels.csv');
      return file.isTorn;
    };
    await writeFile(path, `${linesOf(0)}l1,2026`);
    expect([await isTorn(), await isTorn()]).toEqual([true, false]);
  });

  it('is refused, with the number of the line, if it contains an invalid label', async () => {
    await writeFile(path, linesOf(0, 1).replace(',yes,', ',perhaps,'));
    await expect(openLabelFile(path, 'labels.csv')).rejects.toThrow(
      new InputError('labels.csv: Line 2: "perhaps" is no Label, which is yes, no, unsure or other.'),
    );
  });

  it('gets the missing end of its last line before another label is added', async () => {
    await writeFile(path, linesOf(0).trimEnd());
    {
      await using file = await openLabelFile(path, 'labels.csv');
      await file.add(labelAt(1));
    }
    expect(await readFile(path, 'utf8')).toBe(linesOf(0, 1));
  });

  it('gets new labels with the separators, encoding, line ends and columns with which a spreadsheet saved it', async () => {
    const [header = '', line = ''] = linesOf(0).split('\n');
    const next = labelLine(labelAt(1.5)).trimEnd();
    const german = (text: string) => text.replaceAll(',', ';').replaceAll(/(?<=;\d)\.(?=\d+;)/g, ',');
    const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
    const forms: Readonly<Record<string, (...lines: readonly string[]) => Buffer>> = {
      'German Excel': (...lines) => Buffer.from(lines.map((each) => `${german(each)}\r\n`).join(''), 'latin1'),
      'Excel with a mark': (...lines) => Buffer.from(`\ufeff${lines.join('\r\n')}\r\n`),
      'Excel, Unicode text': (...lines) => utf16(`${lines.join('\r\n').replaceAll(',', '\t')}\r\n`),
      'an old Mac': (...lines) => Buffer.from(`${lines.join('\r')}\r`),
      'with a separator line': (...lines) => Buffer.from(`sep=;\r\n${lines.map((each) => `${german(each)}\r\n`).join('')}`),
      'with other columns': (names, ...lines) =>
        Buffer.from(`${[`Note,${names}`, ...lines.map((each, index) => `${index === 0 ? 'old' : ''},${each}`)].join('\n')}\n`),
    };
    for (const [name, form] of Object.entries(forms)) {
      await writeFile(path, form(header, line));
      {
        await using file = await openLabelFile(path, 'labels.csv');
        expect(file.isTorn, name).toBe(false);
        await file.add(labelAt(1.5));
        await file.undo({ id: 'u1', labelled: '2026-04-01T05:00:01.000Z', by: 'me', undoes: 'l0' });
      }
      expect(await readFile(path), name).toEqual(form(header, line, next, 'u1,2026-04-01T05:00:01.000Z,me,,,,,,,,l0'));
      expect(await labelsNow(), name).toEqual([labelAt(1.5)]);
    }
  });

  it('is continued after a last line without a line end, as Google Sheets writes it', async () => {
    const lines = linesOf(0, 1).replaceAll('\n', '\r\n');
    const undone = `${lines}u1,2026-04-01T05:00:01.000Z,me,,,,,,,,l0`;
    for (const [saved, count] of [
      [labelsHeader().trimEnd(), 0],
      [labelsHeader().trimEnd().replaceAll(',', ';'), 0],
      [lines.trimEnd(), 2],
      [undone, 1],
    ] as const) {
      await writeFile(path, saved);
      expect(await labelsNow(), saved).toHaveLength(count);
      {
        await using file = await openLabelFile(path, 'labels.csv');
        await file.add(labelAt(2));
      }
      expect(await labelsNow(), saved).toHaveLength(count + 1);
    }
  });

  it('is refused, with advice, if its encoding or its columns cannot take another label', async () => {
    const german = linesOf(0).replaceAll(',', ';');
    await writeFile(path, Buffer.from(german, 'latin1'));
    {
      await using file = await openLabelFile(path, 'labels.csv');
      await expect(file.add({ ...labelAt(1), file: 'Łąka.wav' })).rejects.toThrow(
        'labels.csv is in Windows-1252, which has no “Ł”. Save it as CSV UTF-8.',
      );
    }
    expect(await readFile(path, 'latin1')).toBe(german);
    await writeFile(path, linesOf(0).replace('\nl0', '\n1,l0'));
    await expect(openLabelFile(path, 'labels.csv')).rejects.toThrow('labels.csv has numbers of rows, which have no column.');
    await writeFile(path, linesOf(0).replace(',Undoes', ',Undone'));
    await expect(openLabelFile(path, 'labels.csv')).rejects.toThrow('it has no column Undoes');
  });

  it('is refused and left unchanged if it is a file of another kind', async () => {
    await writeFile(path, 'my,own\ntable,1\n');
    await expect(openLabelFile(path, 'labels.csv')).rejects.toThrow(InputError);
    await expect(openLabelFile(path, 'labels.csv')).rejects.toThrow('labels.csv is no file of labels that review writes');
    expect(await readFile(path, 'utf8')).toBe('my,own\ntable,1\n');
    await expect(openLabelFile(folder, 'here')).rejects.toThrow(SetUpError);
  });

  it('loses no acknowledged label to kill -9', async () => {
    const moduleUrl = new URL('label-file.ts', import.meta.url).href;
    let acknowledged = -1;
    for (const kept of [1, 7, 20]) {
      const args = ['--input-type=module', '-e', labelWithoutEnd, '--', moduleUrl, path, JSON.stringify(labelAt(0))];
      const running = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      child = running;
      const ended = once(running, 'close');
      let seen = 0;
      for await (const line of createInterface({ input: running.stdout })) {
        acknowledged = Number(line);
        seen += 1;
        if (seen === kept) running.kill('SIGKILL');
      }
      await ended;
      expect(seen).toBeGreaterThanOrEqual(kept);
      const found = await labelsNow();
      expect(found.slice(0, acknowledged + 1)).toEqual(Array.from({ length: acknowledged + 1 }, (_, at) => labelAt(at)));
    }
  });
});
