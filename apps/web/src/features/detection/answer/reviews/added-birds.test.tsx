import type { BirdReview } from '@chiffchaff/contract';
import { act, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { fakePrediction } from '../../../../testing/fake-data.ts';
import { answerEveryClient } from '../../../../testing/fake-identity-service.ts';
import { FakeRequest, nextRequest } from '../../../../testing/fake-transport.ts';
import { pasteInto } from '../../../../testing/paste-into.ts';
import { renderPage } from '../../../../testing/render-page.tsx';
import { AddedBirds } from './review-buttons.tsx';
import { useReviewed } from './use-review.ts';

answerEveryClient();

const WREN = { scientificName: 'Troglodytes troglodytes', commonName: 'Eurasian Wren' };
const said = (part: Partial<BirdReview>): BirdReview => ({
  ...WREN,
  ...{ verdict: 'added', to: null, toCommonName: null, at: '2026-05-01T06:00:00.000Z' },
  ...part,
});
const added = said({});
const PATH = '/v1/predictions/p-1/reviews';

function Answer({ reviews }: { readonly reviews: readonly BirdReview[] }) {
  return <AddedBirds prediction={useReviewed(fakePrediction({ id: 'p-1', reviews: [...reviews] }), true)} />;
}

async function open(reviews: readonly BirdReview[] = []) {
  const page = renderPage(<Answer reviews={reviews} />);
  await page.signIn();
  FakeRequest.sent.length = 0;
  return page;
}
const also = () => screen.getByRole('button', { name: 'There was also…' });
const birds = () => within(screen.getByRole('list', { name: 'Birds you added' })).getAllByRole('listitem');

async function addWren(user: Awaited<ReturnType<typeof open>>['user']) {
  await user.click(also());
  await pasteInto(user, screen.getByRole('combobox', { name: 'Which bird was it?' }), 'wren');
  const search = await nextRequest();
  await act(async () => search.answer(200, { species: [WREN] }));
  await user.click(await screen.findByRole('option', { name: /Eurasian Wren/ }));
  const request = await nextRequest();
  expect(request).toMatchObject({ method: 'PUT', url: `${PATH}/Troglodytes%20troglodytes` });
  expect(JSON.parse(String(request.body))).toEqual({ verdict: 'added' });
  expect(screen.getByRole('status').textContent).toBe('Saving…');
  return request;
}

it('A bird added by a person is shown once the server has stored it, and can be removed again', async () => {
  const { user } = await open();
  const request = await addWren(user);
  expect(screen.queryByRole('list')).toBeNull();
  await act(async () => request.answer(200, { reviews: [added] }));
  await waitFor(() => expect(birds()[0]?.textContent).toMatch(/^Eurasian Wren.*added/));
  expect(screen.getByRole('status').textContent).toBe('Eurasian Wren: You added this bird.');
  expect(document.activeElement).toBe(also());
  await user.click(screen.getByRole('button', { name: 'Remove (Eurasian Wren)' }));
  const withdrawal = await nextRequest();
  expect(withdrawal).toMatchObject({ method: 'DELETE', url: `${PATH}/Troglodytes%20troglodytes` });
  await act(async () => withdrawal.answer(200, { reviews: [] }));
  await waitFor(() => expect(screen.queryByRole('list')).toBeNull());
  expect(screen.getByRole('status').textContent).toBe('Eurasian Wren: Undone.');
  expect(document.activeElement).toBe(also());
});

it('A bird added by a person that the server did not store is removed again, with a message', async () => {
  const { user } = await open();
  (await addWren(user)).breakOff('network');
  expect((await screen.findByRole('alert')).textContent).toContain('Not saved.');
  expect(screen.queryByRole('list')).toBeNull();
});

it('Reviews of birds that the result no longer mentions are listed, but not those of birds with a row', async () => {
  const { candidates } = fakePrediction();
  const inAnswer = { scientificName: candidates[0]?.scientificName ?? '', commonName: 'In the answer' };
  await open([
    said({ ...inAnswer, verdict: 'confirmed' }),
    said({ verdict: 'corrected', to: 'Parus major', toCommonName: 'Great Tit' }),
  ]);
  expect(birds()).toHaveLength(1);
  expect(birds()[0]?.textContent).toContain('You said it was Great Tit.');
});
