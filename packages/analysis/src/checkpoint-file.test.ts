import { appendFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openCheckpointFile } from './checkpoint-file.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

const folder = temporaryFolder();
let attempt = 0;
beforeEach(() => {
  attempt += 1;
});
const path = (): string => join(folder.path, `notes-${attempt}`);

async function write(...notes: string[]): Promise<void> {
  const opened = await openCheckpointFile(path(), 'this recording');
  for (const note of notes) await opened.append(Buffer.from(note));
  await opened.close();
}
async function read(subject = 'this recording'): Promise<string[]> {
  const opened = await openCheckpointFile(path(), subject);
  const found: string[] = [];
  for await (const note of opened.readFound()) found.push(Buffer.from(note).toString());
  await opened.close();
  return found;
}

describe('listening notes', () => {
  it('are found again, over several attempts', async () => {
    await write('one', 'two');
    await write('three');
    expect(await read()).toEqual(['one', 'two', 'three']);
  });

  it('are no file as long as nothing is noted', async () => {
    await write();
    expect(await read()).toEqual([]);
    expect(existsSync(path())).toBe(false);
  });

  it('are worth nothing for another subject, and begin anew then', async () => {
    await write('one');
    expect(await read('another recording')).toEqual([]);
    expect(await read()).toEqual([]);
  });

  it.each([1, 5, 11, 13])('lose what was cut off %i bytes before the end, and go on after what is whole', async (missing) => {
    await write('one', 'two');
    truncateSync(path(), readFileSync(path()).length - missing);
    await write('three');
    expect(await read()).toEqual(missing > 11 ? ['three'] : ['one', 'three']);
  });

  it.each([
    ['rubbish', 'x'.repeat(40)],
    ['a huge length', '\xff\xff\xff\x7f12345'],
  ])('lose what is not theirs: %s', async (_what, rubbish) => {
    await write('one');
    appendFileSync(path(), rubbish, 'latin1');
    expect(await read()).toEqual(['one']);
    writeFileSync(path(), rubbish, 'latin1');
    expect(await read()).toEqual([]);
  });
});
