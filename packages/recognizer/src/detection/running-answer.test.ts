import { describe, expect, it } from 'vitest';
import { fakeClip, fakeModel } from '../testing/fake-model.ts';
import { conclude } from './conclude.ts';
import { createEvidenceCollector } from './evidence/evidence-collector.ts';
import { createRunningAnswer } from './running-answer.ts';

const model = fakeModel([
  ['Turdus merula', 'bird'],
  ['Pica pica', 'bird'],
  ['Engine', 'nonEvent'],
]);

/** Analyses a recording of this many clips, with one bird early and another late. */
function listen(clips: number) {
  const collector = createEvidenceCollector(model, fakeClip.stepSamples);
  let looks = 0;
  const running = createRunningAnswer(model, {
    get clipCount() {
      return collector.clipCount;
    },
    between(firstClip, endClip) {
      looks += Math.min(endClip, collector.clipCount) - firstClip;
      return collector.between(firstClip, endClip);
    },
    newest: collector.newest,
  });
  for (let clip = 0; clip < clips; clip++) {
    const isEarly = clip >= 10 && clip < 20;
    const isLate = clip >= clips - 12 && clip < clips - 4;
    collector.add(Float32Array.of(isEarly ? 6 : -12, isLate ? 5 : -12, -12));
    if (clip % 5 === 0) running.answerSoFar({ occurrence: null });
  }
  return { collector, running, looks: () => looks };
}

describe('The answer while a recording is still being analysed', () => {
  it.each([[30], [90], [400]])(
    'equals at the end of %i clips the prediction for the whole recording, with the same times',
    (clips) => {
      const { collector, running } = listen(clips);
      const soFar = running.answerSoFar({ occurrence: null });
      const sampleCount = (clips - 1) * fakeClip.stepSamples + fakeClip.clipSamples;
      const whole = conclude(model, collector.finish({ sampleCount, silentSamples: 0, steadyClips: 0, windyClips: 0 }), {
        occurrence: null,
      });
      expect(soFar.verdict.kind).toBe(whole.verdict.kind);
      const told = ({ verdict }: typeof whole) =>
        verdict.named.map(({ scientificName, confidenceWord, best, firstSeconds }) => [
          scientificName,
          confidenceWord,
          best,
          firstSeconds,
        ]);
      expect(told(whole)).toHaveLength(2);
      expect(told(soFar)).toEqual(told(whole));
    },
  );

  it('takes equally long for each clip, however long the recording is', () => {
    const looks = (clips: number) => listen(clips).looks() / clips;
    expect(looks(2000)).toBeLessThan(1.2 * looks(500));
  });

  it('names only birds just heard before the first passage is complete, and lowers no confidence later', () => {
    const collector = createEvidenceCollector(model, fakeClip.stepSamples);
    const running = createRunningAnswer(model, collector);
    const seen = [6, -12, -12, -12, 6, 6, 6, 6, 6].map((logit) => {
      collector.add(Float32Array.of(logit, -12, -12));
      return running.answerSoFar({ occurrence: null });
    });
    expect(seen.map(({ justHeard }) => justHeard.length)).toEqual([1, 1, 0, 0, 1, 1, 1, 1, 1]);
    expect(seen[0]?.justHeard).toEqual(['Turdus merula']);
    expect(seen.slice(0, 4).flatMap(({ candidates }) => candidates)).toEqual([]);
    const confidences = seen.slice(4).map(({ candidates }) => candidates[0]?.confidence ?? 0);
    expect(confidences).toEqual(confidences.toSorted((a, b) => a - b));
    expect(confidences.at(-1)).toBeGreaterThan(confidences[0] ?? 1);
  });

  it('does not name a bird just heard that is hidden by location', () => {
    const collector = createEvidenceCollector(model, fakeClip.stepSamples);
    collector.add(Float32Array.of(6, -12, -12));
    const { justHeard } = createRunningAnswer(model, collector).answerSoFar({ occurrence: Float32Array.of(0, 1, 1) });
    expect(justHeard).not.toContain('Turdus merula');
  });

  it('is computed again when another place is chosen during the analysis', () => {
    const { running } = listen(400);
    const { hiddenByLocation, candidates } = running.answerSoFar({ occurrence: Float32Array.of(0, 1, 1) });
    expect(candidates.map(({ scientificName }) => scientificName)).not.toContain('Turdus merula');
    expect(hiddenByLocation.map(({ scientificName }) => scientificName)).toContain('Turdus merula');
  });
});
