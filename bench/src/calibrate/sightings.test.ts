import { conclude, readSpeciesTable } from '@chiffchaff/recognizer';
import { expect, it } from 'vitest';
import { claimsOf, firstByScore, sightingsOf } from './claims.ts';
import { describedManifest, sampleEvidence } from './testing/sample-evidence.ts';

const described = describedManifest();
// The calibration is about the surest bird; here, all are judged like that one.
const alone = { ...described.calibration, furtherBirds: null };
const manifest = { ...described, calibration: alone, labels: { ...described.labels, count: 8, nonEvents: [] } };
const labels = Array.from({ length: 8 }, (_, i) => `Avis a${i}_Bird ${i}`).join('\n');
const model = { manifest, species: readSpeciesTable({ labels, nonBirds: '', manifest }) };
const { calibration } = manifest;
const evidence = sampleEvidence([
  [2, -1, -2, -3, -4, -5, -6, -7],
  [-3, 3, 1, -3, -5, -5, -6, -8],
]);
const scores = Float64Array.from([0.5, 0.7, 0.3, 0.1, 0, 0, 0, 0]);

it.each([
  ['without a place', null],
  ['where the first bird is rare', Float32Array.from([0.5, 0.01, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5])],
  ['where the first bird is hidden', Float32Array.from([0.5, 0.0001, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5])],
] as const)('The calibration ranks the same species with the same confidences as the recogniser: %s', (_, occurrence) => {
  const sightings = sightingsOf({ evidence, label: 0, occurrence, scores }, calibration);
  const set = calibration.confidence[occurrence === null ? 'withoutPlace' : 'withPlace'];
  const claims = claimsOf({ sightings, weight: 1, fold: 0 }, set, 3);
  const { candidates } = conclude(model, evidence, { occurrence, top: 3 });
  expect(claims.map(({ label }) => label)).toEqual(candidates.map(({ label }) => label));
  for (const [i, { confidence }] of candidates.entries()) expect(claims[i]?.confidence).toBeCloseTo(confidence, 5);
  expect(claims.map(({ right }) => right)).toEqual(claims.map(({ label }) => label === 0));
});

it('Ranking by score alone, with which calibration is compared, finds the bird with the highest score, or none if all are 0', () => {
  expect(firstByScore(scores, model.species)).toEqual({ label: 1, score: 0.7 });
  expect(firstByScore(new Float64Array(8), model.species)).toEqual({ label: -1, score: 0 });
});
