import { describe, expect, it } from 'vitest';
import type { Label } from './labels.ts';
import { createReview, type ReviewedDetection } from './review.ts';

/** Pseudo-random numbers, the same in each run. */
function createChance(seed = 1) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const detectionsOf = (scientificName: string, count: number): ReviewedDetection[] =>
  Array.from({ length: count }, (_, index) => ({
    ...{ file: 'a.wav', startSeconds: 3 * index, endSeconds: 3 * index + 3, scientificName, commonName: `The ${scientificName}` },
    confidence: (index + 0.5) / count,
  }));
const detections = [
  ...detectionsOf('Parus major', 200),
  ...detectionsOf('Turdus merula', 400),
  ...detectionsOf('Strix aluco', 4),
];

let last = 0;
const labelOf = (id: number, verdict: Label['verdict']): Label => {
  const detection = detections[id];
  if (!detection) throw new Error(`There is no detection ${id}.`);
  last += 1;
  return { ...detection, id: `l${last}`, labelled: '2026-06-01T10:00:00Z', by: 'Ada', verdict, otherSpecies: '' };
};
const nothing: ReadonlySet<number> = new Set();
const start = () => createReview(detections, { target: 0.9, chance: createChance() });
const nameOf = (id: number | null) => (id === null ? null : detections[id]?.scientificName);

describe('A `chiffchaff review`', () => {
  it('begins with the species of most detections, and goes on to the next when its precision is known', () => {
    const review = start();
    let asked = 0;
    while (!review.standingOf('Turdus merula')?.isDone) {
      const id = review.next(null, nothing);
      expect(nameOf(id)).toBe('Turdus merula');
      const confidence = detections[id ?? -1]?.confidence ?? 0;
      review.add(labelOf(id ?? -1, confidence > 0.3 ? 'yes' : 'no'));
      asked += 1;
    }
    expect(asked).toBeGreaterThanOrEqual(5);
    expect(asked).toBeLessThan(150);
    const { precisionInterval, isKnown, labels } = review.standingOf('Turdus merula') ?? {};
    expect([isKnown, labels]).toEqual([true, asked]);
    expect((precisionInterval?.high ?? 1) - (precisionInterval?.low ?? 0)).toBeLessThanOrEqual(0.1);
    expect(nameOf(review.next(null, nothing))).toBe('Parus major');
  });

  it('shows the clips whose label tells most about the precision, not only the surest ones', () => {
    const review = start();
    const asked = new Set<number>();
    for (let round = 0; round < 10; round += 1) {
      const id = review.next('Turdus merula', nothing) ?? -1;
      asked.add(Math.floor((detections[id]?.confidence ?? 0) * 10));
      review.add(labelOf(id, (detections[id]?.confidence ?? 0) > 0.6 ? 'yes' : 'no'));
    }
    expect(asked.size).toBeGreaterThanOrEqual(2);
    expect(asked).not.toEqual(new Set([9]));
  });

  it('shows no clip that is labelled or held by another reviewer, and ends with the last detection', () => {
    const review = start();
    const held = new Set<number>();
    for (let round = 0; round < 4; round += 1) {
      const id = review.next('Strix aluco', held) ?? -1;
      expect(nameOf(id)).toBe('Strix aluco');
      expect(held.has(id)).toBe(false);
      held.add(id);
    }
    expect(review.next('Strix aluco', held)).toBeNull();
    for (const id of held) review.add(labelOf(id, 'unsure'));
    expect(review.next('Strix aluco', nothing)).toBeNull();
    expect(review.standingOf('Strix aluco')).toMatchObject({ labels: 0, unsure: 4, isDone: true, isKnown: false });
    expect(review.next('Corvus corax', nothing)).toBeNull();
  });

  it('no longer counts a label that was taken back', () => {
    const review = start();
    const id = review.next('Parus major', nothing) ?? -1;
    const label = labelOf(id, 'yes');
    review.add(label);
    expect(review.standingOf('Parus major')).toMatchObject({
      ...{ labels: 1, right: 1, precision: expect.any(Number), threshold: null, needsLabels: true },
    });
    review.remove(label.id);
    expect(review.standingOf('Parus major')).toMatchObject({ labels: 0, precision: null, precisionInterval: null });
    expect(review.idOf(label)).toBe(id);
  });

  it('counts labels of earlier sessions, and ignores labels without a detection in the tables', () => {
    const review = start();
    review.add(labelOf(0, 'yes'), labelOf(1, 'other'), { ...labelOf(2, 'yes'), file: 'b.wav' });
    expect(review.standingOf('Parus major')).toMatchObject({ labels: 2, right: 1 });
    expect(review.species().map(({ scientificName, detections: found }) => [scientificName, found])).toEqual([
      ['Turdus merula', 400],
      ['Parus major', 200],
      ['Strix aluco', 4],
    ]);
  });
});
