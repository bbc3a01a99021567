import type { BirdReview } from '@chiffchaff/contract';
import { act, screen, waitFor } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { outbox } from '../../../platform/outbox/outbox.ts';
import { outboxCount } from '../../../platform/outbox/outbox-page.ts';
import { nothingKnown } from '../../../platform/sending/requested-conditions.ts';
import { fakePrediction } from '../../../testing/fake-data.ts';
import { fakeFolder } from '../../../testing/fake-folder.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { StageHeading } from '../../../ui/stage-heading.tsx';
import { EndedSession } from './ended-session.tsx';
import { SaveSession } from './kept-sessions.tsx';

const id = '20260501T051244120Z';
const question = { ...nothingKnown, language: null };
const review: BirdReview = {
  ...{ scientificName: 'Phylloscopus collybita', commonName: 'Common Chiffchaff', verdict: 'confirmed' },
  ...{ to: null, toCommonName: null, at: '2026-05-01T05:12:50.000Z' },
};
const speech = [{ startSeconds: 1, endSeconds: 2 }];

function keepSession(notes: object): void {
  const files = { 'sound.wav': new Blob([new Uint8Array(960_044)]), 'notes.json': new Blob([JSON.stringify(notes)]) };
  const root = fakeFolder({ recordings: { [id]: files } });
  Object.defineProperty(navigator, 'storage', { value: { getDirectory: async () => root.handle }, configurable: true });
}
beforeEach(() => () => void Reflect.deleteProperty(navigator, 'storage'));

describe('A recorded session that is opened again', () => {
  const open = () => {
    const openRecognizer = vi.fn(() => Promise.reject(new Error('not needed')));
    const onSaved = vi.fn();
    const page = renderPage(
      <EndedSession
        id={id}
        answer={null}
        isWanted={false}
        language={null}
        openRecognizer={openRecognizer}
        AnswerStage={({ prediction: { verdict, reviews = [] } }) => (
          <>
            <StageHeading>{verdict.sentence}</StageHeading>
            {reviews.map(({ commonName, verdict: said }) => `${commonName}: ${said}`)}
          </>
        )}
        onSaved={onSaved}
        onAgain={vi.fn()}
      />,
    );
    return { ...page, openRecognizer, onSaved };
  };

  it('shows the result that was made while it was recorded, without an analysis', async () => {
    keepSession({ answer: { prediction: fakePrediction(), speech: [] } });
    const { openRecognizer } = open();
    const heading = await screen.findByText('Very likely a Common Chiffchaff.');
    expect(screen.getAllByRole('heading', { level: 1 })).toEqual([heading]);
    expect(document.activeElement).toBe(heading);
    const note = document.getElementById(heading.getAttribute('aria-describedby') ?? '');
    expect(note?.textContent).toBe('This recording is only on this device and not saved to your history.');
    expect(openRecognizer).not.toHaveBeenCalled();
  });

  it('shows the reviews that were made while it was recorded', async () => {
    keepSession({ answer: { prediction: fakePrediction(), speech: [] }, reviews: [review] });
    open();
    expect(await screen.findByText('Common Chiffchaff: confirmed')).toBeTruthy();
  });

  it('leads to its result in the history once that has arrived, where it can be confirmed', async () => {
    vi.spyOn(outbox, 'add').mockResolvedValue('key');
    outboxCount.set(1);
    keepSession({ answer: { prediction: fakePrediction(), speech: [] } });
    const { user, signIn, onSaved } = open();
    await signIn();
    await user.click(await screen.findByRole('button', { name: /^Save to my history/ }));
    expect((await screen.findByRole('link', { name: 'History' })).getAttribute('href')).toBe('/history');
    act(() => outboxCount.set(0));
    expect(screen.getByRole('link', { name: 'Open result' }).getAttribute('href')).toBe('/history/key');
    expect(onSaved).toHaveBeenCalledTimes(1);
  });

  it('is analysed if no result was made while it was recorded', async () => {
    keepSession({});
    const { openRecognizer } = open();
    await waitFor(() => expect(openRecognizer).toHaveBeenCalled());
  });
});

describe('A recorded session after sign-in', () => {
  const file = new File([], '2026-05-01 05-12-44.wav');
  const session = {
    ...{ id, startedAt: new Date('2026-05-01T05:12:44.120Z'), durationSeconds: 10, sizeBytes: 960_044, sampleRate: 48_000 },
    ...{ place: null, gaps: [], played: [], reviews: [], answer: null },
  };
  async function signIn(properties: { readonly isWanted: boolean; readonly speech: typeof speech }) {
    const add = vi.fn(async () => 'key');
    const page = renderPage(
      <SaveSession
        {...properties}
        session={session}
        file={file}
        prediction={fakePrediction()}
        question={question}
        onSaved={vi.fn()}
        add={add}
      />,
    );
    const stop = page.session.start();
    expect(screen.getByRole('link', { name: 'Sign in to save or correct it' })).toBeTruthy();
    const issued = { token: 'id.token', refreshToken: 'r', expiresInSeconds: 3600, localId: 'ada' };
    await act(() => page.session.signIn('a@example.org', false, async () => issued));
    stop();
    return add;
  }

  it('is saved without another press if the user signed in to save it', async () => {
    const add = await signIn({ isWanted: true, speech: [] });
    await waitFor(() => expect(add).toHaveBeenCalledTimes(1));
  });

  it('is not saved before the question about speech is answered', async () => {
    const add = await signIn({ isWanted: true, speech });
    expect(await screen.findByRole('dialog')).toBeTruthy();
    expect(add).not.toHaveBeenCalled();
  });

  it('waits for a press of Save if the user signed in for another reason', async () => {
    const add = await signIn({ isWanted: false, speech: [] });
    expect(await screen.findByRole('button', { name: /^Save/ })).toBeTruthy();
    expect(add).not.toHaveBeenCalled();
  });
});
