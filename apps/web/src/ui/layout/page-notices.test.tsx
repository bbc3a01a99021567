import { act, fireEvent, screen } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Connection } from '../../platform/browser/connection.ts';
import type { FollowedWorker, WorkerNews } from '../../platform/service-worker/follow-worker.ts';
import { renderPage } from '../../testing/render-page.tsx';

// Work that other tests left in flight is none of these.
let PageNotices: typeof import('./page-notices.tsx').PageNotices;
let ConnectionProvider: typeof import('../../platform/browser/connection.ts').ConnectionProvider;
let workInFlight: typeof import('../../platform/browser/work-in-flight.ts').workInFlight;
beforeEach(async () => {
  vi.resetModules();
  ({ workInFlight } = await import('../../platform/browser/work-in-flight.ts'));
  ({ ConnectionProvider } = await import('../../platform/browser/connection.ts'));
  ({ PageNotices } = await import('./page-notices.tsx'));
});

/** Something that parts of the page subscribe to, as a test changes it. */
function fakeState<State>(first: State) {
  let state = first;
  const listeners = new Set<() => void>();
  return {
    snapshot: () => state,
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    become(next: State) {
      state = next;
      act(() => {
        for (const listener of listeners) listener();
      });
    },
  };
}
const nothing: WorkerNews = { updateReady: false, offlineReady: false };

function open(first: WorkerNews = nothing) {
  const news = fakeState(first);
  const online = fakeState(true);
  const acceptUpdate = vi.fn();
  const worker: FollowedWorker = { ...news, start: async () => {}, acceptUpdate, dismiss: () => news.become(nothing) };
  const connection: Connection = { ...online, check: () => {} };
  const { user } = renderPage(
    <ConnectionProvider value={connection}>
      <PageNotices worker={worker} />
    </ConnectionProvider>,
  );
  return { user, news, online, acceptUpdate };
}
const told = () => screen.getByRole('status').textContent;
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const lost = 'No connection to the server.';

describe('notices of the whole page', () => {
  it('say nothing when there is nothing to say', () => {
    open();
    expect(told()).toBe('');
  });

  it('offer a new version, but not while a recording is sent or listened to', async () => {
    workInFlight.set(true);
    const { user, acceptUpdate } = open({ updateReady: true, offlineReady: false });
    expect(told()).toContain('when the recording is done');
    expect(screen.queryByRole('button', { name: 'Load it now' })).toBeNull();
    act(() => workInFlight.set(false));
    await user.click(screen.getByRole('button', { name: 'Load it now' }));
    expect(acceptUpdate).toHaveBeenCalledTimes(1);
  });

  it('tell of a lost connection once, and go by themselves', async () => {
    vi.useFakeTimers();
    const { online } = open();
    online.become(false);
    expect(told()).toBe(lost);
    await pass(3999);
    expect(told()).toBe(lost);
    await pass(1);
    expect(told()).toBe('');
    await pass(60_000);
    expect(told()).toBe('');
    online.become(true);
    expect(told()).toBe('Connected again.');
    await pass(4000);
    expect(told()).toBe('');
  });

  it('are one at a time, the newest: none is left that is no longer true', async () => {
    vi.useFakeTimers();
    const { online, news } = open();
    news.become({ updateReady: false, offlineReady: true });
    expect(told()).toBe('This page now opens without a connection.');
    await pass(3000);
    online.become(false);
    expect(told()).toBe(lost);
    await pass(3000);
    online.become(true);
    expect(told()).toBe('Connected again.');
    news.become({ updateReady: true, offlineReady: false });
    expect(told()).toBe('Connected again.');
    await pass(4000);
    expect(told()).toBe('A new version of this page is ready.Load it now');
    await pass(60_000);
    expect(told()).toContain('A new version');
    online.become(false);
    expect(told()).toBe(lost);
    await pass(4000);
    expect(told()).toContain('A new version');
    fireEvent.click(screen.getByRole('button', { name: 'Close' }));
    expect(told()).toBe('');
  });

  it('stay while somebody points at them or is in them', async () => {
    vi.useFakeTimers();
    const { online } = open();
    online.become(false);
    const notice = screen.getByText(/No connection/);
    fireEvent.pointerEnter(notice.parentElement as HTMLElement);
    await pass(60_000);
    act(() => screen.getByRole('button', { name: 'Close' }).focus());
    fireEvent.pointerLeave(notice.parentElement as HTMLElement);
    await pass(60_000);
    expect(told()).toBe(lost);
    act(() => screen.getByRole('button', { name: 'Close' }).blur());
    await pass(3999);
    expect(told()).toBe(lost);
    await pass(1);
    expect(told()).toBe('');
  });
});
