import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { completeEvidence, evidenceOf, fakeModel } from '../../testing/fake-model.ts';
import { conclude } from '../conclude.ts';
import { type EvidenceDetail, evidenceDetail } from '../evidence/evidence-collector.ts';
import { locationAdjustment } from '../occurrence.ts';
import { workOutConfidences } from './confidence.ts';

const rows = z.array(z.array(z.number()));
const { vectors } = z
  .object({
    vectors: z.array(
      z.object({
        name: z.string(),
        birdLogits: rows,
        nonBirdLogits: rows,
        occurrence: z.array(z.number()).nullable(),
        passageStarts: z.array(z.number()),
        score: z.array(z.number()),
        confidence: z.array(z.number()),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync(new URL('./arithmetic.json', import.meta.url), 'utf8')));

const birds = ['Avis prima', 'Avis secunda', 'Avis tertia', 'Bubo quartus', 'Bubo quintus', 'Corvus sextus'];
// Birds first, then the others, in the order of the logits in a vector.
const model = fakeModel([
  ...birds.map((name) => [name, 'bird'] as const),
  ['Rana clamans', 'nonBird'] as const,
  ['Engine', 'nonEvent'] as const,
]);

function concludeVector(vector: (typeof vectors)[number], detail: EvidenceDetail) {
  const clips = vector.birdLogits.map((logits, clip) => [...logits, ...(vector.nonBirdLogits[clip] ?? [])]);
  const evidence = evidenceOf(model, clips, detail);
  // Labels other than birds get an occurrence of 0; that must not matter.
  const occurrence = vector.occurrence && Float32Array.from([...vector.occurrence, 0, 0]);
  return { evidence, answer: conclude(model, evidence, { occurrence, top: birds.length }) };
}

function expectAsInVector(vector: (typeof vectors)[number], detail: EvidenceDetail, digits: number): void {
  const { evidence, answer } = concludeVector(vector, detail);
  expect([...evidence.passages.firstClips]).toEqual(vector.passageStarts);
  for (const [label, confidence] of vector.confidence.entries()) {
    const candidate = answer.candidates.find((found) => found.label === label);
    if (confidence === 0) {
      expect(candidate, `${birds[label]} is hidden`).toBeUndefined();
      continue;
    }
    expect(candidate?.confidence, `confidence of ${birds[label]}`).toBeCloseTo(confidence, digits);
    expect(candidate?.score, `score of ${birds[label]}`).toBeCloseTo(vector.score[label] ?? Number.NaN, digits);
  }
}

describe('The confidence of a candidate', () => {
  it.each(vectors)('equals that of the reference vectors to 1e-5: $name', (vector) => {
    // toBeCloseTo(…, 5) allows 5e-6.
    expectAsInVector(vector, completeEvidence, 5);
  });

  it.each(vectors)('changes by less than 5e-4 when the evidence is rounded and faint clips are left out: $name', (vector) => {
    expectAsInVector(vector, evidenceDetail, 3);
  });

  it('in a recording of equal clips depends only on their logit, less a penalty if the species is rare at the place', () => {
    const logit = fc.double({ min: -12, max: 16, noNaN: true });
    fc.assert(
      fc.property(
        logit,
        fc.integer({ min: 1, max: 5 }),
        fc.constantFrom(null, 0.0025, 0.02, 0.5),
        (loud, clipCount, occurrence) => {
          const { calibration } = model.manifest;
          const clip = [loud, ...new Array<number>(7).fill(-20)];
          const evidence = evidenceOf(
            model,
            Array.from({ length: clipCount }, () => clip),
          );
          const withoutPlace = workOutConfidences(evidence, calibration, null, 0);
          const adjustment = locationAdjustment(occurrence, calibration.occurrence);
          const here =
            occurrence === null
              ? withoutPlace
              : workOutConfidences(evidence, calibration, { adjustmentOf: () => adjustment, withoutPlace }, 0);
          const expected = Math.min(Math.max(loud + adjustment.penalty, Math.log(1e-4)), Math.log(1e6));
          expect(Math.abs((here.firstZ[0] ?? Number.NaN) - expected)).toBeLessThan(0.002);
        },
      ),
    );
  });

  it('is the logistic function of its inputs weighted by the coefficients of the model, with and without a place', () => {
    const { calibration } = model.manifest;
    const occurrence = [0.5, 0.02, 0.0001, 0.5, 0.5, 0.5];
    const clips = [
      [3, 1, 6, -2, -9, -9, -4, -3],
      [2, 1.5, 5, -3, -9, -9, -5, -2],
    ];
    const evidence = evidenceOf(model, clips, completeEvidence);
    const withoutPlace = workOutConfidences(evidence, calibration, null, 0);
    const first = withoutPlace.inputsInPassage(0, 0);
    expect(first).toMatchObject({ gap: 0 });
    expect(first?.meanMargin).toBeCloseTo(2.5 - 5.5);
    expect(first?.maxMargin).toBeCloseTo(3 - 6);
    expect(first?.nonBird).toBeCloseTo(-2.5);
    const adjustmentOf = (label: number) => locationAdjustment(occurrence[label] ?? 0, calibration.occurrence);
    const here = workOutConfidences(evidence, calibration, { adjustmentOf, withoutPlace }, 0);
    expect(here.inputsInPassage(0, 2), 'hidden').toBeNull();
    for (const [confidences, weights] of [
      [withoutPlace, calibration.confidence.withoutPlace],
      [here, calibration.confidence.withPlace],
    ] as const) {
      const inputs = confidences.inputsInPassage(0, 0) ?? expect.fail();
      const sum =
        weights.z * inputs.z +
        weights.meanMargin * inputs.meanMargin +
        weights.maxMargin * inputs.maxMargin +
        weights.nonBird * inputs.nonBird +
        weights.gap * inputs.gap +
        weights.bias;
      expect(confidences.inPassage(0, 0)).toBeCloseTo(1 / (1 + Math.exp(-sum)), 10);
    }
    expect(here.inputsInPassage(0, 0)?.gap).toBeGreaterThan(2);
  });

  describe('that is not the surest one', () => {
    const withoutPlace = { z: 1, lead: 0.6, trail: 0.3, nonBird: -0.3, sharedRange: 1.1, bias: -5 };
    const withPlace = { z: 0.9, lead: 0.6, trail: 0.4, nonBird: -0.3, sharedRange: 0, bias: -5 };
    const calibration = { ...model.manifest.calibration, furtherBirds: { withoutPlace, withPlace } };
    // Bird 1 trails behind bird 0; bird 2 leads in the last clips; bird 3 is hardly there.
    const loud = [6, 2, -9, -6, -9, -9, -5, -5];
    const faint = [-7, -9, 1, -6, -9, -9, -5, -5];
    const evidence = evidenceOf(model, [...new Array(5).fill(loud), ...new Array(5).fill(faint)], completeEvidence);
    const alone = workOutConfidences(evidence, model.manifest.calibration, null, 0);
    const everywhere = new Uint8Array(8).fill(255);

    it('is worked out with coefficients of its own, while the surest one keeps its confidence', () => {
      const together = workOutConfidences(evidence, calibration, null, 0, everywhere);
      expect(together.best[0]).toBe(alone.best[0]);
      for (const label of [1, 2]) {
        const passage = alone.bestPassage[label] ?? 0;
        const { z, meanMargin, nonBird } = alone.inputsInPassage(passage, label) ?? expect.fail();
        const margin = meanMargin > 0 ? withoutPlace.lead * meanMargin : withoutPlace.trail * meanMargin;
        const sum = withoutPlace.z * z + margin + withoutPlace.nonBird * nonBird + withoutPlace.bias;
        expect(together.best[label]).toBeCloseTo(1 / (1 + Math.exp(-sum)), 10);
        expect(together.inPassage(passage, label)).toBe(together.best[label]);
      }
      expect(alone.inputsInPassage(alone.bestPassage[1] ?? 0, 1)?.meanMargin).toBeLessThan(0);
      expect(together.best[3], 'negligible by itself').toBe(alone.best[3]);
    });

    it('falls if it lives nowhere near the surest bird', () => {
      const apart = Uint8Array.from([...[255, 255, 0, 0, 0, 0, 0, 0], ...[0, 0, 255, 0, 0, 0, 0, 0]]);
      const together = workOutConfidences(evidence, calibration, null, 0, everywhere);
      const unlikely = workOutConfidences(evidence, calibration, null, 0, apart);
      expect(unlikely.best[1]).toBeCloseTo(together.best[1] ?? 0, 1);
      expect(unlikely.best[2]).toBeLessThan(0.2 * (together.best[2] ?? 0));
    });

    it('always stays just below that of the surest one', () => {
      const sure = { ...calibration, furtherBirds: { withPlace, withoutPlace: { ...withoutPlace, bias: 20 } } };
      const { best, inPassage } = workOutConfidences(evidence, sure, null, 0, everywhere);
      for (const capped of [best[1], best[2], inPassage(0, 2)]) {
        expect(capped).toBeLessThan(best[0] ?? 0);
        expect(capped).toBeCloseTo(best[0] ?? 0, 6);
      }
    });

    it('is worked out as if it sang alone if neither the place of the recording nor where species live is known', () => {
      expect([...workOutConfidences(evidence, calibration, null, 0).best]).toEqual([...alone.best]);
    });

    it('is worked out at a place with the coefficients for places', () => {
      const adjustmentOf = () => locationAdjustment(0.5, calibration.occurrence);
      const here = workOutConfidences(evidence, calibration, { adjustmentOf, withoutPlace: alone }, 0);
      const { z, meanMargin, nonBird } = here.inputsInPassage(here.bestPassage[2] ?? 0, 2) ?? expect.fail();
      const sum = withPlace.z * z + withPlace.lead * meanMargin + withPlace.nonBird * nonBird + withPlace.bias;
      expect(here.best[2]).toBeCloseTo(1 / (1 + Math.exp(-sum)), 10);
    });
  });

  it('does not rise when a similar species is left out of the evidence', () => {
    const many = fakeModel([
      ...Array.from({ length: 30 }, (_, index) => [`Avis ${index}`, 'bird'] as const),
      ['Engine', 'nonEvent'] as const,
    ]);
    // Bird 0 is at −9, all others just below; only the first few are kept at a depth of 3.
    const clip = [...Array.from({ length: 30 }, (_, index) => -9 - index / 10), -12];
    const sparse: EvidenceDetail = { ...evidenceDetail, depths: [{ passages: 9, birds: 3 }] };
    const occurrence = new Float32Array(31).fill(0.5);
    // The nearest rivals do not occur at this place: the next one was left out.
    occurrence.fill(0, 1, 20);
    const confidenceOf = (detail: EvidenceDetail) =>
      conclude(many, evidenceOf(many, [clip, clip, clip, clip, clip], detail), { occurrence }).candidates[0]?.confidence ?? 0;
    expect(confidenceOf(sparse)).toBeLessThanOrEqual(confidenceOf(completeEvidence));
    expect(confidenceOf(sparse)).toBeGreaterThan(0);
  });
});
