import { describe, expect, it } from 'vitest';
import { evidenceOf, fakeClip, fakeModel } from '../testing/fake-model.ts';
import type { AnswerConditions } from './answer.ts';
import { conclude, listDetections } from './conclude.ts';
import type { Evidence } from './evidence/evidence.ts';
import { createEvidenceCollector } from './evidence/evidence-collector.ts';

const model = fakeModel([
  ['Turdus merula', 'bird'],
  ['Corvus corone', 'bird'],
  ['Engine', 'nonEvent'],
  ['Corvus cornix', 'bird'],
  ['Rana clamans', 'nonBird'],
  ['Parus major', 'bird'],
  ['Pica pica', 'bird'],
]);
const [merula, corone, engine, cornix, frog, major, pica] = [0, 1, 2, 3, 4, 5, 6];

/** A clip in which only these labels are heard. */
function clip(heard: Readonly<Record<number, number>> = {}): number[] {
  return model.species.labels.map((_, label) => heard[label] ?? -14 - label / 10);
}

const quiet = (count: number): number[][] => Array.from({ length: count }, () => clip());
const everywhere = Float32Array.of(0.5, 0.5, 0, 0.5, 0, 0.5, 0.5);

function occurrenceWith(changes: Readonly<Record<number, number>>): Float32Array {
  return everywhere.map((value, label) => changes[label] ?? value);
}

function answerOf(clips: readonly number[][], conditions: Partial<AnswerConditions> = {}) {
  return conclude(model, evidenceOf(model, clips), { occurrence: null, ...conditions });
}

