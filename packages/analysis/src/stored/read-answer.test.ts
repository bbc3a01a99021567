import { deflateSync } from 'node:zlib';
import type { Detection, Prediction } from '@chiffchaff/contract';
import { expect, it } from 'vitest';
import { samplePrediction } from '../testing/sample-prediction.ts';
import { piecesOfAnswer, readCapped, readHead } from './read-answer.ts';

const prediction = (count: number, parts: Partial<Prediction> = {}): Prediction => ({
  ...samplePrediction({ fileName: '"detections":[{}] ø.wav' }),
  detections: Array.from({ length: count }, (_, index) => ({
    ...{ scientificName: `Avis "${index % 50}" {}\\`, commonName: 'Zilpzalp ❦ }],{' },
    ...{ startSeconds: index / 10, endSeconds: index / 10 + 3, score: (index % 997) / 1000, confidence: 0.5 },
  })),
  ...parts,
});
const stored = (answer: object) => deflateSync(JSON.stringify(answer));

it('A stored answer is read back as it was, whatever characters its names contain', async () => {
  for (const count of [0, 1, 3000]) expect(await readCapped(stored(prediction(count)), 20_000)).toEqual(prediction(count));
});

it('A stored answer of 20,000 detections is read in pieces, each a small part of the whole', async () => {
  const whole = prediction(20_000);
  const sizes: number[] = [];
  const found: Detection[] = [];
  for await (const piece of piecesOfAnswer(stored(whole))) {
    sizes.push(piece.length);
    found.push(...piece);
  }
  expect(found).toEqual(whole.detections);
  expect(Math.max(...sizes)).toBeLessThan(3000);
  expect(await readHead(stored(whole))).toEqual({ ...whole, detections: [] });
});

it('Reading a capped answer keeps the best detections and counts all that are left out', async () => {
  const capped = await readCapped(stored(prediction(5000)), 100);
  expect(capped).toMatchObject({ detections: { length: 100 }, detectionsLeftOut: 4900 });
  expect(Math.min(...capped.detections.map(({ score }) => score))).toBeGreaterThan(0.5);
  expect(await readCapped(stored(prediction(500, { detectionsLeftOut: 7 })), 100)).toMatchObject({ detectionsLeftOut: 407 });
  expect(await readCapped(stored(prediction(5, { detectionsLeftOut: 7 })), 100)).toMatchObject({ detectionsLeftOut: 7 });
});

it('Reading a stored answer ignores unknown fields of detections, and refuses what is not a prediction', async () => {
  const { detections, ...rest } = prediction(2);
  const nested = { ...rest, detections: detections.map((detection) => ({ ...detection, best: { startSeconds: 1 } })) };
  expect(await readCapped(stored(nested), 10)).toEqual(prediction(2));
  await expect(readCapped(stored({ id: 'x' }), 10)).rejects.toThrow();
  await expect(readCapped(Buffer.from('no deflate'), 10)).rejects.toThrow();
});
