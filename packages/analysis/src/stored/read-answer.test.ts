import { deflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { samplePrediction } from '../testing/sample-prediction.ts';
import { packAnswer } from './pack-analysis.ts';
import { readAnswer } from './read-answer.ts';

const words = { veryLikely: 0.9, likely: 0.7, perhaps: 0.5, notSure: 0.25 };

it('A stored answer is read back as it was packed, whatever characters its names contain', async () => {
  const prediction = {
    ...samplePrediction({ fileName: '"detections":[{}] ø.wav' }),
    detections: Array.from({ length: 3000 }, (_, index) => ({
      ...{ scientificName: `Avis "${index % 50}" {}\\`, commonName: 'Zilpzalp ❦ }],{' },
      ...{ startSeconds: index / 10, endSeconds: index / 10 + 3, score: (index % 997) / 1000 },
      ...{ confidence: 0.5, occurrence: null, hidden: false },
    })),
  };
  const { answer } = await packAnswer(prediction, words);
  expect(await readAnswer(answer)).toEqual(prediction);
});

it('A stored answer that is damaged, or not a prediction, is refused', async () => {
  await expect(readAnswer(deflateSync(JSON.stringify({ id: 'x' })))).rejects.toThrow('createdAt');
  await expect(readAnswer(Buffer.from('no deflate'))).rejects.toThrow('incorrect header');
});