describe('The prediction', () => {
  it('names a bird that is heard well, with the clip in which it is loudest', () => {
    const answer = answerOf([...quiet(2), clip({ [merula]: 2 }), clip({ [merula]: 4 }), ...quiet(2)]);
    expect(answer.verdict).toMatchObject({ kind: 'identified', tied: false, genus: null, notExpectedHere: null });
    expect(answer.verdict.named.map((candidate) => candidate.scientificName)).toEqual(['Turdus merula']);
    expect(answer.candidates[0]).toMatchObject({
      label: merula,
      rank: 1,
      confidenceWord: 'veryLikely',
      occurrence: null,
      unusualHere: false,
      best: { startSeconds: 4.5, endSeconds: 7.5 },
    });
  });

  it('finds no bird in a quiet recording', () => {
    const answer = answerOf(quiet(7));
    expect(answer.verdict).toMatchObject({ kind: 'noBird', named: [] });
    expect(answer.detections).toEqual([]);
    expect(answer.candidates.every((candidate) => candidate.confidenceWord === 'none')).toBe(true);
  });

  it('finds no bird in a recording without clips', () => {
    const answer = answerOf([]);
    expect(answer.verdict.kind).toBe('noBird');
    expect(answer.candidates).toEqual([]);
  });

  it('is that no bird was heard if half of the recording is wind and the surest bird is less than “perhaps” there', () => {
    const answerAt = (logit: number, windyClips: number) =>
      conclude(model, { ...evidenceOf(model, [clip({ [merula]: logit }), ...quiet(3)]), windyClips }, { occurrence: null });
    const wordAt = (logit: number, windyClips: number) => answerAt(logit, windyClips).candidates[0]?.confidenceWord;
    expect([wordAt(-5, 1), wordAt(-5, 2)]).toEqual(['notSure', 'none']);
    expect(answerAt(-5, 2).verdict.kind).toBe('noBird');
    expect([wordAt(-4, 1), wordAt(-4, 2)]).toEqual(['perhaps', 'perhaps']);
  });

  it('keeps two birds that sing one after the other, and names them in order of time', () => {
    const answer = answerOf([
      ...Array.from({ length: 3 }, () => clip({ [pica]: 2.5 })),
      ...quiet(6),
      ...Array.from({ length: 3 }, () => clip({ [merula]: 5 })),
    ]);
    expect(answer.verdict).toMatchObject({ kind: 'several', tied: false });
    expect(answer.candidates.slice(0, 2).map((candidate) => candidate.label)).toEqual([merula, pica]);
    expect(answer.verdict.named.map((candidate) => [candidate.label, candidate.rank])).toEqual([
      [pica, 2],
      [merula, 1],
    ]);
  });

  it('also names birds that are “perhaps” there, with the time first heard, and no bird less sure', () => {
    const song = (heard: Readonly<Record<number, number>>) => Array.from({ length: 5 }, () => clip(heard));
    const clips = [
      ...song({ [major]: -0.5, [pica]: -1.3 }),
      ...quiet(6),
      ...song({ [merula]: 3 }),
      ...quiet(6),
      ...song({ [merula]: 5 }),
    ];
    const { verdict, candidates } = answerOf(clips);
    expect(verdict.kind).toBe('identified');
    expect(candidates.map(({ label, confidenceWord }) => [label, confidenceWord]).slice(0, 3)).toEqual([
      [merula, 'veryLikely'],
      [major, 'perhaps'],
      [pica, 'notSure'],
    ]);
    expect(verdict.named.map(({ label, rank, firstSeconds }) => [label, rank, firstSeconds])).toEqual([
      [major, 2, 0],
      [merula, 1, 16.5],
    ]);
    // `best` is where it is loudest, `firstSeconds` where it is first clear.
    expect(verdict.named[1]?.best.startSeconds).toBeGreaterThan(30);
  });

  it('names a bird of which it is not sure if no bird is surer', () => {
    const { verdict } = answerOf([clip({ [merula]: -1.8, [pica]: -2.8 })]);
    expect(verdict).toMatchObject({ kind: 'unsure', named: [{ label: merula, confidenceWord: 'notSure', firstSeconds: 0 }] });
  });

  describe('as the look-alike of its first bird', () => {
    it('names the next best bird of the same passage, with its loudest clip there', () => {
      const clips = [
        clip({ [merula]: 2, [pica]: -1.5 }),
        clip({ [merula]: 3, [pica]: -0.5, [major]: -4 }),
        ...quiet(9),
        // Surer than the magpie, but elsewhere.
        clip({ [major]: -1 }),
      ];
      const { alsoSoundsLike } = answerOf(clips).verdict;
      expect(alsoSoundsLike).toMatchObject({ label: pica, best: { startSeconds: 1.5, endSeconds: 4.5 } });
      expect(alsoSoundsLike?.confidence).toBeLessThan(0.5);
    });

    it('names no bird already named, hidden or not on the list, and no other sound', () => {
      const clips = [clip({ [merula]: 4, [pica]: 3.9, [corone]: 1.4, [major]: 1.2, [engine]: -6, [cornix]: 1.3, [frog]: -6 })];
      const of = (conditions: Partial<AnswerConditions>) => answerOf(clips, conditions).verdict.alsoSoundsLike?.label;
      expect(answerOf(clips).verdict.named.map(({ label }) => label)).toContain(pica);
      expect(of({})).toBe(corone);
      expect(of({ occurrence: occurrenceWith({ [corone]: 0.0001 }) })).toBe(cornix);
      expect(of({ listed: Uint8Array.of(1, 0, 1, 0, 1, 1, 1) })).toBe(major);
    });

    it('names nothing if no bird comes close, or none is recognised', () => {
      expect(answerOf([clip({ [merula]: 4 })]).verdict.alsoSoundsLike).toBeNull();
      expect(answerOf(quiet(3)).verdict.alsoSoundsLike).toBeNull();
      expect(answerOf([]).verdict.alsoSoundsLike).toBeNull();
    });
  });

  it('gives a call in a long quiet recording the same confidence as in a short one, or more', () => {
    const call = [clip({ [merula]: 2 }), clip({ [merula]: 3 })];
    const short = answerOf([...quiet(2), ...call, ...quiet(1)]).candidates[0]?.confidence ?? 0;
    const long = answerOf([...quiet(200), ...call, ...quiet(200)]).candidates[0]?.confidence ?? 0;
    expect(long).toBeGreaterThanOrEqual(short);
  });

  it('is a tie when two birds of one passage have almost the same confidence', () => {
    const answer = answerOf([clip({ [merula]: -0.5, [pica]: -0.6 }), clip({ [merula]: -0.6, [pica]: -0.5 })]);
    expect(answer.verdict).toMatchObject({ kind: 'unsure', tied: true, genus: null });
    expect(answer.verdict.named.map((candidate) => candidate.label).sort()).toEqual([merula, pica]);
  });

  it('is not a tie when both birds are clear, whether they are heard at once or one after the other', () => {
    const clear = (first: number[], second: number[]) => answerOf([first, first, second, second, clip()]).verdict;
    const both = clip({ [merula]: 4, [pica]: 3.9 });
    for (const verdict of [clear(both, both), clear(clip({ [merula]: 5 }), clip({ [pica]: 5 }))]) {
      expect(verdict).toMatchObject({ tied: false });
      expect(verdict.named.map(({ label }) => label).sort()).toEqual([merula, pica]);
    }
    expect(clear(both, both).kind).toBe('several');
  });

  it('is not a tie when two birds have the same confidence at different times', () => {
    const sure = Array.from({ length: 5 }, () => clip({ [merula]: 3 }));
    const assure = Array.from({ length: 5 }, () => clip({ [pica]: 3.05 }));
    expect(answerOf([...sure, ...quiet(5), ...assure]).verdict).toMatchObject({ kind: 'several', tied: false });
  });

  it('names the genus when its two species cannot be told apart', () => {
    const answer = answerOf([clip({ [corone]: -0.5, [cornix]: -0.6, [merula]: -9 }), clip({ [corone]: -0.8, [cornix]: -0.9 })]);
    expect(answer.verdict).toMatchObject({ kind: 'unsure', genus: 'Corvus' });
  });

  it('names no genus when the two surest birds belong to different ones, or birds of other genera have almost the same score', () => {
    expect(answerOf([clip({ [corone]: -0.5, [merula]: -0.6 })]).verdict.genus).toBeNull();
    const crowded = clip({ [corone]: -0.5, [cornix]: -0.55, [merula]: -0.6, [pica]: -0.6, [major]: -0.6 });
    expect(answerOf([crowded]).verdict.genus).toBeNull();
  });

  it('names no genus when it finds no bird', () => {
    const answer = answerOf([clip({ [corone]: -4, [cornix]: -4.1, [engine]: 2 })]);
    expect(answer.verdict).toMatchObject({ kind: 'noBird', genus: null });
  });

  it('names the genus although species that are rare at the place are almost as loud', () => {
    const crowded = [clip({ [corone]: -0.5, [cornix]: -0.55, [merula]: -0.6, [pica]: -0.6, [major]: -0.6 })];
    // Without their penalties, the rare ones would leave the genus less than half.
    const occurrence = occurrenceWith({ [merula]: 0.0025, [pica]: 0.0025, [major]: 0.0025 });
    expect(answerOf(crowded, { occurrence }).verdict).toMatchObject({ kind: 'unsure', genus: 'Corvus' });
  });

  it('names no genus if species that the evidence leaves out may have almost the same score', () => {
    const evidence = evidenceOf(model, [clip({ [corone]: -0.5, [cornix]: -0.6 })]);
    const { passages } = evidence;
    const crowded = { ...evidence, passages: { ...passages, restWeights: Float32Array.of(5) } };
    expect(conclude(model, evidence, { occurrence: null }).verdict.genus).toBe('Corvus');
    expect(conclude(model, crowded, { occurrence: null }).verdict.genus).toBeNull();
    // Three of the five birds are hidden, and so is the same share of those left out.
    const occurrence = occurrenceWith({ [merula]: 0, [pica]: 0, [major]: 0 });
    expect(conclude(model, crowded, { occurrence }).verdict.genus).toBeNull();
  });

  it('ranks candidates by confidence, not by score, and keeps as many as requested', () => {
    // The blackbird is beside a louder magpie; the tit is alone and less loud.
    const clips = [
      ...Array.from({ length: 3 }, () => clip({ [merula]: 1.2, [pica]: 2.4 })),
      ...quiet(6),
      ...Array.from({ length: 3 }, () => clip({ [major]: 0.9 })),
    ];
    const answer = answerOf(clips, { top: 3 });
    expect(answer.candidates.map((candidate) => candidate.label)).toEqual([major, pica, merula]);
    const [tit, , blackbird] = answer.candidates;
    expect(tit?.score).toBeLessThan(blackbird?.score ?? 0);
    expect(answerOf(clips, { top: 1 }).candidates).toHaveLength(1);
  });
});

