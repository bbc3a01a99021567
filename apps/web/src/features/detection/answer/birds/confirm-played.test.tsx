import type { BirdReview, Prediction } from '@chiffchaff/contract';
import { act, screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { fakeNamedBird, fakePrediction } from '../../../../testing/fake-data.ts';
import { answerEveryClient } from '../../../../testing/fake-identity-service.ts';
import { FakeRequest } from '../../../../testing/fake-transport.ts';
import { renderPage } from '../../../../testing/render-page.tsx';
import { BirdList } from '../birds/bird-list.tsx';
import { listBirds } from '../birds/listed-birds.ts';
import { PlayPassage } from '../birds/play-button.tsx';
import { useReviewed } from '../reviews/use-review.ts';

answerEveryClient();

const NAMES = ['Dunnock', 'Merlin', 'Robin', 'Siskin', 'Tit', 'Wren'];
const named = NAMES.map((commonName, firstSeconds) =>
  fakeNamedBird({
    ...{ commonName, scientificName: `Avis ${commonName}`, confidence: 0.9, confidenceWord: 'veryLikely', firstSeconds },
    best: { startSeconds: firstSeconds, endSeconds: firstSeconds + 3 },
  }),
);
const six = (said: Partial<Prediction> = {}): Prediction => {
  const prediction = fakePrediction({ id: 'p-1', candidates: [], detections: [], ...said });
  return { ...prediction, verdict: { ...prediction.verdict, kind: 'several', named } };
};
const review = (commonName: string, part: Partial<BirdReview> = {}): BirdReview => ({
  ...{ commonName, scientificName: `Avis ${commonName}`, verdict: 'confirmed', to: null, toCommonName: null },
  at: '2026-05-01T06:00:00.000Z',
  ...part,
});

function Shown({ prediction }: { readonly prediction: Prediction }) {
  const reviewed = useReviewed(prediction, true);
  return (
    <PlayPassage value={() => {}}>
      <BirdList
        {...{ prediction: reviewed, withLessLikely: false, isAlone: false, isKept: true }}
        birds={listBirds(reviewed)}
        onLessLikely={() => {}}
      />
    </PlayPassage>
  );
}
async function show(prediction = six()) {
  const { user, signIn } = renderPage(<Shown prediction={prediction} />);
  await signIn();
  FakeRequest.sent.length = 0;
  const play = (name: string) => user.click(screen.getByRole('button', { name: new RegExp(`^Play the best moment of ${name}`) }));
  return { user, play };
}
const button = () => screen.queryByRole('button', { name: /^Confirm \d birds? you played$/ });
/** The next review that is sent, without what the rows ask besides. */
async function nextReview() {
  const isReview = ({ method }: FakeRequest) => method === 'PUT' || method === 'DELETE';
  await waitFor(() => expect(FakeRequest.sent.some(isReview)).toBe(true));
  const [request] = FakeRequest.sent.splice(FakeRequest.sent.findIndex(isReview), 1);
  return request as FakeRequest;
}
async function expectReview(method: string, name: string, answer: readonly BirdReview[]) {
  const request = await nextReview();
  expect(request).toMatchObject({ method, url: `/v1/predictions/p-1/reviews/Avis%20${name}` });
  if (method === 'PUT') expect(JSON.parse(String(request.body))).toEqual({ verdict: 'confirmed', bulk: true });
  await act(async () => request.answer(200, { reviews: answer }));
}

describe('The button that confirms the birds played in a long list', () => {
  const rejected = review('Merlin', { verdict: 'rejected' });
  const [robin, wren] = [review('Robin', { bulk: true }), review('Wren', { bulk: true })];

  it('confirms those that were played and have no review, and one undo takes back all of them', async () => {
    const { user, play } = await show(six({ reviews: [rejected] }));
    expect(button()).toBeNull();
    for (const name of ['Merlin', 'Wren', 'Robin', 'Wren']) await play(name);
    expect(button()?.textContent).toBe('Confirm 2 birds you played');
    await user.click(button() as HTMLElement);
    expect(button()).toBeNull();
    await expectReview('PUT', 'Robin', [rejected, robin]);
    await expectReview('PUT', 'Wren', [rejected, robin, wren]);
    await waitFor(() => expect(document.activeElement?.textContent).toBe('You confirmed 2 birds.'));
    await user.click(screen.getByRole('button', { name: 'Undo' }));
    expect(screen.queryByText('You confirmed 2 birds.')).toBeNull();
    expect(screen.getByText('2 confirmations undone.').getAttribute('role')).toBe('status');
    await expectReview('DELETE', 'Robin', [rejected, wren]);
    await expectReview('DELETE', 'Wren', [rejected]);
    await waitFor(() => expect(button()?.textContent).toBe('Confirm 2 birds you played'));
  });

  it('can be undone without losing a review that a bird got afterwards', async () => {
    const { user, play } = await show();
    for (const name of ['Robin', 'Wren']) await play(name);
    await user.click(button() as HTMLElement);
    await expectReview('PUT', 'Robin', [robin]);
    await expectReview('PUT', 'Wren', [robin, wren]);
    await user.click(screen.getByRole('button', { name: 'No (Wren)' }));
    const no = await nextReview();
    await act(async () => no.answer(200, { reviews: [robin, review('Wren', { verdict: 'rejected' })] }));
    await screen.findByText('You confirmed 1 bird.');
    await user.click(screen.getByRole('button', { name: 'Undo' }));
    await expectReview('DELETE', 'Robin', [review('Wren', { verdict: 'rejected' })]);
    expect(FakeRequest.sent.filter(({ method }) => method === 'DELETE')).toEqual([]);
  });

  it('says when nothing was saved, and can be pressed again', async () => {
    const { user, play } = await show();
    await play('Wren');
    await user.click(button() as HTMLElement);
    const request = await nextReview();
    await act(async () => request.answer(500, {}));
    expect(await screen.findByText('No bird was confirmed.')).toBeTruthy();
    expect(screen.getByText(/Not saved\./)).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull();
    expect(button()?.textContent).toBe('Confirm 1 bird you played');
  });
});
