import { describe, expect, it } from 'vitest';
import { createFolderNames } from './folder-names.ts';

const time = new Date('2026-05-01T05:12:44.120Z');

describe('A folder in the archive of predictions', () => {
  it.each([
    ['morning.wav', 'morning'],
    ['../../etc/passwd', '_.._etc_passwd'],
    ['C:\\Windows\\song.mp3', 'C__Windows_song'],
    ['a\u202Egpj.wav', 'a_gpj'],
    ['two\nlines\u0000.wav', 'two_lines_'],
    ['.. .wav', 'recording'],
    ['Fitis am See.flac', 'Fitis am See'],
    ['\ud800.wav', '\ufffd'],
    [null, 'recording'],
  ])('for %j is called after the time and the harmless characters of the file name', (fileName, stem) => {
    expect(createFolderNames()(time, fileName)).toBe(`2026-05-01 051244 ${stem}`);
  });

  it('has a name no longer than systems allow', () => {
    expect(createFolderNames()(time, `${'🐦'.repeat(300)}.wav`)).toBe(`2026-05-01 051244 ${'🐦'.repeat(80)}`);
  });

  it('has a unique name, even on systems that ignore upper and lower case', () => {
    const name = createFolderNames();
    const names = ['a.wav', 'A.wav', 'a (2).wav', 'a.mp3', 'a (2).mp3'].map((fileName) => name(time, fileName).toLowerCase());
    expect(new Set(names).size).toBe(5);
  });
});