describe('A prediction at a place', () => {
  const merulaSings = [clip({ [merula]: 5, [pica]: -3 }), clip({ [merula]: 5, [pica]: -2 }), clip({ [merula]: 4 })];

  it('hides a bird that does not occur at the place, and names it as not expected there', () => {
    const occurrence = occurrenceWith({ [merula]: 0.0019 });
    const answer = answerOf(merulaSings, { occurrence });
    const without = answerOf(merulaSings);
    expect(answer.candidates.map((candidate) => candidate.label)).not.toContain(merula);
    expect(answer.hiddenByLocation).toEqual([{ ...without.candidates[0], occurrence: occurrence[merula] }]);
    expect(answer.verdict.notExpectedHere).toEqual(answer.hiddenByLocation[0]);
  });

  it('shows a species exactly at the lowest allowed occurrence, and calls it unusual', () => {
    // float32 rounds 0.002 up, so it is not below.
    const answer = answerOf(merulaSings, { occurrence: occurrenceWith({ [merula]: 0.002 }) });
    expect(answer.candidates[0]).toMatchObject({ label: merula, unusualHere: true });
    expect(answer.verdict.notExpectedHere).toBeNull();
    const rare = answer.candidates[0]?.confidence ?? 1;
    expect(rare).toBeLessThan(answerOf(merulaSings, { occurrence: everywhere }).candidates[0]?.confidence ?? 0);
  });

  it('does not call a common species unusual', () => {
    const answer = answerOf(merulaSings, { occurrence: occurrenceWith({ [merula]: 0.031 }) });
    expect(answer.candidates[0]).toMatchObject({ label: merula, unusualHere: false });
  });

  it('keeps all scores, detections and other sounds, and says which detections are hidden', () => {
    const clips = [...merulaSings, clip({ [engine]: 3, [pica]: 1 })];
    const hiding = occurrenceWith({ [merula]: 0, [pica]: 0.004 });
    const [here, anywhere] = [answerOf(clips, { occurrence: hiding }), answerOf(clips)];
    const timesOf = (answer: typeof here) => answer.detections.map(({ confidence, hidden, occurrence, ...rest }) => rest);
    expect(timesOf(here)).toEqual(timesOf(anywhere));
    expect(here.otherSounds).toEqual(anywhere.otherSounds);
    expect(here.detections).toMatchObject([
      { label: merula, hidden: true, occurrence: 0, confidence: 0 },
      { label: pica, hidden: false, occurrence: Math.fround(0.004) },
    ]);
    expect(anywhere.detections).toMatchObject([
      { label: merula, hidden: false, occurrence: null },
      { hidden: false, occurrence: null },
    ]);
    const scoreOf = (answer: typeof here) => answer.candidates.find((candidate) => candidate.label === pica)?.score;
    expect(scoreOf(here)).toBe(scoreOf(anywhere));
  });

  it('names a hidden bird as not expected there only if the bird is not faint', () => {
    const faint = [clip({ [merula]: -0.5, [engine]: -4, [pica]: -4 })];
    const answer = answerOf(faint, { occurrence: occurrenceWith({ [merula]: 0 }) });
    expect(answer.hiddenByLocation.map((candidate) => candidate.label)).toEqual([merula]);
    expect(answer.verdict.notExpectedHere).toBeNull();
  });
});

