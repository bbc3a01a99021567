/** Checks that the evidence stored by `npm run calibrate` is consistent and that the pages agree with it. */
import { readFileSync } from 'node:fs';
import { confidenceEvidenceSchema } from '@chiffchaff/contract';
import { describe, expect, it } from 'vitest';
import { confidenceFigures, placeFigures, wordFigures } from './confidence-figures.ts';
import { reachesRange } from './count-evidence.ts';

const repository = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, repository), 'utf8');
const folder = 'models/birdnet-v2.4';
const stored = read(`${folder}/confidence-evidence.json`);
const evidence = confidenceEvidenceSchema.parse(JSON.parse(stored));
const { words } = JSON.parse(read(`${folder}/calibration.json`));

describe('The stored test results of the model, confidence-evidence.json,', () => {
  it('have counts of birds, answers and right answers that do not contradict each other', () => {
    for (const counts of [evidence.tested, evidence.crossValidated]) {
      const said = counts.words.reduce((sum, { of }) => sum + of, 0);
      expect(said).toBeLessThanOrEqual(counts.birds);
      for (const { right, of, share } of counts.words) {
        expect(right).toBeLessThanOrEqual(of);
        expect(share?.value).toBeCloseTo(right / of, 3);
        // Each answer is about another recording.
        expect(share?.independent).toBe(of);
      }
      expect(counts.words.reduce((sum, { right }) => sum + right, 0)).toBeLessThanOrEqual(counts.figures.right);
      expect(counts.figures.recordings).toBe(counts.birds);
      expect(counts.species + counts.withoutClass).toBeLessThanOrEqual(2 * counts.birds);
      expect(counts.words.map(({ word, fromConfidence }) => [word, fromConfidence])).toEqual(Object.entries(words));
      const alarms = counts.falseAlarms.map(({ birds }) => birds);
      expect(alarms).toEqual([...alarms].sort((a, b) => a - b));
      for (const { birds, perHour } of counts.falseAlarms)
        expect(Math.abs(perHour - birds / counts.birdFreeHours)).toBeLessThan(0.01);
    }
    const named = Object.values(evidence.species).reduce((sum, { named }) => sum + named, 0);
    expect(named).toBeLessThanOrEqual(evidence.crossValidated.words.reduce((sum, { of }) => sum + of, 0));
    for (const [name, { named, right, recordings }] of Object.entries(evidence.species)) {
      expect(named, name).toBeGreaterThanOrEqual(evidence.minNamed);
      expect(right, name).toBeLessThanOrEqual(Math.min(named, recordings));
    }
    expect(Object.keys(evidence.species)).toEqual(Object.keys(evidence.species).sort());
    const wrong = evidence.crossValidated.words.reduce((sum, { right, of }) => sum + of - right, 0);
    expect(evidence.confusions.reduce((sum, { recordings }) => sum + recordings, 0)).toBe(wrong);
  });

  it('mark every named bird that does not live at an assumed place', () => {
    const rows = evidence.places?.rows ?? expect.fail('no places');
    const seeds = evidence.places?.seeds.length ?? 0;
    for (const { place, answers, firstRight, elsewhereUnsaid, elsewhereSaid, words: counted } of rows) {
      // No recording says more for being tried at several places.
      for (const { word, share } of counted) expect(share?.independent, word).toBeLessThanOrEqual(answers / seeds);
      if (place === 'zoneAssumed' || place === 'wrongZoneAssumed') expect(elsewhereUnsaid, place).toBe(0);
      if (place === 'zoneStated' || place === 'town') expect(elsewhereSaid, place).toBe(0);
      expect(
        counted.reduce((sum, { right }) => sum + right, 0),
        place,
      ).toBeLessThanOrEqual(firstRight);
      expect(firstRight, place).toBeLessThanOrEqual(answers);
    }
  });

  it('show that words are right as often as they say: without a place, at a place, and at an assumed place', () => {
    const at = (wanted: string) => evidence.places?.rows.find(({ place }) => place === wanted)?.words ?? expect.fail(wanted);
    for (const counted of [evidence.tested.words, at('town'), at('zoneAssumed')])
      expect(counted.filter((word) => reachesRange(word) !== true)).toEqual([]);
  });

  it('belong to the installed model', () => {
    const installed = new URL(`data/${folder}/manifest.json`, repository);
    expect(JSON.parse(readFileSync(installed, 'utf8')).audio.weights.sha256).toBe(evidence.model.sha256);
  });

  it('are formatted as `npm run calibrate` writes them', () => {
    expect(stored).toBe(`${JSON.stringify(evidence, null, 2)}\n`);
  });
});

it.each(['docs/accuracy.md', `${folder}/MODEL_CARD.md`])('%s has the figures of the stored test results of the model', (page) => {
  expect(read(page), 'run node bench/src/calibrate/write-confidence-figures.ts').toContain(confidenceFigures(evidence));
});

it('README.md has the count of right answers for the surest word of confidence', () => {
  const [surest] = evidence.tested.words;
  expect(read('README.md').replaceAll('\n', ' ')).toContain(`were right in ${surest?.right} of ${surest?.of}`);
});

it.each([
  ['words', wordFigures],
  ['places', placeFigures],
] as const)('docs/accuracy.md has the figures about %s from the stored test results', (_, figures) => {
  expect(read('docs/accuracy.md'), 'run node bench/src/calibrate/write-confidence-figures.ts').toContain(figures(evidence));
});
