import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { big, bytesOf, little, zeros } from '@chiffchaff/survey/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readCircumstances } from './circumstances.ts';
import type { IdentifyOptions } from './options.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chiffchaff-circumstances-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function read(name: string, entries: readonly string[]) {
  const path = join(folder, name);
  const pieces = entries.flatMap((entry) => [Buffer.from(little(entry.length)), Buffer.from(entry)]);
  const list = Buffer.concat([bytesOf(little(4), 'test', little(entries.length)), ...pieces]);
  await writeFile(path, bytesOf('fLaC', 0, big(34, 3), zeros(34), 0x84, big(list.length, 3), list));
  return readCircumstances(path, { readsMetadata: true, place: null } as IdentifyOptions, []);
}

describe('The circumstances of a recording', () => {
  it('come from its name if its tags take over a second to parse, and the next recording’s tags are still read', async () => {
    const crowded = Array.from({ length: 60_000 }, (_, n) => `A=${n}`);
    const [first, second] = await Promise.all([
      read('20260502_051200.flac', [...crowded, 'date=2026-05-03']),
      read('second.flac', ['date=2026-05-03']),
    ]);
    expect(first.began?.date).toBe('2026-05-02');
    expect(second.began?.date).toBe('2026-05-03');
  });
});