describe('The detections of a prediction', () => {
  it('join neighbouring clips and take the highest score', () => {
    const answer = answerOf([clip(), clip({ [merula]: 1 }), clip({ [merula]: 2 }), ...quiet(3), clip({ [merula]: 0 })]);
    expect(answer.detections).toMatchObject([
      { label: merula, startSeconds: 1.5, endSeconds: 6, score: expect.closeTo(1 / (1 + Math.exp(-2)), 6) },
      { label: merula, startSeconds: 9, endSeconds: 12, score: expect.closeTo(0.5, 6) },
    ]);
  });

  it('are joined if less than a clip’s length lies between them, and separate from there on', () => {
    const clips = [clip({ [merula]: 1 }), clip(), clip({ [merula]: 2, [pica]: 2 }), ...quiet(3), clip({ [merula]: 0 })];
    const spansOf = (clipStepSamples: number) =>
      conclude(model, { ...evidenceOf(model, clips), clipStepSamples }, { occurrence: null }).detections.map(
        ({ label, startSeconds, endSeconds }) => [label, startSeconds, endSeconds],
      );
    // Clips of 3 s every 1.5 s, every second, and end to end.
    expect(spansOf(3)).toEqual([
      [merula, 0, 6],
      [pica, 3, 6],
      [merula, 9, 12],
    ]);
    expect(spansOf(2)).toEqual([
      [merula, 0, 9],
      [pica, 2, 5],
    ]);
    expect(spansOf(6).map(([label]) => label)).toEqual([merula, merula, pica, merula]);
  });

  it('are limited to the best, in order of time, and the prediction says how many were left out', () => {
    const clips = Array.from({ length: 40 }, (_, index) => clip({ [[merula, pica, major][index % 3] ?? 0]: 3 - index / 20 }));
    const evidence = { ...evidenceOf(model, clips), clipStepSamples: 30 };
    const all = conclude(model, evidence, { occurrence: null });
    const some = conclude(model, evidence, { occurrence: null, mostDetections: 7 });
    expect(all).toMatchObject({ detectionsLeftOut: 0, detections: { length: 40 } });
    expect(some).toMatchObject({ detectionsLeftOut: 33, detections: { length: 7 } });
    expect(all.detections).toEqual(expect.arrayContaining([...some.detections]));
    expect(new Set(some.detections.map(({ label }) => label)).size).toBe(3);
    const starts = some.detections.map(({ startSeconds }) => startSeconds);
    expect(starts).toEqual(starts.toSorted((a, b) => a - b));
    expect([...listDetections(model, evidence, { occurrence: null, mostDetections: 7 })]).toEqual(all.detections);
  });

  it('have the confidence of the best passage that they touch, not of the best in the recording', () => {
    const clips = [
      ...Array.from({ length: 5 }, () => clip({ [merula]: 4 })),
      ...quiet(20),
      clip({ [merula]: -0.5 }),
      ...quiet(5),
    ];
    const [first, second] = answerOf(clips).detections;
    expect(first?.confidence).toBe(answerOf(clips).candidates[0]?.confidence);
    expect(second?.confidence).toBeLessThan(first?.confidence ?? 0);
    expect(second?.confidence).toBeGreaterThan(0.1);
  });

  it('have at least the lowest score requested', () => {
    const clips = [clip({ [merula]: 0.1 }), ...quiet(3), clip({ [merula]: -0.1 })];
    expect(answerOf(clips, { minScore: 0.5 }).detections).toHaveLength(1);
    expect(answerOf(clips, { minScore: 0.4 }).detections).toHaveLength(2);
    expect(answerOf(clips, { minScore: 1 }).detections).toEqual([]);
  });

  it('are of birds only', () => {
    expect(answerOf([clip({ [engine]: 3, [frog]: 3 })]).detections).toEqual([]);
  });

  it('do not reach beyond the end of the recording', () => {
    const evidence = { ...evidenceOf(model, [clip(), clip({ [merula]: 3 })]), sampleCount: 7 };
    expect(conclude(model, evidence, { occurrence: null }).detections[0]).toMatchObject({ startSeconds: 1.5, endSeconds: 3.5 });
  });
});

