import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { PredictionState } from './prediction-state.ts';
import { ProgressStage } from './progress-stage.tsx';

type State = Extract<PredictionState, { kind: 'idle' | 'uploading' | 'listening' }>;

const listening = (fraction: number | null): State => ({
  kind: 'listening',
  report: { stage: 'listening', fraction, detections: [] },
});
const stage = (state: State) => (
  <ProgressStage state={state} recording={{ name: 'morning.wav' }} language={null} onCancel={() => {}} />
);
const bar = () => screen.getByRole('progressbar').firstElementChild as HTMLElement;

it('shows a value at once where the bar was full before, and lets it grow from there', () => {
  const { rerender } = render(stage(listening(null)));
  const open = bar();
  expect(open.dataset.open).toBe('true');
  rerender(stage(listening(0.02)));
  // Another element has nothing to run back from.
  expect(bar()).not.toBe(open);
  expect(bar().style.width).toBe('2%');
  const measured = bar();
  rerender(stage(listening(0.1)));
  expect(bar()).toBe(measured);
});

it('does not run back from what was sent to what was listened to', () => {
  const { rerender } = render(stage({ kind: 'uploading', progress: 1 }));
  const sent = bar();
  rerender(stage(listening(0.02)));
  expect(bar()).not.toBe(sent);
});
