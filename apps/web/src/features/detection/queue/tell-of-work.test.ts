import { renderHook } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { fakePrediction } from '../../../testing/fake-data.ts';
import { fakeRequest } from '../../../testing/fake-request.ts';
import type { Outcome } from '../sending/prediction-request.ts';
import { createPredictionQueue } from './prediction-queue.ts';

// Work that other tests left in flight is none of these.
let tellOfWork: typeof import('./tell-of-work.ts').tellOfWork;
let useIsWorking: typeof import('../../../platform/browser/work-in-flight.ts').useIsWorking;
beforeEach(async () => {
  vi.resetModules();
  ({ useIsWorking } = await import('../../../platform/browser/work-in-flight.ts'));
  ({ tellOfWork } = await import('./tell-of-work.ts'));
});

const request = fakeRequest();

describe('work in flight', () => {
  it('lasts from handing a recording in until it is answered', async () => {
    const queue = createPredictionQueue(() => {});
    tellOfWork(queue);
    const { result } = renderHook(() => useIsWorking());
    expect(result.current).toBe(false);
    let answer: (outcome: Outcome) => void = () => {};
    queue.submit([request], () => new Promise((resolve) => (answer = resolve)));
    await vi.waitFor(() => expect(result.current).toBe(true));
    answer({ kind: 'answered', prediction: fakePrediction() });
    await vi.waitFor(() => expect(result.current).toBe(false));
  });

  it('ends when the recording is taken back', async () => {
    const queue = createPredictionQueue(() => {});
    tellOfWork(queue);
    const { result } = renderHook(() => useIsWorking());
    queue.submit([request], () => new Promise(() => {}));
    await vi.waitFor(() => expect(result.current).toBe(true));
    queue.reset();
    await vi.waitFor(() => expect(result.current).toBe(false));
  });
});
