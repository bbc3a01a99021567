import { describe, expect, it } from 'vitest';
import type { ApiError } from '../../platform/api/api-error.ts';
import type { AnalysisReport } from '../../platform/sending/request-prediction.ts';
import { fakePrediction } from '../../testing/fake-data.ts';
import { flagsOf, idle, type PredictionAction, type PredictionState, reducePrediction } from './prediction-state.ts';

const result = fakePrediction();
const report: AnalysisReport = { stage: 'listening', fraction: 0.3, behindOthers: false, detections: [] };
const further: AnalysisReport = { ...report, fraction: 0.4 };
const error: ApiError = { kind: 'network', message: 'Network Error' };
const states: readonly PredictionState[] = [
  idle,
  { kind: 'uploading', progress: 0.5 },
  { kind: 'listening', report: null },
  { kind: 'done', result },
  { kind: 'failed', error },
];
const after = (state: PredictionState, action: PredictionAction) => reducePrediction(state, action);

describe('The prediction state of the page', () => {
  it('is loading, and neither failed nor done, after a start from any state', () => {
    for (const state of states) {
      const started = after(state, { type: 'start' });
      expect(started).toEqual({ kind: 'uploading', progress: 0 });
      expect(flagsOf(started)).toEqual({ loading: true, failed: false, done: false });
    }
  });

  it.each(states.slice(1, 3))(
    'is done with the whole response, not failed and not loading, after a success from $kind',
    (state) => {
      const done = after(state, { type: 'success', result });
      expect(done).toEqual({ kind: 'done', result });
      expect(flagsOf(done)).toEqual({ loading: false, failed: false, done: true });
    },
  );

  it.each(states.slice(1, 3))('is failed and done with the error, and not loading, after a failure from $kind', (state) => {
    const failed = after(state, { type: 'failure', error });
    expect(failed).toEqual({ kind: 'failed', error });
    expect(flagsOf(failed)).toEqual({ loading: false, failed: true, done: true });
  });

  it('has nothing left after a reset from any state', () => {
    for (const state of states) {
      const reset = after(state, { type: 'reset' });
      expect(reset).toEqual({ kind: 'idle' });
      expect(flagsOf(reset)).toEqual({ loading: false, failed: false, done: false });
    }
  });
});

describe('The progress in the prediction state', () => {
  it('turns from sending to analysing when everything has been sent', () => {
    const sent = after({ kind: 'uploading', progress: 0.5 }, { type: 'uploadProgress', progress: 0.75 });
    expect(sent).toEqual({ kind: 'uploading', progress: 0.75 });
    expect(after(sent, { type: 'uploadProgress', progress: 1 })).toEqual({ kind: 'listening', report: null });
  });

  it('stays at analysing when a late report of the upload arrives', () => {
    const listening: PredictionState = { kind: 'listening', report };
    expect(after(listening, { type: 'uploadProgress', progress: 1 })).toBe(listening);
    expect(after(listening, { type: 'listenProgress', report: further })).toEqual({ kind: 'listening', report: further });
  });
});

describe('A prediction for another place or date of the same recording', () => {
  it('replaces the result, which is kept as the first one, and changes no state without a result', () => {
    const other = fakePrediction({ id: 'other' });
    const changed = after({ kind: 'done', result }, { type: 'reconsidered', result: other });
    expect(changed).toEqual({ kind: 'done', result: other, first: result });
    const third = fakePrediction({ id: 'third' });
    expect(after(changed, { type: 'reconsidered', result: third })).toEqual({ kind: 'done', result: third, first: result });
    expect(after(changed, { type: 'reconsidered', result })).toEqual({ kind: 'done', result });
    for (const state of [idle, { kind: 'failed', error } as const])
      expect(after(state, { type: 'reconsidered', result: other })).toBe(state);
  });
});

describe('A message for a request that has ended', () => {
  const late: readonly PredictionAction[] = [
    { type: 'uploadProgress', progress: 0.9 },
    { type: 'listenProgress', report },
    { type: 'success', result },
    { type: 'failure', error },
  ];
  it.each(late)('does not change the prediction state: $type', (action) => {
    for (const state of [idle, { kind: 'done', result } as const, { kind: 'failed', error } as const])
      expect(after(state, action)).toBe(state);
  });
});
