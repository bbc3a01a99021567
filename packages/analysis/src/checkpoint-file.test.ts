import { appendFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EvidenceCheckpoint } from '@chiffchaff/recognizer';
import { beforeEach, describe, expect, it } from 'vitest';
import { openCheckpointFile } from './checkpoint-file.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

const folder = temporaryFolder();
let attempt = 0;
beforeEach(() => {
  attempt += 1;
});
const path = (): string => join(folder.path, `checkpoints-${attempt}`);

/** A checkpoint that can be recognised by its name. */
const checkpointOf = (name: string): EvidenceCheckpoint => ({
  clipStepSamples: 1,
  clipCount: 2,
  lastPassageFirst: -1,
  columns: [Uint16Array.from(Buffer.from(name)), Float32Array.of(-0.25, Number.NEGATIVE_INFINITY)],
  ring: [],
});
async function write(...names: string[]): Promise<void> {
  await using opened = await openCheckpointFile(path(), 'this recording');
  for await (const _ of opened.readFound());
  for (const name of names) await opened.append(checkpointOf(name));
}
async function read(subject = 'this recording'): Promise<string[]> {
  await using opened = await openCheckpointFile(path(), subject);
  const found: string[] = [];
  for await (const checkpoint of opened.readFound()) {
    const name = String.fromCharCode(...(checkpoint.columns[0] ?? []));
    expect(checkpoint).toEqual(checkpointOf(name));
    found.push(name);
  }
  return found;
}

describe('Checkpoints in a file', () => {
  it('are all read back, also those written by several attempts', async () => {
    await write('one', 'two');
    await write('three');
    expect(await read()).toEqual(['one', 'two', 'three']);
  });

  it('create no file until the first one is written', async () => {
    await write();
    expect(await read()).toEqual([]);
    expect(existsSync(path())).toBe(false);
  });

  it('of another recording are ignored and overwritten', async () => {
    await write('one');
    expect(await read('another recording')).toEqual([]);
    expect(await read()).toEqual([]);
  });

  it.each([1, 5, -7, -2])(
    'survive a file cut off %i bytes from the end: complete checkpoints are kept and new ones are appended',
    async (missing) => {
      await write('one');
      const { length } = readFileSync(path());
      await write('two');
      // Negative: this many bytes into the last record.
      truncateSync(path(), missing > 0 ? readFileSync(path()).length - missing : length - missing);
      await write('three');
      expect(await read()).toEqual(['one', 'three']);
      truncateSync(path(), length - 1);
      await write('four');
      expect(await read()).toEqual(['four']);
    },
  );

  it.each([
    ['rubbish', 'x'.repeat(40)],
    ['a huge length', '\xff\xff\xff\x7f12345'],
  ])('are separated from foreign bytes at the end of the file: %s', async (_what, rubbish) => {
    await write('one');
    appendFileSync(path(), rubbish, 'latin1');
    expect(await read()).toEqual(['one']);
    writeFileSync(path(), rubbish, 'latin1');
    expect(await read()).toEqual([]);
  });
});
