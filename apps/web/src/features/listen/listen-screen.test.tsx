import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { useLocation } from 'react-router';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createStore, leftSession } from '../../platform/browser/store.ts';
import type { DeviceQuestion, DeviceRecognizer } from '../../platform/on-device/device-recognizer.ts';
import { fakeListedBird, fakePrediction } from '../../testing/fake-data.ts';
import { fakeFolder } from '../../testing/fake-folder.ts';
import { answerEveryClient } from '../../testing/fake-identity-service.ts';
import { nextRequest } from '../../testing/fake-transport.ts';
import { renderPage } from '../../testing/render-page.tsx';
import { ListenScreen } from './listen-screen.tsx';
import type { LiveSession, LiveState } from './live/live-session.ts';

vi.mock('../../ui/device-model-gate.tsx', () => ({
  DeviceModelGate: ({ children }: { readonly children: unknown }) => children,
}));
vi.mock('./live/live-spectrogram.tsx', () => ({ LiveSpectrogram: () => null, Level: () => null }));

const listening: LiveState = {
  recordedSeconds: 65,
  isCatchingUp: false,
  rows: [],
  calls: [],
  isBehind: false,
  isStalled: false,
  levelFault: null,
  failure: null,
  playing: null,
  reviews: [],
  missing: [],
  hasFailed: false,
  isFull: false,
};
const row = {
  scientificName: 'Phylloscopus collybita',
  commonName: 'Common Chiffchaff',
  confidence: 0.95,
  confidenceWord: 'veryLikely' as const,
  occurrence: 'seldomReported' as const,
  firstSeconds: 55,
  lastSeconds: 58,
  best: { startSeconds: 55, endSeconds: 58 },
  regions: [],
  times: 1,
  heardAt: 9,
};
answerEveryClient();

const sessionId = '20260501T051244120Z';
const sheet = () => within(screen.getByRole('dialog', { name: row.commonName }));
const recognizer = {} as DeviceRecognizer;

function fakeSession(part: Partial<LiveState> = {}) {
  const store = createStore<LiveState>({ ...listening, ...part });
  const session: LiveSession = {
    ...store,
    microphone: {
      settings: { alterations: ['autoGainControl'], lowerSampleRate: 16_000 },
    } as unknown as LiveSession['microphone'],
    peak: () => 0.1,
    onSound: () => () => {},
    ask: vi.fn(),
    play: vi.fn(async () => {}),
    hush: vi.fn(),
    review: vi.fn(),
    moment: vi.fn(async () => null),
    stop: vi.fn(async () => ({
      answer: { prediction: fakePrediction(), reconsider: async () => fakePrediction(), speech: [] },
      sessionId,
    })),
  };
  return { ...store, session };
}

const somewhere = {
  place: { latitude: 50.8, longitude: 12.9 },
  placeSource: 'stated',
  timeZone: null,
  date: '2026-05-01',
} as const;

/** The session that is shown again after a reload. */
const Remembered = () => <output aria-label="Remembered">{useLocation().state?.ended}</output>;
const remembered = () => screen.getByRole('status', { name: 'Remembered' }).textContent;

/** @param ended the session that was shown before a reload */
function open(start: (question: DeviceQuestion) => Promise<LiveSession>, ended?: string) {
  const { user, session } = renderPage(
    <>
      <Remembered />
      <ListenScreen
        AboutBird={({ bird, moment }) => (
          <p>
            About {bird.commonName} {moment === null ? 'without sound' : 'with sound'}
            {/* biome-ignore lint/a11y/useMediaCaption: it plays nothing */}
            <audio aria-label="Song" />
          </p>
        )}
        AnswerStage={({ prediction, recording }) => (
          <p>
            {prediction.verdict.sentence} {recording === null ? 'without sound' : 'with sound'}
          </p>
        )}
        PlaceSetting={({ onChange }) => (
          <button type="button" onClick={() => onChange(somewhere, { kind: 'place', latitude: 50.8, longitude: 12.9, name: '' })}>
            Here
          </button>
        )}
        start={(_, question) => start(question)}
        openRecognizer={async () => recognizer}
      />
    </>,
    { at: { pathname: '/listen', state: ended === undefined ? null : { ended } } },
  );
  const press = async (name: string) => {
    await user.click(await screen.findByRole('button', { name }));
    await waitFor(() => expect(document.querySelector('.awaited')).toBeNull());
  };
  const closeSheet = () => user.click(sheet().getByRole('button', { name: 'Close' }));
  return { user, session, press, closeSheet };
}

