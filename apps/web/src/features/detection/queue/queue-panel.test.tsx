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
      current={null}
      isAlone={false}
      onOpen={onShow}
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

it('The list of recordings on the Detect Bird screen downloads all results with their reviews, or says why it cannot', async () => {
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

it('The list of recordings on the Detect Bird screen has a table of species with the recordings of each, which a click opens', async () => {
  const { user } = show([answered('p-1', true), answered('p-2', true)]);
  const table = within(await screen.findByRole('table', { name: 'Species in these recordings' }));
  const [, row] = table.getAllByRole('row');
  expect(row?.textContent).toMatch(/^Common Chiffchaff Phylloscopus collybitaVery likely, 96%p-1\.wav p-2\.wav$/);
  await user.click(table.getByRole('button', { name: 'p-2.wav' }));
  expect(onShow).toHaveBeenCalledWith('p-2');
});

it('The list of recordings on the Detect Bird screen asks whether a bird from elsewhere was recorded there, and lists it last, as not expected', () => {
  const { verdict, conditions } = fakePrediction();
  const [chiffchaff] = verdict.named;
  if (!chiffchaff) throw new Error('A verdict without birds');
  const american = {
    ...chiffchaff,
    scientificName: 'Certhia americana',
    commonName: 'Brown Creeper',
    assumed: 'elsewhere' as const,
  };
  const sentence = 'Very likely a Brown Creeper, which lives in Northern America. Was it recorded there?';
  const result = fakePrediction({
    verdict: { ...verdict, sentence, named: [american] },
    conditions: { ...conditions, placeSource: 'assumed', timeZone: 'Europe/Berlin' },
  });
  show([answered('p-1', true), { ...answered('p-2', false), state: { kind: 'done', result } }]);
  expect(screen.getByRole('button', { name: /^p-2\.wav Very/ }).textContent).toBe(`p-2.wav ${sentence}`);
  const table = screen.getByRole('table', { name: 'Species in these recordings' });
  expect(within(table).getAllByRole('row').at(-1)?.textContent).toBe('Brown Creeper Certhia americananot expected herep-2.wav');
  const home = { ...american, scientificName: 'Phylloscopus borealoides' };
  const other = fakePrediction({ verdict: { ...verdict, sentence, named: [home] } });
  show([answered('p-3', true), { ...answered('p-4', false), state: { kind: 'done', result: other } }]);
  expect(screen.getByRole('row', { name: /p-3/ }).textContent).toContain('p-4.wav');
});

it('The list of recordings on the Detect Bird screen names a bird from elsewhere first if the headline is about it, then the others', () => {
  const { verdict } = fakePrediction();
  const [chiffchaff] = verdict.named;
  if (!chiffchaff) throw new Error('A verdict without birds');
  const junco = { ...chiffchaff, commonName: 'Dark-eyed Junco', scientificName: 'Junco hyemalis', assumed: 'elsewhere' as const };
  const named = [junco, { ...chiffchaff, rank: 2, confidenceWord: 'perhaps' as const, assumed: 'here' as const }];
  show([{ ...answered('p-1', false), state: { kind: 'done', result: fakePrediction({ verdict: { ...verdict, named } }) } }]);
  expect(screen.getByRole('button', { name: /^p-1\.wav/ }).textContent).toBe(
    'p-1.wav Dark-eyed Junco (not expected here)Common Chiffchaff Perhaps',
  );
});

it('The list of recordings on the Detect Bird screen has no table of species for a single recording', () => {
  show([answered('p-1', true)]);
  expect(screen.queryByRole('table')).toBeNull();
});

it('The list of recordings on the Detect Bird screen names the two surest birds of each recording, and counts the others', () => {
  const birds = [
    { commonName: 'Eurasian Wren', confidence: 0.75, confidenceWord: 'likely' },
    { commonName: 'European Robin', confidence: 0.97, confidenceWord: 'veryLikely' },
    { commonName: 'Great Tit', confidence: 0.5, confidenceWord: 'perhaps' },
    { commonName: 'Dunnock', confidence: 0.72, confidenceWord: 'likely' },
  ] as const;
  const [bird] = fakePrediction().candidates;
  if (!bird) throw new Error('A prediction without candidates');
  const named = birds.map((part, index) => ({
    ...{ ...bird, ...part, scientificName: `Avis ${index}`, rank: index + 1, firstSeconds: 3 * index },
  }));
  const { verdict } = fakePrediction();
  const result = fakePrediction({ verdict: { ...verdict, kind: 'several', named } });
  show([{ ...answered('p-1', false), state: { kind: 'done', result } }]);
  const row = screen.getByRole('button', { name: /^p-1\.wav/ });
  expect(row.textContent).toBe('p-1.wav European Robin Very likelyEurasian Wren Likely +2');
});

it('The list of recordings on the Detect Bird screen shows a bird that the user added to a recording as confirmed, before the birds of its verdict', () => {
  const at = '2026-05-01T06:00:00.000Z';
  const reviews = [
    {
      scientificName: 'Troglodytes troglodytes',
      commonName: 'Eurasian Wren',
      verdict: 'added',
      to: null,
      toCommonName: null,
      at,
    },
  ] as const;
  const result = fakePrediction({ reviews: [...reviews] });
  show([{ ...answered('p-1', false), state: { kind: 'done', result } }]);
  expect(screen.getByRole('button', { name: /^p-1\.wav/ }).textContent).toBe(
    'p-1.wav Eurasian Wren Confirmed by youCommon Chiffchaff Very likely',
  );
});

it('The list of recordings on the Detect Bird screen still names the other birds of a recording after one was rejected', () => {
  const { verdict } = fakePrediction();
  const [first] = verdict.named;
  if (!first) throw new Error('The answer names no bird');
  const wren = { ...first, rank: 2, scientificName: 'Troglodytes troglodytes', commonName: 'Eurasian Wren' };
  const rejected = { verdict: 'rejected', to: null, toCommonName: null, at: '2026-05-01T06:00:00.000Z' } as const;
  const { scientificName, commonName } = first;
  const result = fakePrediction({
    verdict: { ...verdict, kind: 'several', named: [first, wren] },
    reviews: [{ scientificName, commonName, ...rejected }],
  });
  show([{ ...answered('p-1', false), state: { kind: 'done', result } }]);
  expect(screen.getByRole('button', { name: /^p-1\.wav/ }).textContent).toBe('p-1.wav Eurasian Wren Very likely');
});
