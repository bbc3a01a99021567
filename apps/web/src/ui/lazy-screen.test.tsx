import { act, screen } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { takeConsoleErrors } from '../testing/expected-console.ts';
import { renderPage } from '../testing/render-page.tsx';
import { createScreenLoader, LazyScreen } from './lazy-screen.tsx';

const Screen = () => <h1>Here</h1>;

describe('a lazily loaded screen', () => {
  it('is fetched once and shown', async () => {
    const fetchScreen = vi.fn(async () => Screen);
    const loader = createScreenLoader(fetchScreen);
    const first = renderPage(<LazyScreen loader={loader} />);
    expect(screen.getByRole('status').textContent).toBe('Loading …');
    expect(await screen.findByRole('heading', { name: 'Here' })).toBeTruthy();
    first.unmount();
    renderPage(<LazyScreen loader={loader} />);
    expect(screen.getByRole('heading', { name: 'Here' })).toBeTruthy();
    expect(fetchScreen).toHaveBeenCalledTimes(1);
  });

  it('logs a failure and offers to try again', async () => {
    const failure = new Error('no connection');
    const fetchScreen = vi.fn(async () => Screen);
    fetchScreen.mockRejectedValueOnce(failure);
    const { user } = renderPage(<LazyScreen loader={createScreenLoader(fetchScreen)} />);
    expect((await screen.findByRole('alert')).textContent).toContain('This screen did not load');
    expect(takeConsoleErrors()).toEqual([['A screen could not be loaded', failure]]);
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByRole('heading', { name: 'Here' })).toBeTruthy();
  });

  it('is given up after 120,000 ms', async () => {
    vi.useFakeTimers();
    renderPage(<LazyScreen loader={createScreenLoader(() => new Promise<typeof Screen>(() => {}))} />);
    await act(() => vi.advanceTimersByTimeAsync(119_999));
    expect(screen.queryByRole('alert')).toBeNull();
    await act(() => vi.advanceTimersByTimeAsync(1));
    expect(screen.getByRole('alert')).toBeTruthy();
    expect(String(takeConsoleErrors()[0]?.[1])).toContain('120000 ms');
  });
});
