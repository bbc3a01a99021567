import type { ReviewClip, ReviewedSpeciesBody, ReviewLabelBody } from '@chiffchaff/contract';
import { eventually } from '@chiffchaff/testing';
import { expect, it, vi } from 'vitest';
import { createReviewSession, type ReviewApi, ReviewError } from './review-session.ts';

const clipOf = (id: number, scientificName: string): ReviewClip => ({
  ...{ id, file: 'a.wav', startSeconds: 3 * id, endSeconds: 3 * id + 3, clipStartSeconds: Math.max(0, 3 * id - 3) },
  ...{ scientificName, commonName: scientificName, confidence: 0.5 },
});

/** A command with two species of ten clips each; `enough` labels complete a species. */
function fakeCommand({ enough = 99, clips = 10 } = {}) {
  const species = ['Parus major', 'Apus apus'];
  const all = species.flatMap((name, at) => Array.from({ length: clips }, (_, index) => clipOf(at * clips + index, name)));
  const labels: ReviewLabelBody[] = [];
  let failure: Error | null = null;
  const standing = (name: string): ReviewedSpeciesBody => {
    const count = labels.filter(({ clip }) => all[clip]?.scientificName === name).length;
    const nothing = { threshold: null, needsLabels: true, precision: null, precisionInterval: null, right: 0, unsure: 0 };
    const isDone = count >= Math.min(enough, clips);
    return { scientificName: name, commonName: name, detections: clips, labels: count, ...nothing, isKnown: isDone, isDone };
  };
  const answered = async <Answer>(answer: () => Answer): Promise<Answer> => {
    await Promise.resolve();
    if (failure) throw failure;
    return answer();
  };
  const next = vi.fn((wanted: string | null, held: readonly number[]) =>
    answered(() => {
      const name = wanted ?? species.find((each) => !standing(each).isDone);
      const isOpen = ({ id }: ReviewClip) => !held.includes(id) && !labels.some(({ clip }) => clip === id);
      return all.find((clip) => clip.scientificName === name && isOpen(clip)) ?? null;
    }),
  );
  const api: ReviewApi = {
    state: () =>
      answered(() => ({ target: 0.95, labelsName: 'labels.csv', species: species.map(standing), canUndo: labels.length > 0 })),
    next,
    sound: vi.fn(() => answered(() => ({ recording: new Blob(), durationSeconds: 9 }))),
    label: (label) =>
      answered(() => {
        labels.push(label);
        return { species: standing(all[label.clip]?.scientificName ?? ''), canUndo: true };
      }),
    undo: () =>
      answered(() => {
        const taken = labels.pop();
        return { clip: all[taken?.clip ?? -1] ?? null, canUndo: labels.length > 0 };
      }),
  };
  return {
    ...{ api, labels },
    fail: (error: Error | null) => {
      failure = error;
    },
  };
}

async function begin(command = fakeCommand()) {
  const session = createReviewSession(command.api);
  session.start();
  const now = () => session.store.snapshot();
  const shows = (id: number | null) => eventually(() => expect(now().current?.clip.id ?? null).toBe(id));
  await shows(0);
  return { ...command, session, now, shows };
}

it('A `chiffchaff review` in the browser loads the audio of the next clips while the present clip is played', async () => {
  const { api, session, shows, labels } = await begin();
  await eventually(() => expect(api.sound).toHaveBeenCalledTimes(3));
  session.label('yes');
  await shows(1);
  await eventually(() => expect(api.sound).toHaveBeenCalledTimes(4));
  expect(labels).toEqual([{ clip: 0, verdict: 'yes', otherSpecies: '' }]);
});

it('A `chiffchaff review` in the browser labels each clip at most once, however quickly keys are pressed', async () => {
  const { session, labels, now } = await begin();
  await eventually(() => expect(now().current).not.toBeNull());
  for (let press = 0; press < 30; press += 1) {
    session.label('no');
    if (press % 3 === 0) await Promise.resolve();
  }
  await eventually(() => expect(now().current).not.toBeNull());
  const clips = labels.map(({ clip }) => clip);
  expect(new Set(clips).size).toBe(clips.length);
});

it('A `chiffchaff review` in the browser labels nothing while no clip is shown, and says so until the next label', async () => {
  const command = fakeCommand();
  const answers: (() => void)[] = [];
  const { next } = command.api;
  const session = createReviewSession({
    ...command.api,
    next: (...asked) => new Promise<void>((answer) => answers.push(answer)).then(() => next(...asked)),
  });
  const now = () => session.store.snapshot();
  session.start();
  await eventually(() => expect(answers).toHaveLength(1));
  session.label('yes');
  session.skip();
  expect(now()).toMatchObject({ current: null, isDone: false, isMissed: true });
  answers[0]?.();
  await eventually(() => expect(now().current?.clip.id).toBe(0));
  expect(now().isMissed).toBe(true);
  session.label('no');
  expect(now()).toMatchObject({ current: null, isDone: false, isMissed: false });
  await eventually(() => expect(now().saved).toBe(1));
  expect(command.labels).toEqual([{ clip: 0, verdict: 'no', otherSpecies: '' }]);
});

it('A `chiffchaff review` in the browser goes on to the next species when a species is finished, and ends after the last', async () => {
  const { session, now, shows } = await begin(fakeCommand({ enough: 2 }));
  session.label('yes');
  await shows(1);
  session.label('yes');
  await shows(10);
  expect(now()).toMatchObject({ justDone: 'Parus major', saved: 2 });
  session.label('no');
  await shows(11);
  session.label('no');
  await eventually(() => expect(now().isDone).toBe(true));
  // A completed species can be continued.
  session.choose('Parus major');
  await shows(2);
});

it('A `chiffchaff review` in the browser ends when only skipped clips are left', async () => {
  const { session, now, shows } = await begin(fakeCommand({ clips: 2 }));
  session.skip();
  await shows(1);
  session.label('yes');
  await eventually(() => expect(now().current?.clip.id ?? null).not.toBe(1));
  await eventually(() => expect(now().isDone || now().current !== null).toBe(true));
});

it('A `chiffchaff review` in the browser brings a clip back whose label was not saved, and says why', async () => {
  const { session, now, shows, fail, labels } = await begin();
  fail(new ReviewError("labels.csv can't be written: no space left."));
  session.label('yes');
  await eventually(() => expect(now().trouble?.sentence).toBe("labels.csv can't be written: no space left."));
  await shows(0);
  expect(now().saved).toBe(0);
  fail(new ReviewError(null));
  session.label('yes');
  await eventually(() => expect(now().trouble?.sentence).toBeNull());
  fail(null);
  session.retry();
  await shows(0);
  session.label('yes');
  await eventually(() => expect(labels).toHaveLength(1));
  await eventually(() => expect(now().trouble).toBeNull());
});

it('A `chiffchaff review` in the browser takes back the latest label, even while it is being saved, and shows its clip', async () => {
  const { session, now, shows, labels } = await begin();
  session.label('yes');
  await session.undo();
  await shows(0);
  expect(labels).toEqual([]);
  expect(now()).toMatchObject({ canUndo: false, saved: 0 });
  session.label('no');
  await shows(1);
});
