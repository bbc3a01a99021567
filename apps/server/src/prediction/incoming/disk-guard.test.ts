import { expect, it } from 'vitest';
import { announcedBytesOf, createDiskGuard } from './disk-guard.ts';

const full = { code: 'STORAGE_FULL' };

it('The guard of disk space (`createDiskGuard`) keeps the required space free', async () => {
  const guard = createDiskGuard('/', 1000, async () => 1500);
  await guard.check(500);
  await expect(guard.check(501)).rejects.toMatchObject(full);
});

it('The guard of disk space (`createDiskGuard`) refuses, unread, a body that does not fit, and ends one that no longer fits', async () => {
  let freeBytes = 1500;
  const guard = createDiskGuard('/', 1000, async () => freeBytes);
  const chunks = async function* () {
    yield Buffer.alloc(300);
    yield Buffer.alloc(200);
  };
  const unread = chunks();
  await expect(guard.admit(unread, 501)[Symbol.asyncIterator]().next()).rejects.toMatchObject(full);
  expect((await unread.next()).value).toHaveLength(300);
  const admitted = guard.admit(chunks(), 500)[Symbol.asyncIterator]();
  expect((await admitted.next()).value).toHaveLength(300);
  freeBytes = 1199;
  await expect(admitted.next()).rejects.toMatchObject(full);
});

it('The guard of disk space (`createDiskGuard`) asks the file system for the free space', async () => {
  await createDiskGuard('/', 0).check(0);
  await expect(createDiskGuard('/', 2 ** 60).check(0)).rejects.toMatchObject(full);
});

it('The announced size of a request body is null if its length is unknown, and 0 if there is no body', () => {
  expect(announcedBytesOf({ headers: { 'transfer-encoding': 'chunked' } })).toBeNull();
  expect(announcedBytesOf({ headers: { 'content-length': '12' } })).toBe(12);
  expect(announcedBytesOf({ headers: {} })).toBe(0);
});
