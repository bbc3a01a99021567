import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evidenceOf, fakeClip, fakeModel } from '../testing/fake-model.ts';
import type { Answer } from './answer.ts';
import { conclude, listDetections } from './conclude.ts';
import { workOutConfidences } from './confidence/confidence.ts';
import { createEvidenceCollector } from './evidence/evidence-collector.ts';
import { locationAdjustment } from './occurrence.ts';
import { createRunningAnswer } from './running-answer.ts';

const model = fakeModel([
  ['Turdus merula', 'bird'],
  ['Corvus corone', 'bird'],
  ['Engine', 'nonEvent'],
  ['Corvus cornix', 'bird'],
  ['Parus major', 'bird'],
  ['Sylvietta rufescens', 'bird'],
]);
const [merula, corone, , cornix, major, crombec] = [0, 1, 2, 3, 4, 5];
const labels = model.species.labels.length;

const clipOf = (heard: Readonly<Record<number, number>>): number[] =>
  model.species.labels.map((_, label) => heard[label] ?? -14 - label / 10);
const occurrenceOf = (known: Readonly<Record<number, number>>): Float32Array =>
  Float32Array.from({ length: labels }, (_, label) => known[label] ?? 0.0001);

const logits = fc.double({ min: -16, max: 6, noNaN: true });
const share = fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 0.001, 0.002, 0.003, 0.03, 1));
const heard = fc.record({
  clips: fc.array(fc.array(logits, { minLength: labels, maxLength: labels }), { minLength: 1, maxLength: 16 }),
  occurrence: fc.array(share, { minLength: labels, maxLength: labels }).map((values) => Float32Array.from(values)),
  top: fc.integer({ min: 1, max: labels }),
});

const minScore = 0.05;

