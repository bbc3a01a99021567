import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openKeyFolder } from './key-folder.ts';
import { createSigningKeys } from './signing-keys.ts';

let folder: string;
let nowMs = 0;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'chiffchaff-keys-')), 'keys');
  nowMs = Date.parse('2026-05-01T00:00:00Z');
  vi.spyOn(Date, 'now').mockImplementation(() => nowMs);
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(join(folder, '..'), { recursive: true, force: true });
});

const open = async () => createSigningKeys(await openKeyFolder(folder), 3600);
const kids = (keys: Awaited<ReturnType<typeof open>>) => keys.published().map(({ kid }) => kid);
const hourMs = 3_600_000;

describe('The signing keys of the server (`createSigningKeys`)', () => {
  it('are the same after a restart', async () => {
    const kid = (await open()).current().kid;
    expect((await open()).current().kid).toBe(kid);
    expect(readdirSync(folder)).toHaveLength(1);
  });

  it('do not include an unfinished key file of a killed process, which is removed', async () => {
    const kid = (await open()).current().kid;
    writeFileSync(join(folder, 'signing-abc.json.part'), '{ "privateKey": "half of o');
    expect((await open()).current().kid).toBe(kid);
    expect(readdirSync(folder)).toEqual([`signing-${kid}.json`]);
  });

  it.each([
    ['empty', ''],
    ['damaged', '{"kid":"1'],
    ['damaged', '{"kid":"1"}'],
  ])('are refused, naming a key file that is %s and what to do about it (case %#)', async (found, content) => {
    await open();
    const [name = ''] = readdirSync(folder);
    writeFileSync(join(folder, name), content);
    await expect(open()).rejects.toMatchObject({
      code: 'FILE_DAMAGED',
      message: `The signing key ${join(folder, name)} is ${found}. Restore it from a backup, or remove the file, which invalidates the tokens signed with it.`,
    });
  });

  it('are hidden from other users of the machine, also in a file that others could read before', async () => {
    await open();
    const [name = ''] = readdirSync(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    chmodSync(join(folder, name), 0o644);
    chmodSync(folder, 0o755);
    await open();
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  });

  it('are published before they are used, and until the last token that they signed has expired', async () => {
    const keys = await open();
    const old = keys.current().kid;
    nowMs += 24 * hourMs;
    const next = await keys.rotate();
    expect(keys.current().kid).toBe(old);
    expect(kids(keys)).toEqual([old, next]);
    nowMs += hourMs;
    expect(keys.current().kid).toBe(next);
    expect(kids(keys)).toEqual([old, next]);
    nowMs += 2 * hourMs;
    expect(kids(keys)).toEqual([old, next]);
    nowMs += 61_000;
    expect(kids(keys)).toEqual([next]);
    expect(keys.find(old)).toBeUndefined();
  });

  it('include, within a second, a new key made by another process', async () => {
    const keys = await open();
    const other = await open();
    nowMs += 500;
    const next = await other.rotate();
    expect(keys.find(next)).toBeUndefined();
    nowMs += 500;
    expect(keys.find(next)?.kid).toBe(next);
  });
});
