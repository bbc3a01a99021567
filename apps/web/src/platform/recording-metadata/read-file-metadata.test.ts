import { expect, it, vi } from 'vitest';
import { readFileMetadata } from './read-file-metadata.ts';

const findings = { time: { date: '2026-05-01', time: null, offsetMinutes: null }, madeAtMs: null };
const nothingElse = { place: null, serial: null, temperature: null, notes: [] };

/** A worker that answers, unless a file's content keeps it busy. */
class FakeWorker {
  static readonly all: FakeWorker[] = [];
  onmessage: ((message: { data: unknown }) => void) | null = null;
  isTerminated = false;
  constructor() {
    FakeWorker.all.push(this);
  }
  async postMessage(file: Blob | null) {
    if ((await file?.text()) !== 'fLaC, crowded with comments') this.onmessage?.({ data: { ...findings, ...nothingElse } });
  }
  terminate() {
    this.isTerminated = true;
  }
}

it('The metadata of a file whose tags take over a second to parse comes from its name, and the next file’s tags are read', async () => {
  vi.stubGlobal('Worker', FakeWorker);
  const crowded = readFileMetadata(new File(['fLaC, crowded with comments'], '20260502_051200.flac'));
  const next = readFileMetadata(new File(['fLaC'], 'next.flac'));
  expect(await crowded).toMatchObject({ date: { value: '2026-05-02', from: 'name' }, time: '05:12:00' });
  expect(await next).toMatchObject({ date: { value: '2026-05-01', from: 'metadata' } });
  expect(FakeWorker.all.map(({ isTerminated }) => isTerminated)).toEqual([true, false]);
  vi.unstubAllGlobals();
});
