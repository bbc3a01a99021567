import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { cacheEvidence, openEvidenceCache } from './evidence-cache.ts';
import { describedManifest, sampleEvidence } from './testing/sample-evidence.ts';

const manifest = describedManifest();
const evidence = sampleEvidence([[2, -1]]);
const { signal } = new AbortController();
const listen = vi.fn(async () => evidence);
let folder = '';
let recording = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chiffchaff-cache-'));
  recording = join(folder, 'a.opus');
  await writeFile(recording, 'sound');
  listen.mockClear();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = (model = manifest) => cacheEvidence(listen, openEvidenceCache(join(folder, 'cache'), model));

it('The stored evidence of test recordings saves a second analysis of the same recording under another name', async () => {
  const first = await open()(recording, signal);
  const copy = join(folder, 'b.opus');
  await writeFile(copy, 'sound');
  expect(await open()(copy, signal)).toEqual(first);
  expect([...first.passages.zs].map((z) => z * first.logitUnit)).toEqual([...evidence.passages.zs]);
  expect(listen).toHaveBeenCalledTimes(1);
});

it('The stored evidence of test recordings is used with new coefficients, but not if the recording or the model has changed', async () => {
  await open()(recording, signal);
  const { calibration, audio } = manifest;
  const words = { ...calibration.words, likely: 0.6 };
  await open({ ...manifest, calibration: { ...calibration, words } })(recording, signal);
  expect(listen).toHaveBeenCalledTimes(1);
  await open({ ...manifest, audio: { ...audio, sha256: 'f'.repeat(64) } })(recording, signal);
  await writeFile(recording, 'other sound');
  await open()(recording, signal);
  expect(listen).toHaveBeenCalledTimes(3);
});

it('The stored evidence of test recordings is replaced by a new analysis if its file is damaged', async () => {
  await open()(recording, signal);
  for (const name of await readdir(join(folder, 'cache'))) await writeFile(join(folder, 'cache', name), 'x');
  await open()(recording, signal);
  expect(listen).toHaveBeenCalledTimes(2);
});