function evidenceWithNoise(clips: readonly { readonly row: readonly number[]; readonly isNoise: boolean }[]): Evidence {
  const { stepSamples, clipSamples } = fakeClip;
  const collector = createEvidenceCollector(model, stepSamples);
  for (const { row, isNoise } of clips) collector.add(Float32Array.from(row), isNoise);
  const sampleCount = (clips.length - 1) * stepSamples + clipSamples;
  return collector.finish({
    sampleCount,
    silentSamples: 0,
    steadyClips: clips.filter(({ isNoise }) => isNoise).length,
    windyClips: 0,
  });
}

describe('A prediction that there is clearly no bird', () => {
  it('is made for a silent recording, whatever the model outputs', () => {
    const evidence = { ...evidenceOf(model, [clip({ [merula]: 1, [engine]: 1 })]), silentSamples: 6 };
    const answer = conclude(model, evidence, { occurrence: null, minScore: 0 });
    expect(answer).toMatchObject({
      isClearlyNoBird: true,
      candidates: [],
      detections: [],
      hiddenByLocation: [],
      otherSounds: [],
      detectionsLeftOut: 0,
    });
    expect(answer.verdict).toMatchObject({ kind: 'noBird', named: [] });
    expect(answer.checkUp).toEqual([{ code: 'SILENT', share: 1 }]);
    expect([...listDetections(model, evidence, { occurrence: null, minScore: 0 })]).toEqual([]);
  });

  it('is made when another sound is loud and every bird is very faint', () => {
    const answer = answerOf([clip({ [engine]: 2, [merula]: -6 })]);
    expect(answer).toMatchObject({ verdict: { kind: 'noBird' }, isClearlyNoBird: true, otherSounds: [{ label: engine }] });
  });

  it('is made for steady noise, whatever birds the model hears in it', () => {
    const evidence = evidenceWithNoise([{ row: clip({ [merula]: 5, [engine]: 1 }), isNoise: true }]);
    const answer = conclude(model, evidence, { occurrence: null, minScore: 0.01 });
    expect(answer).toMatchObject({ isClearlyNoBird: true, detections: [], otherSounds: [{ label: engine }] });
    expect(answer.verdict).toMatchObject({ kind: 'noBird', named: [] });
    expect(answer.checkUp).toContainEqual({ code: 'STEADY_NOISE', share: 1 });
  });

  it('is made when all clips may be noise from a lossy codec, but not when one of them is something else', () => {
    const evidence = evidenceOf(model, [clip({ [merula]: 5 }), clip({ [merula]: 5, [engine]: 1 })]);
    const noise = { ...evidence, steadyClips: 2 };
    const answer = conclude(model, noise, { occurrence: null });
    expect(answer).toMatchObject({
      verdict: { kind: 'noBird', named: [] },
      candidates: [],
      detections: [],
      isClearlyNoBird: true,
    });
    expect(answer.otherSounds).toMatchObject([{ label: engine }]);
    expect([...listDetections(model, noise, { occurrence: null })]).toEqual([]);
    expect(conclude(model, { ...evidence, steadyClips: 1 }, { occurrence: null }).verdict.named).toMatchObject([
      { label: merula },
    ]);
  });

  it('is made when all clips hold nothing but wind and other noise, though birds remain candidates', () => {
    const evidence = evidenceOf(model, [clip({ [merula]: 5 }), clip({ [merula]: 5 })]);
    const { words } = model.manifest.calibration;
    for (const occurrence of [null, new Float32Array(model.species.labels.length).fill(1)]) {
      const answer = conclude(model, { ...evidence, steadyClips: 1, windyClips: 1 }, { occurrence });
      expect(answer).toMatchObject({ verdict: { kind: 'noBird', named: [] }, isClearlyNoBird: true });
      expect(answer.candidates[0]).toMatchObject({ label: merula, confidenceWord: 'none' });
      expect(answer.candidates[0]?.confidence).toBeLessThan(words.notSure);
      expect(answer.detections).toEqual([]);
    }
    expect(conclude(model, { ...evidence, windyClips: 1 }, { occurrence: null }).verdict.named).toMatchObject([
      { label: merula },
    ]);
  });

  it('is not made when a bird is heard between stretches of steady noise', () => {
    const loud = clip({ [merula]: 5 });
    const evidence = evidenceWithNoise([
      { row: loud, isNoise: true },
      { row: loud, isNoise: false },
      { row: loud, isNoise: true },
    ]);
    const answer = conclude(model, evidence, { occurrence: null });
    expect(answer.verdict).toMatchObject({ kind: 'identified', named: [{ label: merula }] });
    expect(answer.detections).toMatchObject([{ label: merula, startSeconds: 1.5, endSeconds: 4.5 }]);
    expect(answer.checkUp).toEqual([]);
  });

  it('is not made when a bird is heard beside an engine, or when both the birds and the other sounds are faint', () => {
    expect(answerOf([clip({ [engine]: 1, [merula]: 5 })])).toMatchObject({
      isClearlyNoBird: false,
      candidates: expect.arrayContaining([expect.objectContaining({ label: merula, rank: 1 })]),
    });
    expect(answerOf([clip({ [engine]: -0.5, [merula]: -6 })])).toMatchObject({
      verdict: { kind: 'noBird' },
      isClearlyNoBird: false,
      otherSounds: [{ label: engine }],
    });
  });
});

