import { describe, expect, it } from 'vitest';
import { evidenceOf, fakeModel } from '../testing/fake-model.ts';
import type { AnswerCheckUp } from './answer.ts';
import { speechIn } from './check-up.ts';
import { conclude } from './conclude.ts';

const model = fakeModel([
  ['Turdus merula', 'bird'],
  ['Human vocal', 'nonEvent'],
  ['Engine', 'nonEvent'],
  ['Rana clamans', 'nonBird'],
]);
const [merula, speech, engine, frog] = [0, 1, 2, 3];

/** Clips of 3 s every 1.5 s with these logits; labels without a logit are not heard. */
function checkUpOf(
  clips: readonly Readonly<Record<number, number>>[],
  occurrence: Float32Array | null = null,
): readonly AnswerCheckUp[] {
  const rows = clips.map((heard) => model.species.labels.map((_, label) => heard[label] ?? -14));
  return conclude(model, evidenceOf(model, rows), { occurrence }).checkUp;
}

describe('Sounds other than birds in the check-up', () => {
  it('are reported with their share of the recording, although clips overlap', () => {
    // Five clips are 9 s; the second and the third hold speech, from 1.5 s to 6 s.
    expect(checkUpOf([{}, { [speech]: 3 }, { [speech]: 3 }, {}, {}])).toEqual([{ code: 'SPEECH_HEARD', share: 0.5 }]);
    // Apart, with a gap: 0–3 s and 6–9 s.
    const [apart] = checkUpOf([{ [speech]: 3 }, {}, {}, {}, { [speech]: 3 }]);
    expect(apart?.share).toBeCloseTo(6 / 9, 9);
  });

  it('are reported with their label', () => {
    expect(checkUpOf([{ [engine]: 2 }])).toEqual([{ code: 'OTHER_SOUND_HEARD', share: 1, label: 'Engine' }]);
  });

  it.each([
    [-1, true],
    [-1.2, false],
  ])('are reported from a score of 0.25 on (a logit of %f: %s)', (logit, isHeard) => {
    expect(checkUpOf([{ [engine]: logit }])).toHaveLength(isHeard ? 1 : 0);
  });

  it('are not reported if they are animals', () => {
    expect(checkUpOf([{ [frog]: 3, [merula]: 3 }])).toEqual([]);
  });

  it('do not depend on the place', () => {
    const nowhere = new Float32Array(model.species.labels.length);
    const clips = [{ [speech]: 3, [merula]: 2 }, { [engine]: 3 }];
    expect(checkUpOf(clips, nowhere)).toEqual(checkUpOf(clips));
  });
});

describe('Speech in a recording', () => {
  /** Where people talk in five clips, 0 to 9 s. @param pitched log-odds of the speech meter, by second */
  const talking = (clips: readonly Readonly<Record<number, number>>[], pitched: (second: number) => number = () => -20) => {
    const rows = clips.map((heard) => model.species.labels.map((_, label) => heard[label] ?? -14));
    const { sampleRate } = model.manifest.audio;
    return speechIn(evidenceOf(model, rows), model.species, 0.25, (from) => pitched(from / sampleRate));
  };
  const third = [{ startSeconds: 3, endSeconds: 6 }];

  it('is found where the model hears it', () => {
    expect(talking([{}, {}, { [speech]: -1 }, {}, {}])).toEqual(third);
    expect(talking([{}, {}, { [speech]: -2 }, {}, {}])).toEqual([]);
  });

  it('is found where the pitch is that of voices', () => {
    expect(talking([{}, {}, {}, {}, {}], (second) => (second === 3 ? 1 : -1))).toEqual(third);
  });

  it('is found where the pitch alone is not enough but the model hears a little speech, too', () => {
    const nearly = (second: number) => (second === 3 ? -1 : -20);
    expect(talking([{}, {}, {}, {}, {}], nearly)).toEqual([]);
    expect(talking([{}, {}, { [speech]: -6 }, {}, {}], nearly)).toEqual(third);
  });

  it('is not found where the pitch is that of voices but the model is sure of a bird', () => {
    const hardly = (second: number) => (second === 3 ? 1 : -20);
    expect(talking([{}, {}, { [merula]: 3 }, {}, {}], hardly)).toEqual([]);
  });
});
