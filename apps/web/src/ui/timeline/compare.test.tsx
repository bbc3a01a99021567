import { act, screen } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { createStore } from '../../platform/browser/store.ts';
import { renderPage } from '../../testing/render-page.tsx';
import { type Clip, Compare } from './compare.tsx';
import type { Playback, PlaybackStatus } from './sound/playback.ts';

/** A clip whose playback a test moves. */
function fakeClip(title: string, startSeconds: number, endSeconds: number) {
  const status = createStore<PlaybackStatus>('paused');
  let at = 0;
  const tell = (next: PlaybackStatus) => act(() => status.set(next));
  const playback: Pick<Playback, 'status' | 'onPosition' | 'positionSeconds' | 'playPassage' | 'toggle'> = {
    status,
    onPosition: () => () => {},
    positionSeconds: () => at,
    playPassage: vi.fn(() => status.set('playing')),
    toggle: () => status.set('paused'),
  };
  const sound = { spectrogram: { kind: 'noSound' }, playback: playback as Playback, durationSeconds: 60 } as const;
  const clip: Clip = { title, sound, passage: { startSeconds, endSeconds } };
  const stopAt = (seconds: number) => {
    at = seconds;
    tell('paused');
  };
  return { clip, playback, stopAt };
}

function show() {
  const [one, other] = [fakeClip('This recording', 10, 16), fakeClip('The other', 2, 5)];
  const { user } = renderPage(<Compare name="Wren" clips={[one.clip, other.clip]} />);
  return { one, other, press: (name: string) => user.click(screen.getByRole('button', { name })) };
}

it('A single clip of a bird is played, with nothing to compare', async () => {
  const { clip, playback, stopAt } = fakeClip('This recording', 10, 16);
  const { user } = renderPage(<Compare name="Wren" clips={[clip]} />);
  await user.click(screen.getByRole('button', { name: 'Play' }));
  expect(playback.playPassage).toHaveBeenCalledExactlyOnceWith(10, 16);
  stopAt(16);
  expect(screen.getByRole('button', { name: 'Play' })).toBeTruthy();
});

describe('Two clips of a bird to compare', () => {
  it('play one after the other, and can then be played again', async () => {
    const { one, other, press } = show();
    await press('Play in turn');
    expect(one.playback.playPassage).toHaveBeenCalledExactlyOnceWith(10, 16);
    expect(other.playback.playPassage).not.toHaveBeenCalled();
    one.stopAt(16);
    expect(other.playback.playPassage).toHaveBeenCalledExactlyOnceWith(2, 5);
    expect(screen.getByRole('button', { name: 'Stop' })).toBeTruthy();
    other.stopAt(4.9);
    expect(screen.getByRole('button', { name: 'Play in turn' })).toBeTruthy();
    expect(one.playback.playPassage).toHaveBeenCalledTimes(1);
  });

  it('do not go on to the second clip when the first is stopped before its end', async () => {
    const { other, press } = show();
    await press('Play in turn');
    await press('Stop');
    expect(screen.getByRole('button', { name: 'Play in turn' })).toBeTruthy();
    expect(other.playback.playPassage).not.toHaveBeenCalled();
  });

  it('are drawn on one scale: half as long, half as wide', () => {
    show();
    const widths = [...document.querySelectorAll('canvas')].map((canvas) => canvas.parentElement?.parentElement?.style.width);
    expect(widths).toEqual(['100%', '50%']);
  });
});