describe('Other sounds in a prediction', () => {
  it('are listed with where they are loudest, loudest first', () => {
    const answer = answerOf([clip({ [engine]: 1 }), clip({ [engine]: 2, [frog]: 3 }), clip({ [engine]: 2.5, [frog]: 3 })]);
    expect(answer.otherSounds).toMatchObject([
      { label: frog, scientificName: 'Rana clamans', startSeconds: 1.5, endSeconds: 4.5 },
      { label: engine, scientificName: 'Engine', startSeconds: 3, endSeconds: 6 },
    ]);
  });

  it('are left out if they are faint', () => {
    expect(answerOf([clip({ [engine]: -1.2 })]).otherSounds).toEqual([]);
  });
});

describe('A prediction made from evidence', () => {
  it('reports in its check-up how much of the recording is silent', () => {
    const evidence = { ...evidenceOf(model, quiet(3)), sampleCount: 12, silentSamples: 9 };
    expect(conclude(model, evidence, { occurrence: null }).checkUp).toEqual([{ code: 'SILENT', share: 0.75 }]);
  });

  it('does not report a short pause in its check-up as silence', () => {
    const evidence = { ...evidenceOf(model, quiet(3)), sampleCount: 100, silentSamples: 9 };
    expect(conclude(model, evidence, { occurrence: null }).checkUp).toEqual([]);
  });

  it('for a list of species names only species of the list, with no higher confidence', () => {
    const both = [...quiet(2), clip({ [corone]: 4, [cornix]: 3.8 }), clip({ [corone]: 4, [cornix]: 3.8 }), ...quiet(2)];
    const listed = Uint8Array.from(model.species.labels, ({ index }) => (index === cornix || index === merula ? 1 : 0));
    for (const where of [{}, { occurrence: everywhere }, { occurrence: everywhere, isAssumed: true }]) {
      const answer = answerOf(both, { ...where, listed });
      const anyBird = answerOf(both, where);
      expect(anyBird.candidates[0]?.label).toBe(corone);
      expect(answer.candidates.map(({ label, rank }) => [label, rank])).toEqual([
        [cornix, 1],
        [merula, 2],
      ]);
      expect(answer.detections).toEqual(anyBird.detections.filter(({ label }) => label === cornix));
      expect(answer.detections).toHaveLength(1);
      const confidenceIn = ({ candidates }: typeof answer) => candidates.find(({ label }) => label === cornix)?.confidence;
      expect(confidenceIn(answer)).toBe(confidenceIn(anyBird));
    }
    const nothing = answerOf(both, { listed: new Uint8Array(listed.length) });
    expect(nothing).toMatchObject({ verdict: { kind: 'noBird' }, candidates: [], detections: [] });
  });

  it('for a list of species still says which of them are hidden by location', () => {
    const heard = [...quiet(2), clip({ [cornix]: 4 }), clip({ [cornix]: 4 }), ...quiet(2)];
    const listed = Uint8Array.from(model.species.labels, ({ index }) => (index === cornix ? 1 : 0));
    const answer = answerOf(heard, { listed, occurrence: occurrenceWith({ [cornix]: 0 }) });
    expect(answer.hiddenByLocation.map(({ label }) => label)).toEqual([cornix]);
    expect(answer.detections.map(({ hidden }) => hidden)).toEqual([true]);
  });

  it('has a detection for every single clip that holds a bird if that is requested', () => {
    const heard = [clip({ [merula]: 2 }), clip(), clip({ [merula]: 4, [major]: 1 }), clip({ [merula]: 3 }), ...quiet(3)];
    const { detections } = answerOf(heard, { perClip: true });
    expect(detections.map(({ label, startSeconds, endSeconds }) => [label, startSeconds, endSeconds])).toEqual([
      [merula, 0, 3],
      [merula, 3, 6],
      [major, 3, 6],
      [merula, 4.5, 7.5],
    ]);
    expect([...listDetections(model, evidenceOf(model, heard), { occurrence: null, perClip: true })]).toEqual(detections);
    const [merged] = answerOf(heard).detections;
    expect(merged).toMatchObject({ label: merula, startSeconds: 0, endSeconds: 7.5, score: detections[1]?.score });
  });

  it('has frogs, engines and other sounds among the detections if they are asked for, without confidence', () => {
    const heard = [clip({ [merula]: 4, [frog]: 3, [engine]: 2 }), clip({ [frog]: 3 }), ...quiet(4)];
    const nowhere = Float32Array.of(0.5, 0, 0, 0, 0, 0, 0);
    for (const where of [{}, { occurrence: nowhere }, { listed: Uint8Array.of(1, 0, 0, 0, 0, 0, 0) }]) {
      const birds = answerOf(heard, where);
      const all = answerOf(heard, { ...where, sounds: true });
      expect(birds.detections.map(({ label }) => label)).toEqual([merula]);
      expect(all.detections.filter(({ kind }) => kind === undefined)).toEqual(birds.detections);
      expect(all.detections.slice(1)).toEqual([
        { ...{ label: frog, scientificName: 'Rana clamans', kind: 'nonBird', startSeconds: 0, endSeconds: 4.5 }, ...unknown(3) },
        { ...{ label: engine, scientificName: 'Engine', kind: 'nonEvent', startSeconds: 0, endSeconds: 3 }, ...unknown(2) },
      ]);
      expect(all.verdict).toEqual(birds.verdict);
    }
    expect(answerOf(heard, { sounds: true, perClip: true }).detections).toHaveLength(4);
  });
});

const unknown = (logit: number) => ({
  ...{ score: expect.closeTo(1 / (1 + Math.exp(-logit)), 2), confidence: 0, hidden: false, occurrence: null },
});
