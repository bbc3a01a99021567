import { act, screen, waitFor, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import * as saving from '../../../platform/browser/save-file.ts';
import { fakePrediction, fakeProblem } from '../../../testing/fake-data.ts';
import { answerEveryClient } from '../../../testing/fake-identity-service.ts';
import { fakeRequest } from '../../../testing/fake-request.ts';
import { FakeRequest } from '../../../testing/fake-transport.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import type { QueueEntry } from './prediction-queue.ts';
import { QueuePanel } from './queue-panel.tsx';
// Loaded on demand when predictions are saved; preloaded here.
import './read-answers.ts';

answerEveryClient();

const onShow = vi.fn();
const answered = (id: string, isKept: boolean): QueueEntry => ({
  ...{ id, isKept, device: null, state: { kind: 'done', result: fakePrediction({ id }) } },
  request: fakeRequest({ file: new File([id], `${id}.wav`) }),
});
const show = (entries: readonly QueueEntry[]) =>
  renderPage(
    <QueuePanel
      queue={{ entries, shown: null, takenBack: null }}
      onShow={onShow}
      onRemove={() => {}}
      onClear={() => {}}
      onKeep={null}
    />,
  );
const reviewsOf = (id: string) =>
  waitFor(() => {
    const request = FakeRequest.sent.find(({ url }) => url === `/v1/predictions/${id}/reviews`);
    if (!request) throw new Error(`Nothing was asked about ${id}`);
    FakeRequest.sent.splice(FakeRequest.sent.indexOf(request), 1);
    return request;
  });

it('saves the answers with what was said about their birds since, or says why it cannot', async () => {
  const entries = [answered('p-1', true), answered('p-2', true), answered('visitor', false)];
  const { user } = show(entries);
  const saved = vi.spyOn(saving, 'saveFile').mockImplementation(() => {});
  const press = () => user.click(screen.getByRole('button', { name: /^Download all/ }));

  await press();
  for (const id of ['p-1', 'p-2']) {
    const request = await reviewsOf(id);
    act(() => request.breakOff('network'));
  }
  expect((await screen.findByRole('alert')).textContent).not.toBe('');
  expect(saved).not.toHaveBeenCalled();

  await press();
  const said = { scientificName: 'Phylloscopus collybita', commonName: 'Common Chiffchaff', at: '2026-05-01T06:00:00.000Z' };
  const wren = { to: 'Troglodytes troglodytes', toCommonName: 'Eurasian Wren' };
  (await reviewsOf('p-1')).answer(200, { reviews: [{ ...said, verdict: 'corrected', ...wren }] });
  // It has been deleted on another page.
  (await reviewsOf('p-2')).answer(404, fakeProblem('NOT_FOUND', { status: 404 }));
  await waitFor(() => expect(saved).toHaveBeenCalledOnce());
  const rows = String(saved.mock.calls[0]?.[1]).split('\n');
  const reviews = rows.filter((row) => row.includes(',Common Chiffchaff,')).map((row) => row.split(',').slice(-2));
  expect(reviews).toEqual([['corrected to Eurasian Wren', 'Troglodytes troglodytes'], ...[1, 2].map(() => ['', ''])]);
  expect(screen.queryByRole('alert')).toBeNull();
});

it('sums up which species are in how many recordings, as their owner left them', async () => {
  const { user } = show([answered('p-1', true), answered('p-2', true)]);
  const table = within(await screen.findByRole('table', { name: 'Species in these recordings' }));
  const [, row] = table.getAllByRole('row');
  expect(row?.textContent).toMatch(/^Common Chiffchaff Phylloscopus collybitaVery likely, 96%p-1\.wav p-2\.wav$/);
  await user.click(table.getByRole('button', { name: 'p-2.wav' }));
  expect(onShow).toHaveBeenCalledWith('p-2');
});

it('has no species of a single recording', () => {
  show([answered('p-1', true)]);
  expect(screen.getAllByRole('table')).toHaveLength(1);
});
