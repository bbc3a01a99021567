import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeCaches } from '../../testing/fake-caches.ts';
import { dropOldShared, keepShared, SHARED_FIELD, takeShared } from './shared-recordings.ts';

const formOf = (...parts: readonly (readonly [name: string, value: string | File])[]): FormData => {
  const form = new FormData();
  for (const [name, value] of parts) form.append(name, value);
  return form;
};
const song = () => new File(['song'], 'Zilpzalp, früh.m4a', { type: 'audio/mp4' });
const HOUR_MS = 3_600_000;

describe('Recordings shared by another app', () => {
  let kept: ReturnType<typeof fakeCaches>;
  beforeEach(() => {
    kept = fakeCaches();
    vi.stubGlobal('caches', kept.caches);
  });
  afterEach(() => vi.unstubAllGlobals());

  it('are handed to the page once, with their names, types and bytes', async () => {
    const form = formOf([SHARED_FIELD, song()], [SHARED_FIELD, new File(['call'], 'b.wav', { type: 'audio/wav' })]);
    expect(await keepShared(form)).toBe('received');
    const files = await takeShared();
    expect(files.map(({ name, type }) => [name, type])).toEqual([
      ['Zilpzalp, früh.m4a', 'audio/mp4'],
      ['b.wav', 'audio/wav'],
    ]);
    expect(await files[0]?.text()).toBe('song');
    expect(await takeShared()).toEqual([]);
  });

  it('are none if the other app shares only text, or a file in another field', async () => {
    const form = formOf(['title', 'look'], ['url', 'https://example.org'], [SHARED_FIELD, 'no file'], ['other', song()]);
    expect(await keepShared(form)).toBe('empty');
    expect(kept.names()).toEqual([]);
  });

  it('are kept for an hour at most', async () => {
    await keepShared(formOf([SHARED_FIELD, song()]), 0);
    await dropOldShared(HOUR_MS - 1);
    expect(kept.left()).toHaveLength(1);
    await dropOldShared(HOUR_MS);
    expect(kept.left()).toHaveLength(0);
    await keepShared(formOf([SHARED_FIELD, song()]), 0);
    expect(await takeShared(HOUR_MS)).toEqual([]);
    expect(kept.left()).toHaveLength(0);
  });

  it('are reported as failed if there is no space for them', async () => {
    vi.stubGlobal('caches', { open: () => Promise.reject(new DOMException('full', 'QuotaExceededError')) });
    expect(await keepShared(formOf([SHARED_FIELD, song()]))).toBe('failed');
  });

  it('are none if the browser has no cache storage', async () => {
    vi.unstubAllGlobals();
    expect('caches' in globalThis).toBe(false);
    expect(await takeShared()).toEqual([]);
  });
});
