import { expect, it } from 'vitest';
import { fakePrediction } from '../../../testing/fake-data.ts';
import { fakeRequest } from '../../../testing/fake-request.ts';
import type { Outcome, SendOptions } from '../sending/prediction-request.ts';
import { createPredictionQueue } from './prediction-queue.ts';
import { warnBeforeLeaving } from './warn-before-leaving.ts';

const requestOf = (name: string) => fakeRequest({ file: new File(['x'], name) });

const page = new EventTarget();

function leave(): 'asked' | 'left' {
  const event = new Event('beforeunload', { cancelable: true });
  page.dispatchEvent(event);
  return event.defaultPrevented ? 'asked' : 'left';
}

it('asks only while leaving would lose something', async () => {
  const sent: SendOptions[] = [];
  const answers: ((outcome: Outcome) => void)[] = [];
  const queue = createPredictionQueue(() => {});
  let isKept = true;
  warnBeforeLeaving(queue, () => isKept, page);
  warnBeforeLeaving(queue, () => isKept, page);
  expect(leave()).toBe('left');
  queue.submit([requestOf('1.wav')], (_request, options) => {
    sent.push(options);
    return new Promise((resolve) => {
      answers.push(resolve);
    });
  });
  sent[0]?.onUploadProgress(0.5);
  expect(leave()).toBe('asked');
  sent[0]?.onUploadProgress(1);
  expect(leave()).toBe('left');
  isKept = false;
  expect(leave()).toBe('asked');
  isKept = true;
  queue.submit([requestOf('2.wav')], () => new Promise(() => {}));
  expect(leave()).toBe('asked');
  queue.cancel(queue.snapshot().entries[1]?.id ?? '');
  answers[0]?.({ kind: 'answered', prediction: fakePrediction() });
  await Promise.resolve();
  await Promise.resolve();
  isKept = false;
  expect(leave()).toBe('left');
});
