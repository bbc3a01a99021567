import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { Mark } from './marks/mark.ts';
import { TimelinePlot } from './timeline-plot.tsx';
import { createViewport } from './view/viewport.ts';

const mark = (lane: string, startSeconds: number): Mark => ({
  ...{ id: `${lane}@${startSeconds}`, lane, label: lane, language: undefined, review: undefined, description: '' },
  ...{ startSeconds, endSeconds: startSeconds + 10, confidence: 0.9, isFaint: false, isNamed: true, aside: null },
});
const marks = [mark('Robin', 60), mark('Wren', 30), mark('Robin', 10)];
const view = { startSeconds: 0, endSeconds: 100 };

it('The timeline fades everything outside the detections of a bird while one of them is pointed at', () => {
  const plot = (shownMarks: readonly Mark[]) => (
    <TimelinePlot
      {...{ marks, view, shownMarks, durationSeconds: 100, soundingIds: [], maxHz: 12_000, notKept: [], playback: null }}
      spectrogram={{ kind: 'decoding' }}
      viewport={createViewport(view)}
      onSeek={() => {}}
    />
  );
  const faded = () =>
    screen.queryAllByTestId('faded').map(({ style }) => [Number.parseFloat(style.left), Number.parseFloat(style.width)]);
  const { rerender } = render(plot([]));
  expect(faded()).toEqual([]);
  rerender(plot(marks.slice(0, 1)));
  expect(faded()).toEqual([
    [0, 10],
    [20, 40],
    [70, 30],
  ]);
});
