import { expect, it, vi } from 'vitest';
import { outbox } from '../../../platform/outbox/outbox.ts';
import { fakePrediction } from '../../../testing/fake-data.ts';
import { fakeRequest } from '../../../testing/fake-request.ts';
import type { QueueEntry } from '../queue/prediction-queue.ts';
import { putAside } from './put-aside.ts';

const file = new File(['sound'], 'dawn.wav', { lastModified: Date.parse('2026-05-01T05:12:00Z') });
const entry: QueueEntry = {
  id: 'one',
  request: fakeRequest({ file, keepAudio: 'nothing', date: '2026-05-01', timeZone: 'Europe/Berlin', language: 'de' }),
  state: { kind: 'done', result: fakePrediction() },
  isKept: false,
  device: null,
};

it('A recording analysed in the browser is put into the outbox with its settings and result', async () => {
  const add = vi.spyOn(outbox, 'add').mockResolvedValue('key');
  const silenced = new File(['silence'], 'dawn.wav');
  expect(await putAside(entry, silenced, 'ada')).toBe(true);
  expect(add).toHaveBeenCalledWith({
    sound: silenced,
    fileName: 'dawn.wav',
    startedAt: '2026-05-01T05:12:00.000Z',
    keepAudio: 'nothing',
    question: { place: null, placeSource: 'stated', timeZone: 'Europe/Berlin', date: '2026-05-01', language: 'de' },
    prediction: fakePrediction(),
    localId: 'ada',
  });
});

it('A recording analysed in the browser is not put into the outbox if there is no space, with a message', async () => {
  vi.spyOn(outbox, 'add').mockRejectedValue(new DOMException('full', 'QuotaExceededError'));
  expect(await putAside(entry, file, 'ada')).toBe(false);
});
