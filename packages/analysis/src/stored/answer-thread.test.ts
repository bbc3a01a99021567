import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { denseEvidence } from '../testing/dense-evidence.ts';
import { modelFolderPath } from '../testing/installed.ts';
import { samplePrediction } from '../testing/sample-prediction.ts';
import { createAnswerThread } from './answer-operations-in-thread.ts';

const thread = createAnswerThread(() => ({ path: modelFolderPath, fingerprint: undefined }));
afterAll(() => thread.end());

const answer = deflateSync(JSON.stringify(samplePrediction({ fileName: 'a.wav' })));
const stored = { answer, reviews: [] };

describe('The background thread for large stored answers', () => {
  it('opens a stored answer, and is started again after it has ended', async () => {
    const prediction = samplePrediction({ fileName: 'a.wav' });
    for (let round = 0; round < 2; round += 1) {
      expect(JSON.parse(Buffer.from(await thread.text(stored)).toString())).toEqual(prediction);
      expect(await thread.head(answer)).toEqual({ prediction, excerpts: [], mentioned: [] });
      await thread.end();
    }
  });

  it('writes a table to a file that no other user of the machine can read, and fails if the disk is full', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'chiffchaff-table-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, 'table');
    const task = { name: 'csv', options: {}, source: stored } as const;
    // The file may exist already: a process that died may have left part of it.
    for (const file of [
      { path, minFreeBytes: 0 },
      { path, minFreeBytes: 1 },
    ]) {
      await thread.writeTable({ ...task, file });
      expect(await readFile(path, 'utf8')).toMatch(/^Start.*Scientific name.*\n$/);
      expect((await stat(path)).mode & 0o777).toBe(0o600);
    }
    const full = thread.writeTable({ ...task, file: { path, minFreeBytes: Number.MAX_SAFE_INTEGER } });
    await expect(full).rejects.toMatchObject({ code: 'ENOSPC' });
    await expect(thread.writeTable({ ...task, file: { path: folder, minFreeBytes: 0 } })).rejects.toMatchObject({
      code: 'EISDIR',
    });
  });

  it('writes birds added by a person once to a table, after the detections', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'chiffchaff-table-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = { path: join(folder, 'table'), minFreeBytes: 0 };
    const detection = (scientificName: string, startSeconds: number) => ({
      ...{ scientificName, commonName: 'A bird', startSeconds, endSeconds: startSeconds + 3 },
      ...{ score: 0.9, confidence: 0.9, occurrence: null, hidden: false },
    });
    // Far more than one piece: the first bird is not in the last one.
    const detections = Array.from({ length: 5000 }, (_, index) =>
      detection(index === 0 ? 'Parus major' : 'Sitta europaea', index),
    );
    const review = (scientificName: string, verdict: 'confirmed' | 'added') => ({
      ...{ scientificName, commonName: 'A bird', verdict, to: null, toCommonName: null, at: '2026-05-01T06:00:00.000Z' },
    });
    const reviews = [review('Parus major', 'confirmed'), review('Troglodytes troglodytes', 'added')];
    const large = deflateSync(JSON.stringify({ ...samplePrediction({ fileName: 'a.wav' }), detections }));
    await thread.writeTable({ name: 'csv', options: {}, source: { answer: large, reviews }, file });
    const rows = (await readFile(file.path, 'utf8')).trim().split('\n').slice(1);
    expect(rows).toHaveLength(5001);
    expect(rows[0]).toMatch(/,confirmed,Parus major$/);
    expect(rows.at(-1)).toMatch(/^0,.*,Troglodytes troglodytes,A bird,,,.*,added,Troglodytes troglodytes$/);
    await thread.writeTable({ name: 'raven', options: {}, source: { answer: large, reviews }, file });
    expect((await readFile(file.path, 'utf8')).trim().split('\n')).toHaveLength(5001);
  });

  it('rejects a stored answer that it cannot read, and answers the next call', async () => {
    await expect(thread.head(Buffer.from('no deflate'))).rejects.toThrow('incorrect header');
    expect(await thread.text(stored)).toBeInstanceOf(Uint8Array);
  });

  it('rejects a call that it has not answered when it is stopped', async () => {
    // A thread that is already running could answer first.
    await thread.end();
    const asked = thread.text(stored);
    await thread.end();
    await expect(asked).rejects.toThrow('ended');
  });

  describe('with a model', () => {
    it('makes a new prediction from evidence that is transferred to it, and returns the evidence unchanged', async () => {
      const { conditions } = samplePrediction();
      const evidence = denseEvidence();
      const concluded = await thread.conclude(evidence, {
        conditions,
        occurrence: null,
        regions: null,
        top: 5,
        mostDetections: 7,
      });
      expect(concluded.evidence).toEqual(denseEvidence());
      expect(concluded.worded).toMatchObject({ detections: { length: 7 }, detectionsLeftOut: expect.any(Number) });
      // It was transferred, not copied.
      expect(evidence.clips.labels).toHaveLength(0);
    });
  });
});
