import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { loadLaterTexts } from '../../languages/i18n.ts';
import { ReviewScreen } from './review-screen.tsx';
import type { ReviewApi } from './review-session.ts';
import { createReviewSession } from './review-session.ts';

beforeAll(loadLaterTexts);
beforeEach(() => {
  vi.stubGlobal(
    'OfflineAudioContext',
    class {
      decodeAudioData = () => new Promise(() => {});
    },
  );
});

const species = {
  ...{ scientificName: 'Parus major', commonName: 'Great Tit', detections: 40, labels: 3, right: 2, unsure: 0 },
  ...{
    threshold: 0.62,
    needsLabels: false,
    precision: 0.93,
    precisionInterval: { low: 0.8, high: 0.98 },
    isKnown: false,
    isDone: false,
  },
};

async function show(
  own: Partial<typeof species> | { threshold: null } = {},
  awaited: (id: number) => Promise<void> = async () => {},
) {
  let next = 0;
  const label = vi.fn<ReviewApi['label']>(async () => ({ species: { ...species, labels: 4 }, canUndo: true }));
  const undo = vi.fn<ReviewApi['undo']>(async () => ({ clip: null, canUndo: false }));
  const session = createReviewSession({
    state: async () => ({ target: 0.95, labelsName: 'labels.csv', species: [{ ...species, ...own }], canUndo: true }),
    next: async () => {
      const id = next;
      next += 1;
      await awaited(id);
      const times = { startSeconds: 65, endSeconds: 68, clipStartSeconds: 62 };
      return { id, file: `${id}.wav`, ...times, scientificName: 'Parus major', commonName: 'Great Tit', confidence: 0.71 };
    },
    sound: async () => ({ recording: new Blob(['x']), durationSeconds: 9 }),
    ...{ label, undo },
  });
  session.start();
  render(<ReviewScreen session={session} />);
  await screen.findByRole('heading', { name: 'Is Great Tit right?' });
  return { label, undo, user: userEvent.setup() };
}
const labelled = (label: { mock: { calls: Parameters<ReviewApi['label']>[] } }) =>
  label.mock.calls.map(([{ clip, verdict, otherSpecies }]) => [clip, verdict, otherSpecies]);

it('The review page shows the clip and what is known about its species', async () => {
  await show();
  expect(screen.getByText(/of 0\.wav/).textContent).toContain('confidence 71% · Detection 1:05.0 to 1:08.0 of 0.wav');
  expect(screen.getAllByText(/95% right from a confidence of 0.62: expected 93%, 90% interval 80% to 98%/)).not.toEqual([]);
  expect(screen.getByText(/Cornell Lab of Ornithology/).textContent).toContain('CC BY-NC-SA 4.0');
});

it('The review page says that there are too few labels, instead of that no confidence is high enough, until there are enough', async () => {
  await show({ ...{ threshold: null, needsLabels: true } });
  expect(screen.getAllByText(/Not enough labels to tell from which confidence 95% are right\. Of all, 93%/)).not.toEqual([]);
  expect(screen.queryByText(/No confidence is high enough/)).toBeNull();
});

it('The review page accepts labels by keys and by buttons', async () => {
  const { label, undo, user } = await show();
  await user.keyboard('y');
  await user.keyboard('u');
  await waitFor(() => expect(screen.getByText(/of 2\.wav/)).toBeTruthy());
  await user.click(screen.getByRole('button', { name: /^No/ }));
  // The focus is on the button, and keys still work.
  await user.keyboard('n');
  await waitFor(() =>
    expect(labelled(label)).toEqual([
      [0, 'yes', ''],
      [1, 'unsure', ''],
      [2, 'no', ''],
      [3, 'no', ''],
    ]),
  );
  await user.keyboard('z');
  await waitFor(() => expect(undo).toHaveBeenCalledOnce());
});

it('The review page ignores keys while no clip is shown, says so, and still takes the last label back', async () => {
  let arrive = () => {};
  const gate = new Promise<void>((open) => {
    arrive = open;
  });
  const { label, undo, user } = await show({}, async (id) => (id === 0 ? undefined : gate));
  await user.keyboard('y');
  await screen.findByText('Loading the next detection…');
  await user.keyboard('n');
  await screen.findByText(/No detection was shown when you pressed a key/);
  await user.keyboard('z');
  await waitFor(() => expect(undo).toHaveBeenCalledOnce());
  await waitFor(() => expect(screen.queryByText(/No detection was shown/)).toBeNull());
  await user.keyboard('s');
  await screen.findByText(/No detection was shown when you pressed a key/);
  arrive();
  await screen.findByText(/of 1\.wav/);
  expect(labelled(label)).toEqual([[0, 'yes', '']]);
  await user.keyboard('n');
  await waitFor(() => expect(screen.queryByText(/No detection was shown/)).toBeNull());
  expect(labelled(label)).toContainEqual([1, 'no', '']);
});

it('The review page asks which other species a clip holds, and ignores review keys typed into the answer', async () => {
  const { label, user } = await show();
  await user.keyboard('o');
  const field = await screen.findByRole('combobox', { name: /Which species/ });
  await waitFor(() => expect(document.activeElement).toBe(field));
  await user.keyboard('Coal Tit, young{Enter}');
  await waitFor(() => expect(labelled(label)).toEqual([[0, 'other', 'Coal Tit, young']]));
  await user.keyboard('o');
  await screen.findByRole('combobox', { name: /Which species/ });
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('combobox', { name: /Which species/ })).toBeNull());
  await user.keyboard('y');
  await waitFor(() => expect(labelled(label)).toHaveLength(2));
});

it('The review page has keys that can be changed, removed and turned off', async () => {
  const { label, user } = await show();
  await user.click(screen.getByText('Keys'));
  const yes = screen.getByRole('textbox', { name: 'Yes' });
  await user.clear(yes);
  await user.type(yes, 'j');
  const no = screen.getByRole('textbox', { name: 'No' });
  await user.clear(no);
  screen.getByRole('region', { name: 'Detection to label' }).focus();
  await user.keyboard('yn');
  await user.keyboard('j');
  await waitFor(() => expect(labelled(label)).toEqual([[0, 'yes', '']]));
  await user.click(screen.getByRole('checkbox', { name: 'Label with keys' }));
  screen.getByRole('region', { name: 'Detection to label' }).focus();
  await user.keyboard('j');
  expect(labelled(label)).toHaveLength(1);
});