describe('An assumed place', () => {
  it('gives a confidence between that at the place and that without a place, weighted by how likely the place is right', () => {
    const { calibration } = model.manifest;
    const { right: rule, withoutPlace: part } = calibration.assumedPlace ?? expect.fail();
    const right = rule ?? expect.fail();
    fc.assert(
      fc.property(heard, ({ clips, occurrence }) => {
        // The clips of one passage.
        const evidence = evidenceOf(model, clips.slice(0, 5));
        const confidences = (conditions: { occurrence: Float32Array | null; isAssumed?: boolean }) =>
          new Map(conclude(model, evidence, { ...conditions, top: labels }).candidates.map((one) => [one.label, one.confidence]));
        const stated = confidences({ occurrence });
        const anywhere = confidences({ occurrence: null });
        const withoutPlace = workOutConfidences(evidence, calibration, null, 0);
        const adjustmentOf = (label: number) => locationAdjustment(occurrence[label] ?? 0, calibration.occurrence);
        const there = workOutConfidences(evidence, calibration, { adjustmentOf, withoutPlace }, 0);
        const difference = (there.firstZ[0] ?? Number.NaN) - (withoutPlace.firstZ[0] ?? Number.NaN);
        const chance = 1 / (1 + Math.exp(-right.bias - right.z * difference));
        const assumed = confidences({ occurrence, isAssumed: true });
        expect(assumed.size).toBe(anywhere.size);
        for (const [label, confidence] of assumed) {
          const without = anywhere.get(label) ?? 0;
          const weighed = chance * (stated.get(label) ?? 0) + (1 - chance) * without;
          expect(confidence).toBeCloseTo(Math.max(weighed, part * without), 9);
        }
      }),
    );
  });

  it('lowers a confidence by a quarter at most, and never raises it above both that with and that without the place', () => {
    fc.assert(
      fc.property(heard, ({ clips, occurrence, top }) => {
        const evidence = evidenceOf(model, clips);
        const bestBy = (conditions: { occurrence: Float32Array | null }) =>
          new Map(conclude(model, evidence, { ...conditions, top: labels }).candidates.map((one) => [one.label, one.confidence]));
        const stated = bestBy({ occurrence });
        const anywhere = bestBy({ occurrence: null });
        const assumed = conclude(model, evidence, { occurrence, isAssumed: true, top });
        expect(assumed.candidates).toHaveLength(Math.min(top, anywhere.size));
        for (const { label, confidence } of assumed.candidates) {
          const without = anywhere.get(label) ?? 0;
          // Below 0.05, nothing is worked out if there are enough others.
          if (without >= 0.05) expect(confidence).toBeGreaterThanOrEqual(0.75 * without - 1e-9);
          expect(confidence).toBeLessThanOrEqual(Math.max(without, stated.get(label) ?? 0) + 1e-9);
        }
        for (const [, birds] of Map.groupBy(assumed.candidates, (bird) => bird.assumed)) {
          const falling = birds.map(({ confidence }) => confidence);
          expect(falling).toEqual(falling.toSorted((a, b) => b - a));
        }
      }),
    );
  });

  it('hides only detections of birds from elsewhere, leaves out none, and lowers no confidence by more than a quarter', () => {
    fc.assert(
      fc.property(heard, ({ clips, occurrence }) => {
        const evidence = evidenceOf(model, clips);
        const anywhere = [...listDetections(model, evidence, { occurrence: null, minScore })];
        const assumed = [...listDetections(model, evidence, { occurrence, isAssumed: true, minScore })];
        expect(assumed.map(({ label, startSeconds, endSeconds }) => [label, startSeconds, endSeconds])).toEqual(
          anywhere.map(({ label, startSeconds, endSeconds }) => [label, startSeconds, endSeconds]),
        );
        for (const [index, { hidden, confidence, label }] of assumed.entries()) {
          expect(hidden).toBe((occurrence[label] ?? 0) < 0.003);
          expect(confidence).toBeGreaterThanOrEqual(0.75 * (anywhere[index]?.confidence ?? 2));
        }
        const answer = conclude(model, evidence, { occurrence, isAssumed: true });
        expect(answer.hiddenByLocation).toEqual([]);
        expect(answer.verdict.notExpectedHere).toBeNull();
      }),
    );
  });

  it('does not change the confidence of a bird from elsewhere, also if a local bird is heard at another time', () => {
    const occurrence = occurrenceOf({ [merula]: 0.9 });
    const crombecs: number[][] = Array(6).fill(clipOf({ [crombec]: 6 }));
    const merulas: number[][] = Array(6).fill(clipOf({ [merula]: 6 }));
    for (const clips of [crombecs, [...crombecs, ...merulas]]) {
      const evidence = evidenceOf(model, clips);
      const confidenceOf = (conditions: { occurrence: Float32Array | null; isAssumed?: boolean }) =>
        conclude(model, evidence, conditions).candidates.find(({ label }) => label === crombec)?.confidence ?? 0;
      expect(confidenceOf({ occurrence: null })).toBeGreaterThan(0.9);
      expect(confidenceOf({ occurrence, isAssumed: true })).toBeCloseTo(confidenceOf({ occurrence: null }), 3);
      const [detection] = conclude(model, evidence, { occurrence, isAssumed: true }).detections;
      const [anywhere] = conclude(model, evidence, { occurrence: null }).detections;
      expect(detection?.label).toBe(crombec);
      expect(detection?.confidence).toBeCloseTo(anywhere?.confidence ?? Number.NaN, 3);
    }
  });

  it('marks every bird that does not live at the place', () => {
    let marked = 0;
    fc.assert(
      fc.property(heard, ({ clips, occurrence, top }) => {
        const { candidates } = conclude(model, evidenceOf(model, clips), { occurrence, isAssumed: true, top });
        marked += candidates.length;
        for (const one of candidates) {
          expect(one.assumed).toBe((occurrence[one.label] ?? 0) < 0.003 ? 'elsewhere' : 'here');
          expect(one.unusualHere && one.assumed === 'elsewhere').toBe(false);
        }
      }),
    );
    expect(marked).toBeGreaterThan(0);
  });

  it('puts a local bird before a louder one from elsewhere, and names the louder bird if no local bird is heard', () => {
    const occurrence = occurrenceOf({ [merula]: 0.9 });
    const both = evidenceOf(model, Array(6).fill(clipOf({ [merula]: 0.5, [crombec]: 1 })));
    expect(conclude(model, both, { occurrence: null }).candidates[0]?.label).toBe(crombec);
    expect(conclude(model, both, { occurrence, isAssumed: true }).candidates[0]).toMatchObject({
      label: merula,
      assumed: 'here',
    });
    const alone = evidenceOf(model, Array(6).fill(clipOf({ [crombec]: 4 })));
    const answer = conclude(model, alone, { occurrence, isAssumed: true });
    expect(answer.verdict).toMatchObject({ kind: 'identified', named: [{ label: crombec, assumed: 'elsewhere' }] });
    expect(conclude(model, alone, { occurrence }).hiddenByLocation).toMatchObject([{ label: crombec }]);
  });

  const song = (clip: Readonly<Record<number, number>>): number[][] => Array.from({ length: 5 }, () => clipOf(clip));
  const silence: number[][] = Array.from({ length: 6 }, () => clipOf({}));
  /** A crow from elsewhere, and at another time a fainter one that lives at the place. */
  const crows = evidenceOf(model, [...song({ [cornix]: 4 }), ...silence, ...song({ [corone]: -3, [major]: -3.8 })]);
  const named = (answer: Answer) => answer.verdict.named.map(({ label, rank }) => [label, rank]);

  it('ranks a bird from elsewhere behind a local one of its genus, however unsure the local one is', () => {
    const answer = conclude(model, crows, { occurrence: occurrenceOf({ [corone]: 0.9, [major]: 0.9 }), isAssumed: true });
    const [first, second] = answer.candidates;
    expect([first, second]).toMatchObject([{ label: corone, confidenceWord: 'notSure' }, { label: cornix }]);
    expect(second?.confidence).toBeGreaterThan(0.9);
    expect(answer.verdict).toMatchObject({ kind: 'unsure', tied: false, genus: null });
    expect(named(answer)).toEqual([[corone, 1]]);
  });

  it('makes a bird from elsewhere the look-alike of a local bird of its genus', () => {
    const evidence = evidenceOf(model, song({ [cornix]: 1, [corone]: 0.5 }));
    const { verdict } = conclude(model, evidence, { occurrence: occurrenceOf({ [corone]: 0.9, [major]: 0.9 }), isAssumed: true });
    expect(verdict).toMatchObject({ named: [{ label: corone }], alsoSoundsLike: { label: cornix } });
  });

  it('names no bird from elsewhere beside a likely local bird, and keeps the verdict “identified”', () => {
    const evidence = evidenceOf(model, [
      ...song({ [crombec]: 6 }),
      ...silence,
      ...song({ [merula]: 3 }),
      ...song({ [cornix]: 4 }),
    ]);
    const answer = conclude(model, evidence, { occurrence: occurrenceOf({ [merula]: 0.9 }), isAssumed: true });
    expect(answer.candidates.slice(0, 3).map(({ label }) => label)).toEqual([merula, crombec, cornix]);
    expect(answer.verdict.kind).toBe('identified');
    expect(named(answer)).toEqual([[merula, 1]]);
  });

  it('names one bird from elsewhere first if local birds are only “perhaps” there and of other genera', () => {
    const clips = [
      ...song({ [crombec]: 6 }),
      ...silence,
      ...song({ [cornix]: 4 }),
      ...silence,
      ...song({ [merula]: -1, [major]: -1.8 }),
    ];
    const occurrence = occurrenceOf({ [merula]: 0.9, [major]: 0.9 });
    const answer = conclude(model, evidenceOf(model, clips), { occurrence, isAssumed: true });
    expect(answer.candidates.slice(0, 3)).toMatchObject([
      { label: crombec, assumed: 'elsewhere' },
      { label: cornix, assumed: 'elsewhere', confidenceWord: 'veryLikely' },
      { label: merula, confidenceWord: 'perhaps' },
    ]);
    expect(answer.verdict.kind).toBe('identified');
    expect(named(answer)).toEqual([
      [crombec, 1],
      [merula, 3],
    ]);
  });

  it('makes no tie between a local bird and one from elsewhere', () => {
    const answerOf = (crombecs: number, merulas: number, merulasHere: number, crombecsHere = 0) =>
      conclude(model, evidenceOf(model, Array(2).fill(clipOf({ [crombec]: crombecs, [merula]: merulas }))), {
        occurrence: Float32Array.from({ length: labels }, (_, label) =>
          label === merula ? merulasHere : label === crombec ? crombecsHere : 0,
        ),
        isAssumed: true,
      });
    expect(answerOf(-0.5, -0.6, 0.9, 0.9).verdict.tied).toBe(true);
    const [localFirst, localSecond] = [answerOf(-1, -2, 0.01), answerOf(-1.5, -2, 0.003)];
    for (const [{ candidates, verdict }, first] of [
      [localFirst, merula],
      [localSecond, crombec],
    ] as const) {
      expect(candidates[0]?.label).toBe(first);
      expect((candidates[0]?.confidence ?? 1) - (candidates[1]?.confidence ?? 0)).toBeLessThan(0.1);
      expect(verdict).toMatchObject({ tied: false, named: [{ label: first }] });
    }
  });

  it('alone reorders birds: a stated place hides those from elsewhere, and without a place all are ranked by confidence', () => {
    const anywhere = conclude(model, crows, { occurrence: null });
    expect(anywhere.candidates.slice(0, 2)).toMatchObject([{ label: cornix }, { label: corone }]);
    expect(anywhere.verdict).toMatchObject({ kind: 'identified', named: [{ label: cornix }] });
    const stated = conclude(model, crows, { occurrence: occurrenceOf({ [corone]: 0.9, [major]: 0.9 }) });
    expect(stated.candidates[0]).toMatchObject({ label: corone });
    expect(stated.verdict).toMatchObject({ named: [{ label: corone }], notExpectedHere: { label: cornix } });
    expect(stated.hiddenByLocation).toMatchObject([{ label: cornix, rank: 1 }]);
  });

  it('has the same effect during an analysis, when birds from elsewhere are not yet candidates', () => {
    const collector = createEvidenceCollector(model, fakeClip.stepSamples);
    const running = createRunningAnswer(model, collector);
    const conditions = { occurrence: occurrenceOf({ [corone]: 0.9, [major]: 0.9 }), isAssumed: true };
    const hear = (clips: readonly number[][]) => {
      for (const clip of clips) collector.add(Float32Array.from(clip));
      return running.answerSoFar(conditions);
    };
    const alone = hear(song({ [cornix]: 4 }));
    expect(named(alone)).toEqual([[cornix, 1]]);
    expect([alone.candidates.some(({ label }) => label === cornix), alone.justHeard]).toEqual([false, []]);
    // In the next block.
    const both = hear([...Array.from({ length: 100 }, () => clipOf({})), ...song({ [corone]: -3, [major]: -3.8 })]);
    expect(named(both)).toEqual([[corone, 1]]);
    expect(both.verdict.kind).toBe('unsure');
  });

  it('gives the genus for two birds from elsewhere that cannot be told apart', () => {
    const evidence = evidenceOf(model, Array(3).fill(clipOf({ [corone]: 0, [cornix]: 0 })));
    const anywhere = conclude(model, evidence, { occurrence: null }).verdict;
    expect(anywhere).toMatchObject({ kind: 'unsure', genus: 'Corvus' });
    expect(conclude(model, evidence, { occurrence: occurrenceOf({}), isAssumed: true }).verdict).toMatchObject({
      genus: 'Corvus',
    });
  });

  it('is treated as certainly right by a model whose calibration does not say how often it is right', () => {
    const { manifest, species } = model;
    const { calibration } = manifest;
    const assumedPlace = { right: null, withoutPlace: 0.9, elsewhere: 0.003 };
    const trusting = { species, manifest: { ...manifest, calibration: { ...calibration, assumedPlace } } };
    const evidence = evidenceOf(model, [clipOf({ [crombec]: 4 })]);
    const anywhere = conclude(trusting, evidence, { occurrence: null }).candidates[0]?.confidence ?? 0;
    expect(conclude(trusting, evidence, { occurrence: occurrenceOf({}), isAssumed: true }).candidates[0]?.confidence).toBeCloseTo(
      0.9 * anywhere,
      9,
    );
  });

  it('has no effect with a model whose calibration says nothing about assumed places', () => {
    const { manifest, species } = model;
    const unknowing = { species, manifest: { ...manifest, calibration: { ...manifest.calibration, assumedPlace: null } } };
    const evidence = evidenceOf(model, [clipOf({ [crombec]: 4 })]);
    const anywhere = conclude(unknowing, evidence, { occurrence: null });
    expect(conclude(unknowing, evidence, { occurrence: occurrenceOf({}), isAssumed: true })).toEqual(anywhere);
    expect(anywhere.candidates[0]?.assumed).toBeNull();
  });
});
