import { describe, expect, it, vi } from 'vitest';
import { madeUpPrediction } from '../../testing/made-up.ts';
import { createPredictionJob, type SendPrediction } from './prediction-job.ts';
import type { PredictionRequest } from './request-prediction.ts';

const request: PredictionRequest = { file: new File(['x'], 'a.wav'), place: null, date: null, language: null };

/** A job with a server that answers when the test says so. */
function start() {
  const log = vi.fn();
  const answers: {
    resolve: (value: ReturnType<typeof madeUpPrediction>) => void;
    reject: (error: unknown) => void;
    signal: AbortSignal;
  }[] = [];
  const send = vi.fn<SendPrediction>((_request, { signal }) => {
    const { promise, resolve, reject } = Promise.withResolvers<ReturnType<typeof madeUpPrediction>>();
    answers.push({ resolve, reject, signal });
    return promise;
  });
  const job = createPredictionJob(log);
  job.submit(request, send);
  const settle = () => new Promise((resolve) => queueMicrotask(() => queueMicrotask(() => resolve(null))));
  return { job, send, log, answers, settle };
}

describe('a prediction job', () => {
  it('does not send twice while one request is on its way', () => {
    const { job, send } = start();
    job.submit(request, send);
    expect(send).toHaveBeenCalledTimes(1);
    expect(job.snapshot().state.kind).toBe('uploading');
  });

  it('keeps the whole response', async () => {
    const { job, answers } = start();
    const result = madeUpPrediction();
    answers[0]?.resolve(result);
    await vi.waitFor(() => expect(job.snapshot().state).toEqual({ kind: 'done', result }));
  });

  it('keeps and logs a failure, and can send again', async () => {
    const { job, send, log, answers } = start();
    answers[0]?.reject(new Error('odd'));
    await vi.waitFor(() => expect(job.snapshot().state.kind).toBe('failed'));
    expect(log).toHaveBeenCalledExactlyOnceWith({ kind: 'unexpected', message: 'odd', status: null });
    job.submit(request, send);
    expect(send).toHaveBeenCalledTimes(2);
  });

  it('aborts the request when cancelled, and remembers what was asked', async () => {
    const { job, log, answers, settle } = start();
    job.cancel();
    expect(answers[0]?.signal.aborted).toBe(true);
    expect(job.snapshot()).toEqual({ state: { kind: 'idle' }, request });
    answers[0]?.reject(new DOMException('stopped', 'AbortError'));
    await settle();
    expect(job.snapshot().state.kind).toBe('idle');
    expect(log).not.toHaveBeenCalled();
  });

  it('does not take the late answer of a cancelled request for that of the next', async () => {
    const { job, send, answers, settle } = start();
    job.reset();
    expect(job.snapshot().request).toBeNull();
    job.submit(request, send);
    answers[0]?.resolve(madeUpPrediction({ id: 'late' }));
    await settle();
    expect(job.snapshot().state.kind).toBe('uploading');
  });
});
