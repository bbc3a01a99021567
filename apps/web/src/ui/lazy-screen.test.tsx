import { screen, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { takeConsoleErrors } from '../testing/expected-console.ts';
import { renderPage } from '../testing/render-page.tsx';
import { lazyScreen } from './lazy-screen.tsx';

const Screen = () => <h1>Here</h1>;

describe('A lazily loaded screen', () => {
  it('is loaded once and shown', async () => {
    const fetchScreen = vi.fn(async () => ({ a: Screen }));
    const Lazy = lazyScreen('a', fetchScreen);
    const view = renderPage(<Lazy />);
    expect(screen.getByRole('status').textContent).toBe('Loading…');
    expect(await screen.findByRole('heading', { name: 'Here' })).toBeTruthy();
    await view.queries.ensureQueryData(Lazy.query);
    expect(fetchScreen).toHaveBeenCalledTimes(1);
  });

  it('is shown at once if it was loaded before', async () => {
    const Lazy = lazyScreen('b', async () => ({ b: Screen }));
    renderPage(<Lazy />, { before: (queries) => queries.setQueryData(Lazy.query.queryKey, { module: Screen }) });
    expect(screen.getByRole('heading', { name: 'Here' })).toBeTruthy();
  });

  it('logs a failure and offers to try again', async () => {
    const failure = new Error('no connection');
    const fetchScreen = vi.fn(async () => ({ c: Screen }));
    fetchScreen.mockRejectedValueOnce(failure);
    const Lazy = lazyScreen('c', fetchScreen);
    const { user } = renderPage(<Lazy />);
    const alert = await screen.findByRole('alert');
    expect(within(alert).getByRole('heading', { level: 1 }).textContent).toBe('This page didn’t load');
    expect(within(alert).getAllByRole('button')).toHaveLength(1);
    // Drawn by the page itself, and not for screen readers.
    expect(alert.querySelectorAll('img, image, use')).toHaveLength(0);
    for (const drawing of alert.querySelectorAll('svg')) expect(drawing.closest('[aria-hidden="true"]')).not.toBeNull();
    expect(alert.querySelectorAll('svg path')).toHaveLength(3);
    expect(takeConsoleErrors()).toEqual([['The screen c could not be loaded', failure]]);
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByRole('heading', { name: 'Here' })).toBeTruthy();
  });
});
