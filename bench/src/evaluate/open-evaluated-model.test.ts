import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '@chiffchaff/cli';
import { makeWave } from '@chiffchaff/cli/testing';
import { expect, it } from 'vitest';
import { openModelUnderTest } from './open-model-under-test.ts';

it('The model under evaluation decodes a whole recording to its exact samples', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'chiffchaff-analyst-'));
  const { signal } = new AbortController();
  const modelUnderTest = await openModelUnderTest(readConfig({ PATH: process.env.PATH, INFERENCE_WORKERS: '1' }, folder), signal);
  try {
    const wave = makeWave({ seconds: 3 });
    const path = join(folder, 'whistle.wav');
    await writeFile(path, wave);
    const samples = await modelUnderTest.decode(path, signal);
    const expected = Array.from(new Int16Array(wave.slice(44).buffer), (value) => value / 32_768);
    expect(samples.length).toBe(expected.length);
    expect(samples.findIndex((sample, i) => Math.abs(sample - (expected[i] ?? 0)) > 1e-4)).toBe(-1);
  } finally {
    await modelUnderTest.close();
    await rm(folder, { recursive: true, force: true });
  }
});
