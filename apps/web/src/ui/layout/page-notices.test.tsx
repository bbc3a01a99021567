import { act, fireEvent, screen } from '@testing-library/react';
import type { ReactNode } from 'react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type Connection, ConnectionProvider } from '../../platform/browser/connection.ts';
import { createStore, leftSession, workInFlight } from '../../platform/browser/store.ts';
import type { FollowedWorker, WorkerNews } from '../../platform/service-worker/follow-worker.ts';
import { renderPage } from '../../testing/render-page.tsx';
import { PageNotices } from './page-notices.tsx';

// Without what other tests left.
beforeEach(() => {
  workInFlight.set(false);
  leftSession.set(null);
});

/** A state that parts of the page subscribe to and a test changes. */
function fakeState<State>(first: State) {
  const { set, ...state } = createStore(first);
  return { ...state, become: (next: State) => act(() => set(next)) };
}
const nothing: WorkerNews = { updateReady: false, offlineReady: false };

function open(first: WorkerNews = nothing, standing: ReactNode = null, undo: ReactNode = null) {
  const news = fakeState(first);
  const online = fakeState(true);
  const acceptUpdate = vi.fn();
  const worker: FollowedWorker = { ...news, start: async () => {}, acceptUpdate, dismiss: () => news.become(nothing) };
  const connection: Connection = { ...online, check: () => {} };
  const { user } = renderPage(
    <ConnectionProvider value={connection}>
      <PageNotices worker={worker} standing={standing} undo={undo} />
    </ConnectionProvider>,
  );
  return { user, news, online, acceptUpdate };
}
/** What the two edges of the window say. */
const told = () =>
  screen
    .getAllByRole('status')
    .map(({ textContent }) => textContent)
    .join('');
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const lost = 'Trying to reconnect…';

describe('Notices of the whole page', () => {
  it('are not shown if there is nothing to say', () => {
    open();
    expect(told()).toBe('');
  });

  it('offer a new version, but not while a recording is being sent or analysed', async () => {
    workInFlight.set(true);
    const { user, acceptUpdate } = open({ updateReady: true, offlineReady: false });
    expect(told()).toContain('when your recording is done');
    expect(screen.queryByRole('button', { name: 'Update now' })).toBeNull();
    act(() => workInFlight.set(false));
    await user.click(screen.getByRole('button', { name: 'Update now' }));
    expect(acceptUpdate).toHaveBeenCalledTimes(1);
  });

  it('report a lost connection until it is back, and then disappear', async () => {
    vi.useFakeTimers();
    const { online } = open();
    online.become(false);
    expect(told()).toBe(lost);
    await pass(60_000);
    expect(told()).toBe(lost);
    online.become(true);
    expect(told()).toBe('Reconnected.');
    await pass(3999);
    expect(told()).toBe('Reconnected.');
    await pass(1);
    expect(told()).toBe('');
  });

  it('are shown one at a time, the newest first, and disappear when their cause is over', async () => {
    vi.useFakeTimers();
    const { online, news } = open();
    news.become({ updateReady: false, offlineReady: true });
    expect(told()).toBe('Chiffchaff now opens offline, too.');
    await pass(3000);
    online.become(false);
    expect(told()).toBe(lost);
    await pass(3000);
    online.become(true);
    expect(told()).toBe('Reconnected.');
    news.become({ updateReady: true, offlineReady: false });
    expect(told()).toBe('Reconnected.');
    await pass(4000);
    expect(told()).toBe('A new version of Chiffchaff is available.Update now');
    await pass(60_000);
    expect(told()).toContain('A new version');
    fireEvent.click(screen.getByRole('button', { name: 'Close' }));
    expect(told()).toBe('');
  });

  it('lead to a recorded session that ended because its screen was left, unless it is of another account', async () => {
    const { user, news } = open({ updateReady: true, offlineReady: false });
    act(() => leftSession.set('20260501T051244120Z@ada'));
    expect(told()).toContain('A new version');
    act(() => leftSession.set('20260501T051244120Z'));
    expect(told()).toBe('Listening has stopped. The recording is on this device.Show what was heard');
    const link = screen.getByRole('link', { name: 'Show what was heard' });
    expect(link.getAttribute('href')).toBe('/listen');
    await user.click(link);
    expect([told(), leftSession.snapshot()]).toEqual(['A new version of Chiffchaff is available.Update now', null]);
    news.become(nothing);
  });

  it('do not hide the notice of a screen, and offer no new version beside it', () => {
    const { online, news } = open(nothing, <p>You were signed out.</p>);
    const isSeen = () => screen.getByText('You were signed out.').closest('[hidden]') === null;
    expect(isSeen()).toBe(true);
    news.become({ updateReady: true, offlineReady: false });
    expect([told(), isSeen()]).toEqual(['', true]);
    online.become(false);
    expect([told(), isSeen()]).toEqual([lost, true]);
  });

  it('are shown above the offer to undo, and never hide it', () => {
    const { news } = open(nothing, null, <button type="button">Undo</button>);
    news.become({ updateReady: true, offlineReady: false });
    const offer = screen.getByText('A new version of Chiffchaff is available.');
    const undo = screen.getByRole('button', { name: 'Undo' });
    expect(offer.compareDocumentPosition(undo) & Node.DOCUMENT_POSITION_FOLLOWING).not.toBe(0);
  });

  it('stay while the pointer or the focus is on them', async () => {
    vi.useFakeTimers();
    const { online } = open();
    online.become(false);
    online.become(true);
    const notice = screen.getByText('Reconnected.');
    fireEvent.pointerEnter(notice.parentElement as HTMLElement);
    await pass(60_000);
    act(() => screen.getByRole('button', { name: 'Close' }).focus());
    fireEvent.pointerLeave(notice.parentElement as HTMLElement);
    await pass(60_000);
    expect(told()).toBe('Reconnected.');
    act(() => screen.getByRole('button', { name: 'Close' }).blur());
    await pass(3999);
    expect(told()).toBe('Reconnected.');
    await pass(1);
    expect(told()).toBe('');
  });
});
