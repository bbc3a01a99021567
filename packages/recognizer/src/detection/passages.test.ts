import { describe, expect, it } from 'vitest';
import { evidenceOf, fakeModel } from '../testing/fake-model.ts';
import { clipCountOf } from './evidence/evidence.ts';
import { createEvidenceCollector } from './evidence/evidence-collector.ts';

const model = fakeModel([
  ['Turdus merula', 'bird'],
  ['Engine', 'nonEvent'],
]);

function firstClips(clipCount: number): number[] {
  return [
    ...evidenceOf(
      model,
      Array.from({ length: clipCount }, () => [-9, -9]),
    ).passages.firstClips,
  ];
}

describe('The passages of a recording', () => {
  it.each([
    { clips: 0, first: [] },
    { clips: 1, first: [0] },
    { clips: 5, first: [0] },
    { clips: 6, first: [0, 1] },
    { clips: 7, first: [0, 2] },
    { clips: 12, first: [0, 2, 4, 6, 7] },
  ])('of $clips clips begin at clips $first', ({ clips, first }) => {
    expect(firstClips(clips)).toEqual(first);
  });

  it('of 80 clips number 39, the last of them ending with the last clip', () => {
    expect(firstClips(80)).toHaveLength(39);
    expect(firstClips(80).at(-1)).toBe(75);
  });

  it('lie end to end if clips overlap almost entirely, and cover every clip', () => {
    const { audio } = model.manifest;
    const dense = { ...model, manifest: { ...model.manifest, audio: { ...audio, sampleRate: 20 } } };
    const firstClipsEvery = (clipStepSamples: number): number[] => {
      const collector = createEvidenceCollector(dense, clipStepSamples);
      for (let clip = 0; clip < 13; clip++) collector.add(Float32Array.of(-9, -9));
      return [...collector.finish({ sampleCount: 100, silentSamples: 0, steadyClips: 0, windyClips: 0 }).passages.firstClips];
    };
    // Steps of 0.1, 0.25 and 0.5 s.
    expect(firstClipsEvery(2)).toEqual([0, 5, 8]);
    expect(firstClipsEvery(5)).toEqual([0, 4, 8]);
    expect(firstClipsEvery(10)).toEqual([0, 2, 4, 6, 8]);
  });

  it('keep the mean and the highest score of each species over their clips, also of clips with low scores', () => {
    const evidence = evidenceOf(model, [
      [2, -12],
      [-20, -3],
      [-9, -12],
    ]);
    expect(clipCountOf(evidence)).toBe(3);
    expect([...evidence.clips.labels]).toEqual([0, 1]);
    expect([...evidence.clips.nonBirdPeaks]).toEqual([-12_000, -3000, -12_000]);
    expect([...evidence.passages.means]).toEqual([-9000]);
    expect([...evidence.passages.peaks]).toEqual([2000]);
  });
});
