import { expect, it } from 'vitest';
import { announcedBytesOf, createDiskGuard } from './disk-guard.ts';

const full = { code: 'STORAGE_FULL' };

it('createDiskGuard keeps space on the disk free, besides what is reserved', async () => {
  const guard = createDiskGuard('/', 1000, async () => 1500);
  guard.reserve(300);
  await expect(guard.check(201)).rejects.toMatchObject(full);
  await guard.check(200);
  guard.reserve(-300);
  await guard.check(500);
  await guard.check(500);
  await expect(guard.check(501)).rejects.toMatchObject(full);
});

it('createDiskGuard asks the file system for the free space', async () => {
  await createDiskGuard('/', 0).check(0);
  await expect(createDiskGuard('/', 2 ** 60).check(0)).rejects.toMatchObject(full);
});

it('announcedBytesOf distinguishes a body without a length from no body', () => {
  expect(announcedBytesOf({ headers: { 'transfer-encoding': 'chunked' } })).toBeNull();
  expect(announcedBytesOf({ headers: { 'content-length': '12' } })).toBe(12);
  expect(announcedBytesOf({ headers: {} })).toBe(0);
});
