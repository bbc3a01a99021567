import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { modelManifestSchema } from '../../model/manifest.ts';
import { completeEvidence, evidenceOf, fakeModel } from '../../testing/fake-model.ts';
import { logOdds } from '../activation.ts';
import { eachClipRun } from '../clip-runs.ts';
import { conclude } from '../conclude.ts';
import { evidenceDetail } from '../evidence/evidence-collector.ts';
import { locationAdjustment } from '../occurrence.ts';
import { workOutConfidences } from './confidence.ts';

const read = (name: string) => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));
const rows = z.array(z.array(z.number()));
const { vectors } = z
  .object({
    vectors: z.array(
      z.object({
        name: z.string(),
        birdLogits: rows,
        nonBirdLogits: rows,
        occurrence: z.array(z.number()).nullable(),
      }),
    ),
  })
  .parse(read('./arithmetic.json'));
const expected = z
  .object({
    coefficients: modelManifestSchema.shape.calibration.shape.detections,
    vectors: z.array(
      z.object({
        name: z.string(),
        detections: z.array(
          z.object({
            label: z.number(),
            firstClip: z.number(),
            lastClip: z.number(),
            logit: z.number(),
            shortPassage: z.number(),
            passage: z.number(),
            confidence: z.number(),
          }),
        ),
      }),
    ),
  })
  .parse(read('./detection-arithmetic.json'));

const birds = ['Avis prima', 'Avis secunda', 'Avis tertia', 'Bubo quartus', 'Bubo quintus', 'Corvus sextus'];
const model = fakeModel([
  ...birds.map((name) => [name, 'bird'] as const),
  ['Rana clamans', 'nonBird'] as const,
  ['Engine', 'nonEvent'] as const,
]);
const { species } = model;
const calibration = { ...model.manifest.calibration, detections: expected.coefficients };

function detectionsOf({ birdLogits, nonBirdLogits, occurrence }: (typeof vectors)[number], detail = completeEvidence) {
  const clips = birdLogits.map((logits, clip) => [...logits, ...(nonBirdLogits[clip] ?? [])]);
  const evidence = evidenceOf(model, clips, detail);
  const withoutPlace = workOutConfidences(evidence, calibration, null, 0);
  const adjustmentOf = (label: number) => locationAdjustment(occurrence?.[label] ?? null, calibration.occurrence);
  const confidences = occurrence ? workOutConfidences(evidence, calibration, { adjustmentOf, withoutPlace }, 0) : withoutPlace;
  return Array.from(
    eachClipRun(evidence, logOdds(0.25), (label) => species.isBird[label] === 1),
    (run) => ({
      run,
      hidden: adjustmentOf(run.label).hidden,
      inputs: confidences.inputsInRun(run, species.isBird),
      confidence: confidences.inRun(run, species.isBird),
    }),
  );
}

describe('The confidence of a detection', () => {
  it.each(expected.vectors)('equals that of the reference vectors to 1e-5: $name', ({ name, detections }) => {
    const vector = vectors.find((each) => each.name === name) ?? expect.fail(`no vector ${name}`);
    const found = detectionsOf(vector);
    const shown = found.filter(({ hidden }) => !hidden);
    expect(shown.map(({ run }) => [run.label, run.firstClip, run.lastClip])).toEqual(
      detections.map(({ label, firstClip, lastClip }) => [label, firstClip, lastClip]),
    );
    for (const [i, { inputs, confidence }] of shown.entries()) {
      for (const input of ['logit', 'shortPassage', 'passage'] as const)
        expect(inputs?.[input], `${input} of ${i}`).toBeCloseTo(detections[i]?.[input] ?? Number.NaN, 5);
      expect(confidence, `confidence of ${i}`).toBeCloseTo(detections[i]?.confidence ?? Number.NaN, 5);
    }
    for (const { hidden, inputs, confidence } of found) if (hidden) expect([inputs, confidence]).toEqual([null, 0]);
  });

  // In the mean of a short passage, clips below the floor count as the floor. The coefficients were fitted with that.
  it.each(vectors)('changes by less than 0.02 when the evidence is rounded and faint clips are left out: $name', (vector) => {
    const exact = detectionsOf(vector);
    const rounded = detectionsOf(vector, evidenceDetail);
    expect(rounded).toHaveLength(exact.length);
    for (const [i, { confidence }] of exact.entries())
      expect(Math.abs((rounded[i]?.confidence ?? Number.NaN) - confidence)).toBeLessThan(0.02);
  });

  it('is that of its best passage if the model has no coefficients for detections', () => {
    const evidence = evidenceOf(model, [[4, -9, -9, -9, -9, -9, -9, -9]]);
    const bare = { ...model, manifest: { ...model.manifest, calibration: { ...calibration, detections: null } } };
    const { detections, candidates } = conclude(bare, evidence, { occurrence: null });
    expect(detections[0]?.confidence).toBe(candidates[0]?.confidence);
  });

  it('depends on the clips around the detection, so that a loud call differs from a faint one in the same passage', () => {
    const silent = [-9, -9, -9, -9, -9, -9, -9, -9];
    const clips = [[4, ...silent.slice(1)], silent, silent, silent, [-0.9, ...silent.slice(1)]];
    const vector = {
      name: 'loud and faint',
      birdLogits: clips.map((clip) => clip.slice(0, 6)),
      nonBirdLogits: clips.map((clip) => clip.slice(6)),
      occurrence: null,
    };
    const [loud, faint] = detectionsOf(vector);
    expect(loud?.inputs?.passage).toBe(faint?.inputs?.passage);
    expect(loud?.inputs?.shortPassage).toBeGreaterThan((faint?.inputs?.shortPassage ?? 0) + 1);
  });
});
