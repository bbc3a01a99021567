import { render, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import type { Mark } from './marks/mark.ts';
import { createPlayback, type Playback } from './sound/playback.ts';
import { TimelinePlot } from './timeline-plot.tsx';
import { createViewport } from './view/viewport.ts';

vi.mock('./spectrogram/spectrogram-canvas.tsx', () => ({ SpectrogramCanvas: () => null }));

const mark = (lane: string, startSeconds: number): Mark => ({
  ...{ id: `${lane}@${startSeconds}`, lane, label: lane, language: undefined, review: undefined, description: '' },
  ...{ startSeconds, endSeconds: startSeconds + 10, confidence: 0.9, isFaint: false, isNamed: true, aside: null },
});
const marks = [mark('Robin', 60), mark('Wren', 30), mark('Robin', 10)];
const view = { startSeconds: 0, endSeconds: 100 };

const plotOf = (shownMarks: readonly Mark[], playback: Playback | null = null) => (
  <TimelinePlot
    {...{ marks, view, shownMarks, durationSeconds: 100, soundingIds: [], maxHz: 12_000, notKept: [], playback }}
    spectrogram={{ kind: 'decoding' }}
    viewport={createViewport(view)}
    onSeek={() => {}}
  />
);

it('The timeline fades everything outside the detections of a bird while one of them is pointed at', () => {
  const faded = () =>
    screen.queryAllByTestId('faded').map(({ style }) => [Number.parseFloat(style.left), Number.parseFloat(style.width)]);
  const { rerender } = render(plotOf([]));
  expect(faded()).toEqual([]);
  rerender(plotOf(marks.slice(0, 1)));
  expect(faded()).toEqual([
    [0, 10],
    [20, 40],
    [70, 30],
  ]);
});

it('The slider of the timeline gives its position where the sound starts and stops, and not in between', () => {
  const audio = document.createElement('audio');
  Object.defineProperty(audio, 'currentTime', { value: 0, writable: true });
  render(plotOf([], createPlayback(audio)));
  const position = () => ['aria-valuenow', 'aria-valuetext'].map((name) => screen.getByRole('slider').getAttribute(name));
  const happen = (event: string, seconds: number) => {
    audio.currentTime = seconds;
    audio.dispatchEvent(new Event(event));
  };
  expect(position()).toEqual(['0.0', '0:00.0 of 1:40.0']);
  happen('play', 0);
  happen('seeked', 1);
  expect(position()).toEqual(['0.0', '0:00.0 of 1:40.0']);
  happen('pause', 2.299999952316284);
  expect(position()).toEqual(['2.3', '0:02.3 of 1:40.0']);
});

it('The timeline leaves out a frequency where a phone has the name of a bird', () => {
  vi.stubGlobal(
    'ResizeObserver',
    class {
      readonly #tell: (entries: unknown[]) => void;
      constructor(tell: (entries: unknown[]) => void) {
        this.#tell = tell;
      }
      observe = () => this.#tell([{ contentRect: { width: 390, height: 152 } }]);
      disconnect() {}
    },
  );
  const matchMedia = vi.spyOn(window, 'matchMedia');
  const frequencies = (isPhone: boolean, ...starts: number[]) => {
    matchMedia.mockReturnValue({
      matches: !isPhone,
      addEventListener() {},
      removeEventListener() {},
    } as unknown as MediaQueryList);
    const { unmount } = render(
      <TimelinePlot
        {...{ marks: starts.map((start) => mark(`Bird ${start}`, start)), view, shownMarks: [], durationSeconds: 100 }}
        {...{ soundingIds: [], maxHz: 12_000, notKept: [], playback: null, onSeek: () => {} }}
        spectrogram={{ kind: 'ready', source: {} as never }}
        viewport={createViewport(view)}
      />,
    );
    const shown = screen.getAllByText(/^\d+( kHz)?$/).flatMap(({ hidden, textContent }) => (hidden ? [] : [textContent]));
    unmount();
    return shown;
  };
  expect(frequencies(true, 30)).toEqual(['3', '6', '9', '12 kHz']);
  expect(frequencies(true, 5)).toEqual(['3', '6', '9']);
  expect(frequencies(true, 5, 6)).toEqual(['3', '6']);
  expect(frequencies(false, 5)).toEqual(['3', '6', '9', '12 kHz']);
});
