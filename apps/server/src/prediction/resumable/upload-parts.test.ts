import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFolderStorage } from '../../storage/folder-storage.ts';
import type { ObjectStorage } from '../../storage/object-storage.ts';
import { UploadParts } from './upload-parts.ts';

const MIB = 1024 * 1024;
const sound = randomBytes(20 * MIB);
const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const id = 'dawn';
const row = { id, accountId: 'ann', createdAtMs: Date.now(), bytes: sound.length, metadata: '{}', sha256: null, usedAtMs: null };

let folder: string;
let storage: ObjectStorage;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chiffchaff-parts-'));
  storage = openFolderStorage(folder);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** The parts as a machine sees them. */
const open = (reached = storage, found: () => typeof row | null = () => row) =>
  new UploadParts({
    storage: reached,
    rows: { findUnused: async () => found(), remove: async () => {} },
  });
/** Sends a part of the recording, as the library of the protocol does. */
async function send(machine: UploadParts, from: number, to: number): Promise<number> {
  await machine.getUpload(id);
  return machine.write(Readable.from(piecesOf(sound.subarray(from, to))), id, from);
}
const readAll = async (machine: UploadParts) =>
  Buffer.concat(await Readable.from(machine.read(await machine.partsOf(id), AbortSignal.timeout(60_000))).toArray());

/** As a body arrives. */
function* piecesOf(bytes: Buffer): Iterable<Buffer> {
  for (let at = 0; at < bytes.length; at += MIB / 4) yield bytes.subarray(at, at + MIB / 4);
}

async function names(): Promise<string[]> {
  const found: string[] = [];
  for await (const { name } of storage.list('resumable-uploads/')) found.push(name);
  return found;
}

/** A storage that fails from one use on. */
const failsFrom = (use: number): ObjectStorage => {
  let uses = 0;
  return new Proxy(storage, {
    get(target, name: keyof ObjectStorage) {
      if (name !== 'put' && name !== 'draftPathFor') return target[name];
      return (...given: [string, string]) => {
        uses += 1;
        if (uses > use) throw new Error('The machine was killed');
        return target[name](...given);
      };
    },
  });
};

describe('The parts of a resumable upload', () => {
  it('hold all that was acknowledged, whichever use of the storage fails, and another machine continues after them', async () => {
    const kept = new Set<number>();
    for (let use = 0; ; use += 1) {
      expect(await send(open(), 0, 3 * MIB)).toBe(3 * MIB);
      const isWhole = await send(open(failsFrom(use)), 3 * MIB, sound.length).then(
        () => true,
        () => false,
      );
      const another = open();
      const { offset } = await another.getUpload(id);
      kept.add(offset / MIB);
      await send(another, offset, sound.length);
      expect(hashOf(await readAll(another))).toBe(hashOf(sound));
      await another.removeParts(id);
      if (isWhole) break;
    }
    expect([...kept]).toEqual([3, 11, 19, 20]);
  });

  it('are listed once per request, and a request of 20 MiB stores three of them', async () => {
    const uses: string[] = [];
    let rowsRead = 0;
    const counted = new Proxy(storage, {
      get(target, name: keyof ObjectStorage) {
        if (name !== 'draftPathFor') uses.push(name);
        return target[name];
      },
    });
    const countRow = () => {
      rowsRead += 1;
      return row;
    };
    await send(open(counted, countRow), 0, sound.length);
    expect(uses).toEqual(['list', 'put', 'put', 'put']);
    expect(rowsRead).toBe(4);
  });

  it('are joined to parts of 1 MiB if the upload arrives in smaller pieces', async () => {
    const machine = open();
    for (let at = 0; at < 5 * MIB; at += MIB / 4) await send(machine, at, at + MIB / 4);
    expect(await names()).toHaveLength(5);
    expect(await readAll(machine)).toEqual(sound.subarray(0, 5 * MIB));
  });

  it('that break off while being read are reported as a storage that cannot be reached', async () => {
    await send(open(), 0, 10);
    const brokenStream = () =>
      new Readable({
        read() {
          this.destroy(new Error('aborted'));
        },
      });
    const broken = new Proxy(storage, {
      get: (target, name: keyof ObjectStorage) => (name === 'read' ? async () => brokenStream() : target[name]),
    });
    await expect(send(open(broken), 10, 20)).rejects.toMatchObject({ code: 'AWAY' });
    expect((await open().partsOf(id)).at(-1)?.end).toBe(10);
  });

  it('can be stored by two machines at once', async () => {
    const [here, there] = [open(), open()];
    await Promise.all([send(here, 0, 13 * MIB), send(there, 0, 11 * MIB)]);
    expect((await here.partsOf(id)).at(-1)?.end).toBe(13 * MIB);
    await send(there, 13 * MIB, sound.length);
    expect(hashOf(await readAll(here))).toBe(hashOf(sound));
  });

  it('are removed by a machine that still stores them when the upload is removed', async () => {
    const known = [row, row, null];
    await expect(
      send(
        open(storage, () => known.shift() ?? null),
        0,
        sound.length,
      ),
    ).rejects.toMatchObject({
      code: 'UPLOAD_NOT_FOUND',
    });
    expect(known).toEqual([]);
    expect(await names()).toEqual([]);
  });
});
