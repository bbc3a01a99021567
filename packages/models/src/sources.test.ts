import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { birdnetSources, obtainModelFiles } from './sources.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'sources-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('a named file is the only source: nothing else is tried when it fails', async () => {
  const sentences: string[] = [];
  const obtaining = obtainModelFiles(birdnetSources, {
    modelFile: path.join(folder, 'missing.whl'),
    folder,
    onProgress: (sentence) => sentences.push(sentence),
  });
  await expect(obtaining).rejects.toThrow(expect.objectContaining({ code: 'SOURCE_UNREADABLE' }));
  expect(sentences).toEqual([`Reading ${path.join(folder, 'missing.whl')}`]);
});
