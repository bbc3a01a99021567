import { act, screen } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { FollowedWorker, WorkerNews } from '../../platform/service-worker/follow-worker.ts';
import { renderPage } from '../../testing/render-page.tsx';

// Work that other tests left in flight is none of these.
let PageNotices: typeof import('./page-notices.tsx').PageNotices;
let beginWork: typeof import('../../platform/work-in-flight.ts').beginWork;
beforeEach(async () => {
  vi.resetModules();
  ({ beginWork } = await import('../../platform/work-in-flight.ts'));
  ({ PageNotices } = await import('./page-notices.tsx'));
});

function madeUpWorker(news: Partial<WorkerNews>) {
  const acceptUpdate = vi.fn();
  const snapshot: WorkerNews = { updateReady: false, offlineReady: false, ...news };
  const worker: FollowedWorker = {
    snapshot: () => snapshot,
    subscribe: () => () => {},
    start: async () => {},
    acceptUpdate,
    dismiss: () => {},
  };
  return { worker, acceptUpdate };
}

describe('notices of the whole page', () => {
  it('say nothing when there is nothing to say', () => {
    renderPage(<PageNotices worker={madeUpWorker({}).worker} />);
    expect(screen.getByRole('status').textContent).toBe('');
  });

  it('offer a new version, but not while a recording is sent or listened to', async () => {
    const { worker, acceptUpdate } = madeUpWorker({ updateReady: true });
    const endWork = beginWork();
    const { user } = renderPage(<PageNotices worker={worker} />);
    expect(screen.getByRole('status').textContent).toContain('when the recording is done');
    expect(screen.queryByRole('button', { name: 'Load it now' })).toBeNull();
    act(endWork);
    await user.click(screen.getByRole('button', { name: 'Load it now' }));
    expect(acceptUpdate).toHaveBeenCalledTimes(1);
  });
});