beforeEach(() => {
  vi.stubGlobal('isSecureContext', true);
  vi.stubGlobal('AudioWorkletNode', class {});
  Object.defineProperty(navigator, 'mediaDevices', { value: {}, configurable: true });
  Object.defineProperty(navigator, 'locks', { value: {}, configurable: true });
});

describe('The screen of live listening', () => {
  it('says that it needs https, and leads to uploading', () => {
    vi.stubGlobal('isSecureContext', false);
    open(async () => fakeSession().session);
    expect(screen.getByRole('alert').textContent).toContain('Listening here needs an https address');
    expect(screen.getByRole('link', { name: 'Upload a recording instead' }).getAttribute('href')).toBe('/process');
    expect(screen.queryByRole('button', { name: 'Start listening' })).toBeNull();
  });

  it('says that a browser without a microphone cannot listen', () => {
    Reflect.deleteProperty(navigator, 'mediaDevices');
    open(async () => fakeSession().session);
    expect(screen.getByRole('alert').textContent).toContain('This browser can’t listen');
  });

  it.each([
    ['NotAllowedError', 'This page isn’t allowed to use the microphone'],
    ['NotFoundError', 'No microphone was found'],
    ['NotReadableError', 'The microphone can’t be used right now'],
    ['UnknownError', 'Listening couldn’t start'],
  ])('says why the microphone does not open (%s), and lets the user try again', async (name, sentence) => {
    const start = vi.fn().mockRejectedValueOnce(new DOMException('no', name)).mockResolvedValue(fakeSession().session);
    const { press } = open(start);
    await press('Start listening');
    expect((await screen.findByRole('alert')).textContent).toContain(sentence);
    await press('Try again');
    expect(await screen.findByRole('heading', { name: 'Listening' })).toBeTruthy();
  });

  it('starts with the chosen place, recomputes for another place chosen later, and shows the birds heard', async () => {
    const { session, set } = fakeSession({ rows: [row] });
    const start = vi.fn(async (_: DeviceQuestion) => session);
    const { press } = open(start);
    await press('Here');
    await press('Start listening');
    await screen.findByRole('heading', { name: 'Listening' });
    expect(start.mock.calls[0]?.[0]).toMatchObject({ place: { latitude: 50.8 }, date: '2026-05-01' });
    const told = screen.getByRole('listitem').textContent;
    expect(told).toContain('Common Chiffchaff');
    expect(told).toContain('Very likely · seldom reported here');
    expect(told).toContain('0:07 ago');
    expect(screen.getByText('0 singing · 1 so far')).toBeTruthy();
    expect(screen.getByText('New: Common Chiffchaff, very likely')).toBeTruthy();
    expect(screen.getByText(/automatic volume control/).textContent).toContain('16 kHz');
    await press('Here');
    expect(session.ask).toHaveBeenCalledWith(expect.objectContaining({ place: somewhere.place }), expect.anything());
    set({ ...listening, rows: [row], isStalled: true });
    expect(await screen.findByText(/The microphone has gone silent/)).toBeTruthy();
  });

  it('tells screen readers once of each bird that is new, surer or only perhaps heard, with its word', async () => {
    const { session, set } = fakeSession();
    const { press } = open(async () => session);
    await press('Start listening');
    const log = await screen.findByRole('log');
    const announced: string[] = [];
    // Screen readers read what is added to a log, and words in it that change.
    new MutationObserver((changes) => {
      for (const { type, addedNodes, target } of changes)
        announced.push(...(type === 'childList' ? [...addedNodes] : [target]).map(({ textContent }) => textContent ?? ''));
    }).observe(log, { subtree: true, childList: true, characterData: true });
    const tell = async (...rows: LiveState['rows']) => {
      announced.length = 0;
      await act(async () => set({ ...listening, rows }));
      return [...announced];
    };
    const said = (confidenceWord: LiveState['rows'][number]['confidenceWord']) => ({ ...row, confidenceWord });
    const blackbird = { scientificName: 'Turdus merula', commonName: 'Eurasian Blackbird' };
    expect(await tell(said(null))).toEqual([]);
    expect(await tell(said('perhaps'))).toEqual(['New: Common Chiffchaff, perhaps']);
    expect(await tell({ ...said('notSure'), ...blackbird }, said('likely'))).toEqual([
      'Perhaps also: Eurasian Blackbird',
      'Common Chiffchaff: now likely',
    ]);
    expect(await tell(said('veryLikely'))).toEqual([]);
    expect(await tell({ ...said('likely'), ...blackbird }, said('notSure'))).toEqual([
      'New: Eurasian Blackbird, likely',
      'Perhaps also: Common Chiffchaff',
    ]);
    expect(await tell({ ...said('notSure'), ...blackbird }, said('likely'))).toEqual([]);
    expect(await tell()).toEqual([]);
    expect(await tell({ ...said('perhaps'), ...blackbird }, said('notSure'))).toEqual([]);
  });

  it('says to screen readers once that the recogniser is ready', async () => {
    const { session, set } = fakeSession({ isCatchingUp: true });
    const { press } = open(async () => session);
    await press('Start listening');
    await screen.findByText(/^The recogniser is still loading/);
    expect(screen.queryByText('Ready, listening.')).toBeNull();
    act(() => set(listening));
    const ready = screen.getByText('Ready, listening.');
    expect(ready.getAttribute('role')).toBe('status');
    act(() => set({ ...listening, isStalled: true }));
    act(() => set(listening));
    expect(screen.getByText('Ready, listening.')).toBe(ready);
  });

  it('says that it is not sure of any bird yet, not that there is none, while all birds listed are only “not sure”', async () => {
    const { session, set } = fakeSession();
    const { press } = open(async () => session);
    await press('Start listening');
    await screen.findByText(/^No bird yet/);
    act(() => set({ ...listening, rows: [{ ...row, confidenceWord: 'notSure' }] }));
    expect(screen.getByText('Not sure of any bird yet.')).toBeTruthy();
    expect(screen.queryByText(/^No bird yet/)).toBeNull();
    expect(screen.getByText('Perhaps also · 1')).toBeTruthy();
  });

  it('opens a sheet about a bird, with its best moment and a link to its page in a new tab, while listening goes on', async () => {
    const { session } = fakeSession({ rows: [row] });
    vi.mocked(session.moment).mockResolvedValue(new File([], 'moment.wav'));
    const { press, user, closeSheet } = open(async () => session);
    await press('Start listening');
    await user.click(await screen.findByRole('button', { name: /^Common Chiffchaff/ }));
    await sheet().findByText('About Common Chiffchaff with sound');
    expect(session.moment).toHaveBeenCalledExactlyOnceWith(row.best);
    const { href, target } = sheet().getByRole<HTMLAnchorElement>('link', { name: 'More, in a new tab' });
    expect([new URL(href).pathname, target]).toEqual(['/birds/Phylloscopus_collybita', '_blank']);
    await closeSheet();
    expect(screen.queryByRole('dialog', { name: row.commonName })).toBeNull();
    expect(session.stop).not.toHaveBeenCalled();
  });

  it('shows that a bird is new for the life list of the account instead of its time, once the bird has a word', async () => {
    const others = ['Turdus merula', 'Apus apus', 'Pica pica'].map((scientificName) => ({
      ...{ ...row, scientificName, commonName: scientificName },
      confidenceWord: scientificName === 'Apus apus' ? null : row.confidenceWord,
    }));
    const { session } = fakeSession({ rows: [row, ...others] });
    const page = open(async () => session);
    const issued = { token: 'id.token', refreshToken: 'r', expiresInSeconds: 3600, localId: 'ada' };
    await act(() => page.session.signIn('a@example.org', false, async () => issued));
    await page.press('Start listening');
    await screen.findByRole('heading', { name: 'Listening' });
    expect(screen.queryByText('New for your list')).toBeNull();
    const species = [
      fakeListedBird({ scientificName: 'Turdus merula' }),
      fakeListedBird({ scientificName: 'Pica pica', isConfirmed: false }),
    ];
    const asked = await nextRequest();
    expect(asked.url).toContain('/v1/life-list');
    act(() => asked.answer(200, { species, imported: 0 }));
    await screen.findAllByText('New for your list');
    const times = screen.getAllByRole('listitem').map(({ textContent }) => textContent.match(/New for your list|0:07 ago/g));
    expect(times).toEqual([['New for your list'], ['0:07 ago'], ['0:07 ago'], ['New for your list']]);
  });

  it('pauses recognition while the sheet of a bird plays a sound, until the sound ends or the sheet is closed', async () => {
    const { session } = fakeSession({ rows: [row] });
    const { press, user, closeSheet } = open(async () => session);
    await press('Start listening');
    await user.click(await screen.findByRole('button', { name: /^Common Chiffchaff/ }));
    const song = await screen.findByLabelText<HTMLAudioElement>('Song');
    Object.defineProperty(song, 'paused', { value: false, configurable: true });
    fireEvent.play(song);
    expect(session.hush).toHaveBeenLastCalledWith(true);
    Reflect.deleteProperty(song, 'paused');
    fireEvent.pause(song);
    expect(session.hush).toHaveBeenLastCalledWith(false);
    fireEvent.play(song);
    vi.mocked(session.hush).mockClear();
    await closeSheet();
    expect(session.hush).toHaveBeenCalledExactlyOnceWith(false);
  });

  it('marks a bird that the user confirms, and no longer lists a bird that the user rejects', async () => {
    const { session, set } = fakeSession({ rows: [row] });
    const said = { ...row, to: null, toCommonName: null, at: '2026-05-01T05:12:44.120Z' };
    vi.mocked(session.review).mockImplementation((_, verdict) =>
      set({ ...listening, rows: [row], reviews: [{ ...said, verdict }] }),
    );
    const { press, user, closeSheet } = open(async () => session);
    await press('Start listening');
    await user.click(await screen.findByRole('button', { name: /^Common Chiffchaff/ }));
    await press('Yes, that was it');
    expect(sheet().getByRole('button', { name: 'Yes, that was it', pressed: true })).toBeTruthy();
    expect(screen.getByRole('img', { name: 'Confirmed by you', hidden: true })).toBeTruthy();
    await press('No');
    expect(session.review).toHaveBeenLastCalledWith(row, 'rejected');
    await closeSheet();
    expect(screen.queryByRole('listitem')).toBeNull();
    expect(screen.getByText(/^No bird yet/)).toBeTruthy();
  });

  it('shows the result at the end, without audio if none was kept', async () => {
    const { session } = fakeSession();
    const { press } = open(async () => session);
    await press('Start listening');
    await screen.findByRole('heading', { name: 'Listening' });
    await press('Stop');
    expect(await screen.findByText('Very likely a Common Chiffchaff. without sound')).toBeTruthy();
    expect(screen.getByText('No sound was kept, so there is nothing to play.')).toBeTruthy();
  });

  it('shows the same result after a reload, until the user listens again', async () => {
    const { press } = open(async () => fakeSession().session);
    await press('Start listening');
    await screen.findByRole('heading', { name: 'Listening' });
    await press('Stop');
    await waitFor(() => expect(remembered()).toBe(sessionId));
    cleanup();
    const notes = { answer: { prediction: fakePrediction(), speech: [] } };
    const files = { 'sound.wav': new Blob([new Uint8Array(960_044)]), 'notes.json': new Blob([JSON.stringify(notes)]) };
    const root = fakeFolder({ recordings: { [sessionId]: files } });
    Object.defineProperty(navigator, 'storage', { value: { getDirectory: async () => root.handle }, configurable: true });
    const page = open(async () => fakeSession().session, sessionId);
    expect(await screen.findByText('Very likely a Common Chiffchaff. with sound')).toBeTruthy();
    expect(remembered()).toBe(sessionId);
    await page.press('Discard');
    await page.press('Yes, discard');
    await waitFor(() => expect(remembered()).toBe(''));
    Reflect.deleteProperty(navigator, 'storage');
  });

  it('does not show a session of another account after a reload', async () => {
    open(async () => fakeSession().session, `${sessionId}@ada`);
    expect(await screen.findByRole('button', { name: 'Start listening' })).toBeTruthy();
    expect(remembered()).toBe('');
  });

  it('stops the recording when the user leaves it, and lets the page say where it is, if it is stored', async () => {
    for (const failure of ['refused', null] as const) {
      const { session } = fakeSession({ failure });
      const { press } = open(async () => session);
      await press('Start listening');
      await screen.findByRole('heading', { name: 'Listening' });
      expect(leftSession.snapshot()).toBeNull();
      cleanup();
      await waitFor(() => expect(session.stop).toHaveBeenCalled());
      await waitFor(() => expect(leftSession.snapshot()).toBe(failure === null ? sessionId : null));
    }
    leftSession.set(null);
  });
});
