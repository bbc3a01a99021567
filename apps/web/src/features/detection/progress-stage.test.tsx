import { render, screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { PredictionState } from './prediction-state.ts';
import { ProgressStage } from './progress-stage.tsx';

type State = Extract<PredictionState, { kind: 'idle' | 'uploading' | 'listening' }>;

const listening = (fraction: number | null): State => ({
  kind: 'listening',
  report: { stage: 'listening', fraction, behindOthers: false, detections: [] },
});
const queued = (behindOthers: boolean): State => ({
  kind: 'listening',
  report: { stage: 'queued', fraction: null, behindOthers, detections: [] },
});
const stage = (state: State) => (
  <ProgressStage state={state} recording={{ name: 'morning.wav' }} language={null} onCancel={() => {}} />
);
const bar = () => screen.getByRole('progressbar').firstElementChild as HTMLElement;

it('The progress bar is replaced by a new one when progress becomes known, so that it never shrinks', () => {
  const { rerender } = render(stage(listening(null)));
  const open = bar();
  expect(open.dataset.open).toBe('true');
  rerender(stage(listening(0.02)));
  // A new element cannot animate backwards.
  expect(bar()).not.toBe(open);
  expect(bar().style.width).toBe('2%');
  const measured = bar();
  rerender(stage(listening(0.1)));
  expect(bar()).toBe(measured);
});

it('The progress bar is replaced by a new one when the analysis begins, so that it does not shrink after the upload', () => {
  const { rerender } = render(stage({ kind: 'uploading', progress: 1 }));
  const sent = bar();
  rerender(stage(listening(0.02)));
  expect(bar()).not.toBe(sent);
});

describe('The birds found so far during an analysis', () => {
  type Found = NonNullable<Extract<State, { kind: 'listening' }>['report']>['detections'][number];
  const found = (commonName: string, startSeconds: number, confidenceWord?: Found['confidenceWord']): Found => ({
    ...{ commonName, scientificName: `Avis ${commonName}`, startSeconds, endSeconds: startSeconds + 3, score: 0.9 },
    ...(confidenceWord && { confidenceWord }),
  });
  const show = (...detections: Found[]) =>
    render(stage({ kind: 'listening', report: { stage: 'listening', fraction: 0.5, behindOthers: false, detections } }));
  const names = () => screen.queryAllByRole('listitem').map(({ textContent }) => textContent);

  it('are named with the time first heard if at least “perhaps”, and the others are counted', () => {
    show(
      found('Wren', 70, 'perhaps'),
      found('Wren', 8, 'perhaps'),
      found('Robin', 30, 'veryLikely'),
      found('Crow', 3, 'notSure'),
      found('Emu', 5, 'none'),
      found('Emu', 9, 'none'),
      found('Kiwi', 12),
    );
    expect(names()).toEqual(['Wren Avis Wren 0:08', 'Robin Avis Robin 0:30']);
    expect(screen.getByText('4 faint sounds')).toBeTruthy();
  });

  it('are not followed by a count of others if all of them are named', () => {
    show(found('Robin', 30, 'likely'));
    expect(names()).toHaveLength(1);
    expect(screen.queryByText(/faint/)).toBeNull();
  });

  it('are called faint sounds if none is at least “perhaps”', () => {
    show(found('Emu', 5, 'none'));
    expect(names()).toEqual([]);
    expect(screen.getByText('One faint sound')).toBeTruthy();
  });
});

describe('The progress read out by screen readers', () => {
  /** There is only one text; it is not announced when it is no news. */
  const words = () => screen.getByRole('status');
  const readOut = () => (words().getAttribute('aria-live') === 'polite' ? words().textContent : '');

  it('is the progress that is shown, announced at each quarter only', () => {
    const { rerender } = render(stage({ kind: 'uploading', progress: 0.129 }));
    const heard: (string | null)[] = [];
    for (const state of [
      { kind: 'uploading', progress: 0.129 },
      { kind: 'uploading', progress: 0.24 },
      { kind: 'uploading', progress: 0.423 },
      { kind: 'uploading', progress: 0.425 },
      { kind: 'uploading', progress: 0.45 },
      { kind: 'uploading', progress: 0.98 },
      queued(false),
      listening(null),
      listening(0.29),
      listening(0.31),
      listening(0.999),
    ] satisfies State[]) {
      rerender(stage(state));
      const progressBar = screen.getByRole('progressbar');
      expect(progressBar.getAttribute('aria-valuetext')).toBe(words().textContent);
      const value = progressBar.getAttribute('aria-valuenow');
      if (value !== null) {
        expect(words().textContent).toContain(`${value}%`);
        expect(bar().style.width).toBe(`${value}%`);
      }
      heard.push(readOut());
    }
    expect(heard).toEqual([
      '12% uploaded',
      '',
      '42% uploaded',
      '42% uploaded',
      '',
      '98% uploaded',
      'Starting in a moment…',
      'In progress…',
      '28% analysed',
      '',
      '99% analysed',
    ]);
  });

  it('mentions that other recordings are in the queue only if the server says so', () => {
    const { rerender } = render(stage(queued(false)));
    expect(readOut()).toBe('Starting in a moment…');
    rerender(stage(queued(true)));
    expect(readOut()).toBe('Waiting for other recordings…');
  });
});
