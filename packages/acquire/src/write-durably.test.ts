import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sha256Of } from './checksum.ts';
import { wrapWriteErrors, writeDurably } from './write-durably.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'write-durably-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('Writing a file durably (`writeDurably`) puts pieces of any size in order and returns their hash', async () => {
  const sizes = [0, 3, 700_000, 1, 2_500_000, 5];
  const pieces = sizes.map((size, index) => new Uint8Array(size).fill(index + 1));
  const file = join(folder, 'file');
  const sha256 = await writeDurably(file, pieces);
  const written = await readFile(file);
  expect(written.equals(Buffer.concat(pieces))).toBe(true);
  expect(sha256).toBe(sha256Of(written));
});

it('Writing a file durably (`writeDurably`) reports a full disk as DISK_FULL', async ({ skip }) => {
  if (!existsSync('/dev/full')) skip('this system has no /dev/full, which is a full disk for tests');
  const writing = writeDurably('/dev/full', [new Uint8Array(10)]);
  await expect(writing).rejects.toThrow(expect.objectContaining({ name: 'AcquireError', code: 'DISK_FULL' }));
});

it('Writing a file durably (`writeDurably`) reports a read-only folder as not writable', async () => {
  const refuse = (): Promise<never> => Promise.reject(Object.assign(new Error('refused'), { code: 'EROFS' }));
  await expect(wrapWriteErrors(folder, refuse)).rejects.toThrow(expect.objectContaining({ code: 'FOLDER_NOT_WRITABLE' }));
});

it('Writing a file durably (`writeDurably`) passes on every other error unchanged', async () => {
  const mistake = new TypeError('a mistake of the program');
  await expect(wrapWriteErrors(folder, () => Promise.reject(mistake))).rejects.toBe(mistake);
});
