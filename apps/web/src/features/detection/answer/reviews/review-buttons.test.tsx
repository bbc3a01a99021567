import type { BirdReview } from '@chiffchaff/contract';
import { act, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { preferences } from '../../../../platform/storage/preferences.ts';
import { fakePrediction } from '../../../../testing/fake-data.ts';
import { answerEveryClient } from '../../../../testing/fake-identity-service.ts';
import { FakeRequest, nextRequest } from '../../../../testing/fake-transport.ts';
import { pasteInto } from '../../../../testing/paste-into.ts';
import { renderPage } from '../../../../testing/render-page.tsx';
import { ReviewButtons } from './review-buttons.tsx';
import { useReviewed } from './use-review.ts';

answerEveryClient();

const ROBIN = { scientificName: 'Erithacus rubecula', commonName: 'European Robin' };
const WREN = { scientificName: 'Troglodytes troglodytes', commonName: 'Eurasian Wren' };
const TIT = { scientificName: 'Parus major', commonName: 'Great Tit' };
const PATH = '/v1/predictions/p-1/reviews';

const said = (bird: typeof ROBIN, part: Partial<BirdReview>): BirdReview => ({
  ...bird,
  ...{ verdict: 'confirmed', to: null, toCommonName: null, at: '2026-05-01T06:00:00.000Z' },
  ...part,
});

function Rows({ reviews, isBrief }: { readonly reviews: readonly BirdReview[]; readonly isBrief: boolean }) {
  const conditions = { ...fakePrediction().conditions, latitude: 51.5, longitude: -0.1 };
  const prediction = useReviewed({ ...fakePrediction({ id: 'p-1' }), conditions, reviews: [...reviews] }, true);
  return (
    <>
      <button type="button">elsewhere</button>
      <ul>
        {[ROBIN, TIT].map((bird) => (
          <li key={bird.commonName} aria-label={bird.commonName}>
            <button type="button">play</button>
            <input aria-label="a field" />
            <ReviewButtons prediction={prediction} bird={bird} isBrief={isBrief} />
          </li>
        ))}
      </ul>
    </>
  );
}

async function open(reviews: readonly BirdReview[] = [], isBrief = false) {
  const page = renderPage(<Rows reviews={reviews} isBrief={isBrief} />);
  await page.signIn();
  FakeRequest.sent.length = 0;
  return page;
}
const row = (bird = ROBIN) => within(screen.getByRole('listitem', { name: bird.commonName }));
const button = (name: string, bird = ROBIN) => row(bird).getByRole('button', { name: `${name} (${bird.commonName})` });
const isPressed = (name: string, bird = ROBIN) => button(name, bird).getAttribute('aria-pressed') === 'true';
const focusOn = (name: string) =>
  act(() =>
    row()
      .getByRole(name === 'a field' ? 'textbox' : 'button', { name })
      .focus(),
  );

async function expectSent(method: string, url: string, body: unknown, answer: readonly BirdReview[]) {
  const request = await nextRequest();
  expect(request).toMatchObject({ method, url });
  expect(request.body ? JSON.parse(String(request.body)) : null).toEqual(body);
  await act(async () => request.answer(200, { reviews: answer }));
}

const usual = preferences.snapshot().reviewKeys;
beforeEach(() => preferences.change({ reviewKeys: usual }));
afterEach(() => preferences.change({ reviewKeys: usual }));

describe('The review buttons of a bird', () => {
  it('say on pointing what their icons mean in a long list', async () => {
    await open([], true);
    expect(row().getByTitle('Yes, that was it (European Robin)')).toBe(button('Yes, that was it'));
    expect(row(TIT).getByTitle('No (Great Tit)')).toBe(button('No', TIT));
  });

  it('show a review as being saved until the server has stored it, and can take it back', async () => {
    const { user } = await open();
    await user.click(button('Yes, that was it'));
    expect(isPressed('Yes, that was it')).toBe(true);
    expect(row().getByRole('status').textContent).toBe('European Robin: Saving…');
    await expectSent('PUT', `${PATH}/Erithacus%20rubecula`, { verdict: 'confirmed' }, [said(ROBIN, {})]);
    await waitFor(() => expect(row().getByRole('status').textContent).toBe('European Robin: You confirmed this bird.'));
    expect(isPressed('Yes, that was it', TIT)).toBe(false);
    await user.click(button('Undo'));
    await expectSent('DELETE', `${PATH}/Erithacus%20rubecula`, null, []);
    await waitFor(() => expect(isPressed('Yes, that was it')).toBe(false));
    expect(document.activeElement).toBe(button('Yes, that was it'));
    await waitFor(() => expect(row().getByRole('status').textContent).toBe('European Robin: Undone.'));
  });

  it('announce what the person has just done, and not what was said before', async () => {
    const { user } = await open([said(ROBIN, {})]);
    const isAnnounced = () => row().getByRole('status').getAttribute('aria-live') === 'polite';
    expect(row().getByRole('status').textContent).toBe('European Robin: You confirmed this bird.');
    expect(isAnnounced()).toBe(false);
    await user.click(button('No'));
    expect(isAnnounced()).toBe(true);
    expect(row(TIT).getByRole('status').getAttribute('aria-live')).toBe('off');
    await expectSent('PUT', `${PATH}/Erithacus%20rubecula`, { verdict: 'rejected' }, [said(ROBIN, { verdict: 'rejected' })]);
  });

  it('show an earlier review as pressed, and offer to undo a change to it', async () => {
    const { user } = await open([said(ROBIN, {})]);
    expect(isPressed('Yes, that was it')).toBe(true);
    await user.click(button('No'));
    await expectSent('PUT', `${PATH}/Erithacus%20rubecula`, { verdict: 'rejected' }, [said(ROBIN, { verdict: 'rejected' })]);
    await user.click(await row().findByRole('button', { name: 'Undo (European Robin)' }));
    await expectSent('PUT', `${PATH}/Erithacus%20rubecula`, { verdict: 'confirmed' }, [said(ROBIN, {})]);
    await waitFor(() => expect(row().getByRole('status').textContent).toBe('European Robin: You confirmed this bird.'));
  });

  it('are one stop of the Tab key, and the arrow keys lead from one to the next', async () => {
    const { user } = await open();
    const choices = within(row().getByRole('toolbar'));
    button('Yes, that was it').focus();
    await user.keyboard('{ArrowRight}');
    expect(document.activeElement).toBe(button('No'));
    await user.keyboard('{ArrowRight}{ArrowRight}');
    expect(document.activeElement).toBe(button('Yes, that was it'));
    await user.keyboard('{ArrowLeft}');
    expect(document.activeElement).toBe(button('It was…'));
    expect(choices.getAllByRole('button').filter(({ tabIndex }) => tabIndex === 0)).toEqual([button('It was…')]);
  });

  it('let the owner search for the bird that was heard instead', async () => {
    const { user } = await open();
    await user.click(button('It was…'));
    await pasteInto(user, row().getByRole('combobox', { name: 'Which bird was it?' }), 'wren');
    const search = await nextRequest();
    expect(search.url).toBe('/v1/species/search?q=wren&language=en_us&latitude=51.5&longitude=-0.1');
    await act(async () => search.answer(200, { species: [WREN] }));
    await user.click(await row().findByRole('option', { name: /Eurasian Wren/ }));
    const corrected = said(ROBIN, {
      verdict: 'corrected',
      to: WREN.scientificName,
      toCommonName: WREN.commonName,
    });
    const body = { verdict: 'corrected', to: WREN.scientificName };
    await expectSent('PUT', `${PATH}/Erithacus%20rubecula`, body, [corrected]);
    await waitFor(() => expect(row().getByRole('status').textContent).toBe('European Robin: You said it was Eurasian Wren.'));
    expect(row().queryByRole('combobox')).toBeNull();
    expect(document.activeElement).toBe(button('It was…'));
  });

  it('say that a review was not saved, and show what the server has stored', async () => {
    const { user } = await open([said(ROBIN, { verdict: 'rejected' })]);
    await user.click(button('Yes, that was it'));
    (await nextRequest()).breakOff('network');
    expect((await row().findByRole('alert')).textContent).toContain('Not saved.');
    expect(isPressed('Yes, that was it')).toBe(false);
    // The request may have arrived nevertheless.
    await expectSent('GET', PATH, null, [said(ROBIN, {})]);
    await waitFor(() => expect(isPressed('Yes, that was it')).toBe(true));
  });

  it('send the reviews of two birds one after the other, and show both', async () => {
    const { user } = await open();
    await user.click(button('Yes, that was it'));
    await user.click(button('No', TIT));
    expect(FakeRequest.sent).toHaveLength(1);
    await expectSent('PUT', `${PATH}/Erithacus%20rubecula`, { verdict: 'confirmed' }, [said(ROBIN, {})]);
    expect(isPressed('No', TIT)).toBe(true);
    await expectSent('PUT', `${PATH}/Parus%20major`, { verdict: 'rejected' }, [
      said(ROBIN, {}),
      said(TIT, { verdict: 'rejected' }),
    ]);
    await waitFor(() => expect(row(TIT).getByRole('status').textContent).toBe('Great Tit: You said it wasn’t this bird.'));
    expect(isPressed('Yes, that was it')).toBe(true);
  });
});

describe('The keys for reviews on the result page', () => {
  it('send a review while an element of the bird’s row has the focus', async () => {
    const { user } = await open();
    focusOn('play');
    await user.keyboard('y');
    await expectSent('PUT', `${PATH}/Erithacus%20rubecula`, { verdict: 'confirmed' }, [said(ROBIN, {})]);
    await user.keyboard('N');
    await expectSent('PUT', `${PATH}/Erithacus%20rubecula`, { verdict: 'rejected' }, [said(ROBIN, { verdict: 'rejected' })]);
    await user.keyboard('o');
    expect(document.activeElement).toBe(row().getByRole('combobox'));
    // Keys typed there choose nothing.
    await user.keyboard('yno');
    expect((document.activeElement as HTMLInputElement).value).toBe('yno');
    await user.keyboard('{Escape}');
    expect(document.activeElement).toBe(button('It was…'));
    expect(FakeRequest.sent.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  it('do nothing outside a bird’s row, in a text field, or together with another key', async () => {
    const { user } = await open();
    act(() => screen.getByRole('button', { name: 'elsewhere' }).focus());
    await user.keyboard('yno');
    focusOn('a field');
    await user.keyboard('yno');
    focusOn('play');
    await user.keyboard('{Control>}y{/Control}{Alt>}n{/Alt}');
    expect(FakeRequest.sent).toEqual([]);
    expect(screen.queryByRole('combobox')).toBeNull();
  });

  it('can be changed and removed', async () => {
    const { user } = await open();
    act(() => preferences.change({ reviewKeys: { confirmed: 'j', rejected: null, corrected: 'o' } }));
    expect(button('Yes, that was it').getAttribute('aria-keyshortcuts')).toBe('j');
    expect(button('No').hasAttribute('aria-keyshortcuts')).toBe(false);
    focusOn('play');
    await user.keyboard('yn');
    expect(FakeRequest.sent).toEqual([]);
    await user.keyboard('j');
    await expectSent('PUT', `${PATH}/Erithacus%20rubecula`, { verdict: 'confirmed' }, [said(ROBIN, {})]);
  });
});
