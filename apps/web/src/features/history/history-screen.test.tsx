import type { PredictionSummary } from '@chiffchaff/contract';
import { eventually } from '@chiffchaff/testing';
import { act, screen, within } from '@testing-library/react';
import { Link, Route, Routes, useLocation } from 'react-router';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { speak } from '../../languages/i18n.ts';
import * as saving from '../../platform/browser/save-file.ts';
import { keepDevicePlace } from '../../platform/storage/device-place.ts';
import { keepAnswer } from '../../platform/storage/kept-answers.ts';
import { fakePrediction, fakeProblem } from '../../testing/fake-data.ts';
import { answerEveryClient } from '../../testing/fake-identity-service.ts';
import { FakeRequest } from '../../testing/fake-transport.ts';
import { pasteInto } from '../../testing/paste-into.ts';
import { renderPage } from '../../testing/render-page.tsx';
import { HistoryScreen } from './history-screen.tsx';
// Here already when the first deletion asks for it.
import './open-undo-notice.tsx';
import { stripOf } from './strip.tsx';
import { UndoNotice } from './undo-notice.tsx';

answerEveryClient();

const chiffchaff = { scientificName: 'Phylloscopus collybita', commonName: 'Common Chiffchaff', confidence: 0.96 };
const summary = (id: string, part: Partial<PredictionSummary> = {}): PredictionSummary => ({
  id,
  createdAt: '2026-05-01T05:12:44.120Z',
  fileName: `${id}.wav`,
  durationSeconds: 12,
  verdict: { kind: 'identified', tied: false, sentence: 'Very likely a Common Chiffchaff.', named: [chiffchaff] },
  ...{ recordedOn: null, place: null },
  species: [chiffchaff],
  keptAudio: null,
  ...part,
});
const list = (...predictions: readonly PredictionSummary[]) => ({ inWork: [], failed: [], predictions, cursor: null });
const days = {
  days: [
    { day: '2026-05-03', predictions: 4 },
    { day: '2026-05-01', predictions: 1 },
    { day: '2026-04-30', predictions: 2 },
  ],
};

type Answer = readonly [status: number, body: unknown, headers?: { readonly [name: string]: string }];
let answers: Record<string, Answer>;
let calls: { readonly call: string; readonly token: string | undefined }[];

/** Reports every element as visible at once. */
class ObserverOfAll {
  readonly #told: (entries: readonly { readonly isIntersecting: boolean }[]) => void;
  constructor(told: (entries: readonly { readonly isIntersecting: boolean }[]) => void) {
    this.#told = told;
  }
  observe(): void {
    this.#told([{ isIntersecting: true }]);
  }
  disconnect(): void {}
}

/** A fake server: responds to each call from the table, until the page sends no more requests. */
async function settle(ms = 0): Promise<void> {
  await act(async () => {
    // biome-ignore lint/plugin: sleeps; to become a gate
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
    for (let idle = 0; idle < 5; idle += 1) {
      await new Promise((resolve) => setTimeout(resolve));
      for (const request of FakeRequest.sent.splice(0)) {
        idle = 0;
        const call = `${request.method} ${request.url}`;
        calls.push({ call, token: request.requestHeaders.authorization });
        const known = answers[call] ?? answers[call.replace(/\?.*$/, '')];
        const [status, body, headers] = known ?? [404, fakeProblem('NOT_FOUND', { status: 404 })];
        request.answer(status, body, headers);
      }
    }
  });
}
const sent = (call: string) => calls.filter((found) => found.call.startsWith(call));

function Where() {
  const { pathname, search } = useLocation();
  return <p data-testid="where">{pathname + search}</p>;
}

async function open(at = '/history') {
  const page = renderPage(
    <main id="main" tabIndex={-1}>
      <UndoNotice />
      <Routes>
        <Route path="/history" element={<HistoryScreen />} />
        <Route path="*" element={null} />
      </Routes>
      <Link to="/elsewhere">elsewhere</Link>
      <Where />
    </main>,
    { at },
  );
  await page.signIn();
  await eventually(async () => {
    await settle();
    expect(sent('GET /v1/predictions?limit=1')).not.toEqual([]);
  });
  await settle();
  return page;
}
const rows = () => screen.queryAllByRole('link', { name: /\.wav/ }).map(({ textContent }) => textContent);

beforeEach(() => {
  calls = [];
  vi.stubGlobal(
    'fetch',
    vi.fn(async () => Response.json({ ended: 1 })),
  );
  answers = {
    'GET /v1/predictions': [200, list(summary('a'), summary('b'))],
    'GET /v1/predictions/days': [200, days],
  };
});
afterEach(() => speak('en'));

describe('The list of the history', () => {
  it('shows birds, file name, time, and whether audio is kept', async () => {
    const keptAudio = { kind: 'moments', keptUntil: '2026-06-01T00:00:00.000Z' } as const;
    answers['GET /v1/predictions'] = [
      200,
      list(
        summary('a', { keptAudio }),
        summary('b', { species: [], verdict: { kind: 'noBird', tied: false, sentence: '', named: [] } }),
      ),
    ];
    await open();
    expect(rows()[0]).toMatch(/^Common Chiffchaff \d+:\d\d[^·]* · a\.wav, with audio$/);
    expect(rows()[1]).toMatch(/^No bird found\. \d+:\d\d[^·]* · b\.wav$/);
    expect(screen.getAllByRole('link', { name: /a\.wav/ })[0]?.getAttribute('href')).toBe('/history/a');
    expect(sent('GET /v1/predictions?limit=30')[0]).toEqual({
      call: 'GET /v1/predictions?limit=30&language=en_us',
      token: 'Bearer u1.token',
    });
  });

  it('shows two birds that are tied joined by “or”', async () => {
    const tits = ['Great', 'Marsh'].map((name) => ({ scientificName: `Parus ${name}`, commonName: `${name} Tit` }));
    const verdict = { kind: 'unsure', tied: true, sentence: '', named: tits, tiedBirds: tits } as const;
    answers['GET /v1/predictions'] = [200, list(summary('a', { species: [], verdict }))];
    await open();
    expect(rows()[0]).toMatch(/^Great Tit or Marsh Tit Too close to call \d+:.*a\.wav/);
  });

  it('shows the bird of the headline if it is not expected at the assumed place, and not one that is less likely', async () => {
    const finch = { scientificName: 'Haemorhous mexicanus', commonName: 'House Finch' };
    const verdict = { kind: 'unsure' as const, tied: false, sentence: '', named: [finch, chiffchaff], elsewhere: finch };
    const nobody = { to: null, toCommonName: null };
    const confirmed = { ...chiffchaff, ...nobody, verdict: 'confirmed', at: '2026-05-01T05:12:44.120Z' } as const;
    answers['GET /v1/predictions'] = [200, list(summary('a', { verdict }), summary('b', { verdict, reviews: [confirmed] }))];
    await open();
    expect(rows()[0]).toMatch(/^House Finch \(not expected here\) \+1 .*a\.wav/);
    expect(rows()[1]).toMatch(/^Common Chiffchaff.*b\.wav/);
  });

  it('shows the birds, the word of a doubtful confidence, and the place of the recording', async () => {
    const species = [0.68, 0.52].map((confidence, index) => ({ ...chiffchaff, scientificName: `Avis ${index}`, confidence }));
    const verdict = { kind: 'unsure' as const, tied: false, sentence: '', named: [] };
    const place = { latitude: 52.2053, longitude: 0.1218 };
    keepDevicePlace({ kind: 'place', latitude: 51.5, longitude: -0.13, name: 'London, England' }, 'u1');
    answers['GET /v1/predictions'] = [
      200,
      list(
        summary('a', { species, verdict, recordedOn: '2026-04-30', place }),
        summary('b', { recordedOn: '2026-04-29', place: { latitude: 51.5, longitude: -0.13, town: 'City of Westminster' } }),
        summary('c', { recordedOn: '2026-04-28', place: { latitude: 48, longitude: 7.85, town: 'Freiburg' } }),
      ),
    ];
    await open();
    expect(rows()[0]).toBe('Common Chiffchaff Perhaps +1 near 52.2, 0.1 · a.wav');
    expect(rows()[1]).toBe('Common Chiffchaff near London · b.wav');
    expect(rows()[2]).toBe('Common Chiffchaff near Freiburg · c.wav');
  });

  it('loads the next page at its end', async () => {
    answers['GET /v1/predictions'] = [200, { ...list(summary('a')), cursor: 'next' }];
    answers['GET /v1/predictions?limit=30&cursor=next&language=en_us'] = [200, list(summary('z'))];
    const { user } = await open();
    await user.click(screen.getByRole('button', { name: 'Show more' }));
    await settle();
    expect(rows()).toHaveLength(2);
    expect(screen.queryByRole('button', { name: 'Show more' })).toBeNull();
    expect(document.activeElement).toBe(screen.getByRole('link', { name: /z\.wav/ }));
  });

  it('says that it is empty, and where to begin', async () => {
    answers['GET /v1/predictions'] = [200, list()];
    await open();
    expect(screen.getByText(/^Nothing here yet\./)).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Detect Bird' }).getAttribute('href')).toBe('/process');
    expect(screen.queryByRole('searchbox')).toBeNull();
  });

  it('says why it cannot be loaded, and loads on another try', async () => {
    answers['GET /v1/predictions'] = [500, fakeProblem('INTERNAL', { status: 500, detail: 'Something broke.' })];
    const { user } = await open();
    expect(screen.getByRole('alert').textContent).toContain('Something broke.');
    answers['GET /v1/predictions'] = [200, list(summary('a'))];
    await user.click(within(screen.getByRole('alert')).getByRole('button', { name: 'Try again' }));
    await settle();
    expect(rows()).toHaveLength(1);
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('is available in German', async () => {
    await speak('de');
    await open();
    expect(screen.getByRole('heading', { level: 3, name: /^Hochgeladen am .* 1\. Mai 2026$/ })).toBeTruthy();
    expect(sent('GET /v1/predictions?limit=30')[0]?.call).toContain('language=de');
  });

  it('never shows results of one account to the next account', async () => {
    const page = await open();
    expect(rows()).toHaveLength(2);
    answers['GET /v1/predictions'] = [200, list(summary('theirs'))];
    act(() => page.session.signOut());
    expect(
      page.queries
        .getQueryCache()
        .findAll({ queryKey: ['predictions', 'u1'] })
        .every(({ state }) => state.data === undefined),
    ).toBe(true);
    await page.signIn('u2');
    expect(rows()).toEqual([]);
    await settle();
    expect(rows()).toEqual([expect.stringContaining('theirs.wav')]);
  });
});

describe('A search in the history', () => {
  it('begins when typing pauses, and is kept in the address', async () => {
    const { user } = await open();
    calls = [];
    answers['GET /v1/predictions'] = [200, list(summary('b'))];
    await pasteInto(user, screen.getByRole('searchbox', { name: 'Search birds and file names' }), 'wren ');
    await settle(400);
    await settle();
    expect(sent('GET /v1/predictions?limit=30').map(({ call }) => call)).toEqual([
      'GET /v1/predictions?limit=30&search=wren&language=en_us',
    ]);
    expect(screen.getByTestId('where').textContent).toBe('/history?search=wren');
    expect(rows()).toHaveLength(1);
    expect(screen.getByText('One result.')).toBeTruthy();
  });

  it('that finds nothing says so', async () => {
    answers['GET /v1/predictions'] = [200, list()];
    await open('/history?search=penguin');
    expect(screen.getByText('No results match this.')).toBeTruthy();
    expect(screen.getByRole<HTMLInputElement>('searchbox').value).toBe('penguin');
  });

  it('is narrowed to the bird in its address, named as in the results, until all are shown again', async () => {
    const { user } = await open('/history?species=Phylloscopus+collybita');
    expect(sent('GET /v1/predictions?limit=30&species=Phylloscopus')).toHaveLength(1);
    expect(screen.getByText('Only results with', { exact: false }).textContent).toBe(
      'Only results with Common ChiffchaffShow all',
    );
    expect(screen.getByRole('link', { name: 'Life list' }).getAttribute('href')).toBe('/life-list');
    await user.click(screen.getByRole('button', { name: 'Show all' }));
    expect(screen.getByTestId('where').textContent).toBe('/history');
  });

  it('keeps the focus with its results as all are shown again, also if none were found', async () => {
    answers['GET /v1/predictions'] = [200, list()];
    const { user } = await open('/history?search=kiwi');
    answers['GET /v1/predictions'] = [200, list(summary('a'))];
    await user.click(screen.getByRole('button', { name: 'Show all' }));
    expect(document.activeElement).toBe(screen.getByRole('heading', { level: 2, name: 'Results' }));
    await settle();
    expect(rows()).toHaveLength(1);
    expect(document.activeElement).toBe(screen.getByRole('heading', { level: 2, name: 'Results' }));
  });
});

it('The list of the history is grouped by the day of the recording if that is known, else by the day of the upload', async () => {
  answers['GET /v1/predictions'] = [
    200,
    list(
      summary('a', { recordedOn: '2025-05-11' }),
      summary('b', { createdAt: '2026-05-01T12:00:00.000Z' }),
      summary('c', { createdAt: '2026-05-01T11:00:00.000Z' }),
      summary('d', { recordedOn: '2026-05-01' }),
      summary('e', { recordedOn: '2025-05-11' }),
    ),
  ];
  await open();
  const days = screen.getAllByRole('heading', { level: 3 }).map((heading) => ({
    day: heading.textContent,
    files: [...(heading.nextElementSibling?.querySelectorAll('bdi') ?? [])].map(({ textContent }) => textContent),
  }));
  expect(days).toEqual([
    { day: 'Sunday, May 11, 2025', files: ['a.wav', 'e.wav'] },
    { day: 'Uploaded on Friday, May 1, 2026', files: ['b.wav', 'c.wav'] },
    { day: 'Friday, May 1, 2026', files: ['d.wav'] },
  ]);
});

describe('The calendar of the history', () => {
  it('narrows the list to a month, then to a day of it, and back', async () => {
    const { user } = await open();
    const calendar = within(screen.getByRole('region', { name: 'When' }));
    expect(calendar.getAllByRole('button').map(({ textContent }) => textContent)).toEqual([
      'May 2026, 5 results',
      'Apr 2026, 2 results',
    ]);
    await user.click(calendar.getByRole('button', { name: /^May 2026\s*, 5 results$/ }));
    await settle();
    expect(screen.getByTestId('where').textContent).toBe('/history?on=2026-05');
    expect(sent('GET /v1/predictions?limit=30&from=2026-05-01&to=2026-05-31')).toHaveLength(1);
    const day = calendar.getByRole('button', { name: /^(Sun 3|3 Sun)\s*, 4 results$/ });
    await user.click(day);
    await settle();
    expect(sent('GET /v1/predictions?limit=30&from=2026-05-03&to=2026-05-03')).toHaveLength(1);
    expect(day.getAttribute('aria-pressed')).toBe('true');
    await user.click(day);
    expect(screen.getByTestId('where').textContent).toBe('/history?on=2026-05');
    await user.click(screen.getByRole('button', { name: 'Show all' }));
    expect(screen.getByTestId('where').textContent).toBe('/history');
  });

  it.each(['on=May', 'on=2026-99', 'near=Cambridge', 'near=99,0+Pole'])(
    'does not narrow the list by an invalid day or place in the address of the page: %s',
    async (query) => {
      await open(`/history?${query}`);
      expect(sent('GET /v1/predictions?limit=30').map(({ call }) => call)).toEqual([
        'GET /v1/predictions?limit=30&language=en_us',
      ]);
    },
  );
});

it('The list of the history shows birds after reviews, and marks those that the user confirmed or corrected', async () => {
  const at = '2026-05-01T06:00:00.000Z';
  const reviewed = { scientificName: 'Phylloscopus collybita', commonName: 'Common Chiffchaff', at };
  const wren = { to: 'Troglodytes troglodytes', toCommonName: 'Eurasian Wren' };
  const nobody = { to: null, toCommonName: null };
  const robin = { scientificName: 'Erithacus rubecula', commonName: 'European Robin', confidence: 0.95 };
  const both = {
    species: [chiffchaff, robin],
    verdict: { kind: 'several' as const, tied: false, sentence: '', named: [chiffchaff, robin] },
  };
  answers['GET /v1/predictions'] = [
    200,
    list(
      summary('a', { reviews: [{ ...reviewed, verdict: 'rejected', ...nobody }] }),
      summary('b', { reviews: [{ ...reviewed, verdict: 'corrected', ...wren }] }),
      summary('c', { ...both, species: [...both.species], reviews: [{ ...reviewed, verdict: 'confirmed', ...nobody }] }),
      summary('d', { ...both, species: [...both.species], reviews: [{ ...reviewed, verdict: 'rejected', ...nobody }] }),
    ),
  ];
  await open();
  const birds = (file: string) => screen.getByRole('link', { name: new RegExp(`${file}\\.wav`) }).firstElementChild?.textContent;
  expect(birds('a')).toBe('Rejected by you: Common Chiffchaff.');
  expect(birds('b')).toBe('Eurasian Wren (Confirmed by you)');
  expect(birds('c')).toBe('Common Chiffchaff (Confirmed by you) and European Robin');
  expect(birds('d')).toBe('European Robin');
});

describe('The filters of the history', () => {
  const filters = () => screen.queryByText(/^Filters/, { selector: 'summary' })?.closest('details') ?? null;
  const inFilters = () => within(filters() ?? document.body);

  it('are folded on a narrow screen, with the number of active ones', async () => {
    const narrow = (query: string) => Object.assign(new EventTarget(), { media: query, matches: false });
    vi.spyOn(window, 'matchMedia').mockImplementation((query) => narrow(query) as MediaQueryList);
    const { user } = await open('/history?near=52.2,0.12+Cambridge');
    expect(filters()).toMatchObject({ open: false });
    expect(filters()?.contains(screen.getByRole('searchbox', { name: /Search birds/ }))).toBe(false);
    expect(inFilters().getByText('Filters (1)')).toBeTruthy();
    await user.click(inFilters().getByText('Filters (1)'));
    expect(inFilters().getByRole('region', { name: 'When' })).toBeTruthy();
    await user.click(inFilters().getByRole('checkbox', { name: 'Only birds I confirmed' }));
    await settle();
    expect(inFilters().getByText('Filters (2)')).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Show all' }));
    expect(inFilters().getByText('Filters')).toBeTruthy();
  });

  it('are above the results on a wide screen', async () => {
    await open();
    expect(filters()).toBeNull();
    expect(screen.getByLabelText('Near a town')).toBeTruthy();
  });
});

it('The filter of the history for confirmed results is kept in the address', async () => {
  const { user } = await open();
  await user.click(screen.getByRole('checkbox', { name: 'Only birds I confirmed' }));
  await settle();
  expect(sent('GET /v1/predictions?limit=30&confirmed=true')).toHaveLength(1);
  expect(screen.getByTestId('where').textContent).toBe('/history?confirmed=true');
});

describe('A town in the history’s filter', () => {
  it('narrows the list to results near it, and is kept in the address', async () => {
    answers['GET /v1/places'] = [
      200,
      {
        places: [{ name: 'Cambridge', region: 'England', countryCode: 'GB', latitude: 52.2, longitude: 0.12 }],
        attribution: 'GeoNames',
      },
    ];
    const { user } = await open();
    await pasteInto(user, screen.getByLabelText('Near a town'), 'cambr');
    await eventually(async () => {
      await settle();
      expect(document.querySelector('datalist option')).not.toBeNull();
    });
    await user.keyboard('{Enter}');
    await settle();
    expect(sent('GET /v1/predictions?limit=30&latitude=52.2&longitude=0.12&')).toHaveLength(1);
    expect(new URLSearchParams(screen.getByTestId('where').textContent?.split('?')[1]).get('near')).toBe(
      '52.2,0.12 Cambridge, England, United Kingdom',
    );
    expect(screen.getByLabelText<HTMLInputElement>('Near a town').value).toBe('Cambridge, England, United Kingdom');
  });

  it('is looked up at once when the page opens with the town in its address', async () => {
    await open('/history?near=52.2,0.12+Cambridge');
    expect(sent('GET /v1/predictions?limit=30&latitude=52.2&longitude=0.12&')).toHaveLength(1);
    expect(screen.getByLabelText<HTMLInputElement>('Near a town').value).toBe('Cambridge');
  });
});

describe('The small spectrogram of a result in the history', () => {
  it.each([
    { kept: 'the whole recording if it is kept', moments: undefined, stretch: [0, 120, 96] },
    {
      kept: 'the longest excerpt if only excerpts are kept',
      moments: [
        { startSeconds: 2, endSeconds: 4, offsetSeconds: 0 },
        { startSeconds: 10, endSeconds: 15.2, offsetSeconds: 2 },
      ],
      stretch: [10, 15.2, 79],
    },
  ])('shows $kept', ({ moments, stretch }) => {
    const keptUntil = '2026-06-01T00:00:00.000Z';
    const query = stripOf(moments ? { kind: 'moments', keptUntil, moments } : { kind: 'recording', keptUntil }, 120);
    expect([query?.startSeconds, query?.endSeconds, query?.columns]).toEqual(stretch);
    expect((query?.columns ?? 0) * (query?.rows ?? 0)).toBeLessThan(4096);
  });

  it('is requested once if audio is kept, and otherwise not at all', async () => {
    vi.stubGlobal('IntersectionObserver', ObserverOfAll);
    const keptAudio = { kind: 'recording', keptUntil: '2026-06-01T00:00:00.000Z' } as const;
    answers['GET /v1/predictions'] = [200, list(summary('a', { keptAudio }), summary('b'))];
    answers['GET /v1/predictions/a/spectrogram'] = [200, new ArrayBuffer(96 * 40)];
    await open();
    expect(sent('GET /v1/predictions/a/spectrogram')).toHaveLength(1);
    expect(sent('GET /v1/predictions/b/spectrogram')).toEqual([]);
  });
});

const until = (ms: number) => new Date(Date.now() + ms).toISOString();

describe('Deleting results in the history', () => {
  it('removes one result, and says for how long the deletion can be undone', async () => {
    const { user } = await open();
    answers['DELETE /v1/predictions/a'] = [200, { deleted: 1, restorableUntil: until(60_000) }];
    answers['GET /v1/predictions'] = [200, list(summary('b'))];
    await user.click(screen.getByRole('button', { name: 'Delete a.wav' }));
    await settle();
    expect(rows()).toHaveLength(1);
    expect(screen.getAllByRole('status').map(({ textContent }) => textContent)).toContain(
      'Deleted. You can undo this for one minute.',
    );
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Undo' }));
    expect(screen.getByText(/^(59|60) seconds left$/)).toBeTruthy();
    answers['POST /v1/predictions/a/restore'] = [200, { restored: 1 }];
    answers['GET /v1/predictions'] = [200, list(summary('a'), summary('b'))];
    await user.click(screen.getByRole('button', { name: 'Undo' }));
    await settle();
    expect(rows()).toHaveLength(2);
    expect(screen.queryByText('Deleted.')).toBeNull();
    expect(screen.getByText('The result is back.').getAttribute('role')).toBe('status');
    expect(document.activeElement).toBe(screen.getByRole('link', { name: /a\.wav/ }));
  });

  it('can be undone for a time that is measured by the server’s clock', async () => {
    const { user } = await open();
    const serverNow = Date.now() - 3_600_000;
    answers['DELETE /v1/predictions/a'] = [
      200,
      { deleted: 1, restorableUntil: new Date(serverNow + 60_000).toISOString() },
      { date: new Date(serverNow).toUTCString() },
    ];
    await user.click(screen.getByRole('button', { name: 'Delete a.wav' }));
    await settle();
    expect(screen.getByText(/^(57|58|59|60) seconds left$/)).toBeTruthy();
  });

  it('can no longer be undone after the time that the server allows', async () => {
    const { user } = await open();
    answers['DELETE /v1/predictions/a'] = [200, { deleted: 1, restorableUntil: until(0) }];
    await user.click(screen.getByRole('button', { name: 'Delete a.wav' }));
    await settle();
    expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull();
    expect(screen.getByText('This can no longer be undone.')).toBeTruthy();
  });

  it('says why it failed and leaves every result', async () => {
    const { user } = await open();
    answers['DELETE /v1/predictions/a'] = [500, fakeProblem('INTERNAL', { status: 500, detail: 'Something broke.' })];
    await user.click(screen.getByRole('button', { name: 'Delete a.wav' }));
    await settle();
    expect(screen.getByRole('alert').textContent).toContain('Something broke.');
    expect(rows()).toHaveLength(2);
  });
});

describe('The notice of a deletion in the history', () => {
  it('disappears soon after the deletion can no longer be undone, and moves the focus to the screen', async () => {
    const { user } = await open();
    answers['DELETE /v1/predictions/a'] = [200, { deleted: 1, restorableUntil: until(1500) }];
    await user.click(screen.getByRole('button', { name: 'Delete a.wav' }));
    await settle();
    act(() => screen.getByRole('button', { name: 'Undo' }).focus());
    await eventually(() => expect(screen.getByText('This can no longer be undone.')).toBeTruthy());
    // The button that had the focus has disappeared.
    await eventually(() => expect(document.activeElement).toBe(screen.getByText('Deleted.')));
    await eventually(() => expect(screen.queryByText('Deleted.')).toBeNull());
    await eventually(() => expect(document.activeElement).toBe(screen.getByRole('main')));
  });

  it('stays on other screens, with its button to undo the deletion', async () => {
    const { user } = await open();
    answers['DELETE /v1/predictions/a'] = [200, { deleted: 1, restorableUntil: until(60_000) }];
    await user.click(screen.getByRole('button', { name: 'Delete a.wav' }));
    await settle();
    await user.click(screen.getByRole('link', { name: 'elsewhere' }));
    expect(screen.getByText('Deleted.')).toBeTruthy();
    answers['POST /v1/predictions/a/restore'] = [200, { restored: 1 }];
    await user.click(screen.getByRole('button', { name: 'Undo' }));
    await settle();
    expect(sent('POST /v1/predictions/a/restore')).toHaveLength(1);
    expect(screen.queryByText('Deleted.')).toBeNull();
    expect(document.activeElement).toBe(screen.getByRole('main'));
  });

  it('undoes all deletions in quick succession together', async () => {
    const { user } = await open();
    for (const id of ['a', 'b']) {
      answers[`DELETE /v1/predictions/${id}`] = [200, { deleted: 1, restorableUntil: until(60_000) }];
      await user.click(screen.getByRole('button', { name: `Delete ${id}.wav` }));
      await settle();
    }
    expect(screen.getByText('2 deleted.')).toBeTruthy();
    answers['POST /v1/predictions/restore'] = [200, { restored: 2 }];
    await user.click(screen.getByRole('button', { name: 'Undo' }));
    await settle();
    expect(sent('POST /v1/predictions/restore')).toHaveLength(1);
    expect(screen.getByText('2 results are back.').getAttribute('role')).toBe('status');
    expect(document.activeElement).toBe(screen.getByRole('main'));
  });

  it('is shown to no other account', async () => {
    const { user, session } = await open();
    answers['DELETE /v1/predictions/a'] = [200, { deleted: 1, restorableUntil: until(60_000) }];
    await user.click(screen.getByRole('button', { name: 'Delete a.wav' }));
    await settle();
    act(() => session.signOut());
    expect(screen.queryByText('Deleted.')).toBeNull();
  });

  it('leaves the focus where the user has moved it before the notice disappears', async () => {
    const { user } = await open();
    answers['DELETE /v1/predictions/a'] = [200, { deleted: 1, restorableUntil: until(0) }];
    await user.click(screen.getByRole('button', { name: 'Delete a.wav' }));
    await settle();
    const search = screen.getByRole('searchbox');
    act(() => search.focus());
    await eventually(() => expect(screen.queryByText('Deleted.')).toBeNull());
    expect(document.activeElement).toBe(search);
  });

  it('replaces the message of an earlier failure', async () => {
    const { user } = await open();
    answers['DELETE /v1/predictions/a'] = [200, { deleted: 1, restorableUntil: until(60_000) }];
    answers['POST /v1/predictions/a/restore'] = [500, fakeProblem('INTERNAL', { status: 500, detail: 'Something broke.' })];
    await user.click(screen.getByRole('button', { name: 'Delete a.wav' }));
    await settle();
    await user.click(screen.getByRole('button', { name: 'Undo' }));
    await settle();
    expect(screen.getByRole('alert').textContent).toContain('Something broke.');
    answers['DELETE /v1/predictions/b'] = [200, { deleted: 1, restorableUntil: until(60_000) }];
    // biome-ignore lint/plugin: sleeps; to become a gate
    await new Promise((resolve) => setTimeout(resolve, 5)); // later even by a clock of milliseconds
    await user.click(screen.getByRole('button', { name: 'Delete b.wav' }));
    await settle();
    expect(screen.getByText('2 deleted.')).toBeTruthy();
    expect(screen.queryByRole('alert')).toBeNull();
  });
});

describe('The focus in the history', () => {
  it('moves to the screen when the notice of a deletion is closed', async () => {
    const { user } = await open();
    answers['DELETE /v1/predictions/a'] = [200, { deleted: 1, restorableUntil: until(60_000) }];
    await user.click(screen.getByRole('button', { name: 'Delete a.wav' }));
    await settle();
    await user.click(await screen.findByRole('button', { name: 'Close' }));
    expect(document.activeElement).toBe(screen.getByRole('main'));
  });
});

describe('A failed analysis in the history', () => {
  const failed = {
    ...{ id: 'f', createdAt: '2026-05-02T05:00:00.000Z', fileName: 'dusk.wav' },
    problem: fakeProblem('RECORDING_DAMAGED', { detail: 'This recording is damaged.' }),
  };

  const foldedFailures = () => screen.queryByText(/couldn’t be analysed$/)?.closest('details') ?? null;

  it('is listed with name and reason until it is dismissed', async () => {
    answers['GET /v1/predictions'] = [200, { ...list(summary('a')), failed: [failed] }];
    const { user } = await open();
    const folded = foldedFailures();
    expect(folded?.open).toBe(false);
    const answersAbove = screen.getByRole('link', { name: /a\.wav/ }).compareDocumentPosition(folded ?? document);
    expect(answersAbove & Node.DOCUMENT_POSITION_FOLLOWING).not.toBe(0);
    await user.click(screen.getByText('One recording couldn’t be analysed'));
    expect(folded?.open).toBe(true);
    const region = within(folded ?? document.body);
    expect(region.getByRole('listitem').textContent).toMatch(/^This recording is damaged\.dusk\.wav · .*2026/);
    answers['DELETE /v1/predictions/f'] = [200, { deleted: 1, restorableUntil: until(60_000) }];
    answers['GET /v1/predictions'] = [200, list(summary('a'))];
    await user.click(region.getByRole('button', { name: 'Dismiss dusk.wav' }));
    await settle();
    expect(sent('DELETE /v1/predictions/f')).toHaveLength(1);
    expect(foldedFailures()).toBeNull();
  });

  it('is listed as failed if it fails while the list is shown', async () => {
    const work = {
      id: 'f',
      createdAt: failed.createdAt,
      fileName: 'dusk.wav',
      stage: 'listening',
      fraction: 0.4,
      behindOthers: false,
    };
    answers['GET /v1/predictions'] = [200, { ...list(summary('a')), inWork: [work] }];
    await open();
    answers['GET /v1/predictions'] = [200, { ...list(summary('a')), failed: [failed] }];
    answers['GET /v1/predictions/f'] = [200, { state: 'failed', problem: failed.problem }];
    await settle(2500);
    await settle();
    expect(foldedFailures()?.textContent).toContain('dusk.wav');
  });

  it('is listed if there are no results yet', async () => {
    answers['GET /v1/predictions'] = [200, { ...list(), failed: [failed, { ...failed, id: 'g' }] }];
    answers['GET /v1/predictions/days'] = [200, { days: [] }];
    await open();
    expect(screen.getByText('2 recordings couldn’t be analysed')).toBeTruthy();
    expect(screen.getByText(/^Nothing here yet\./)).toBeTruthy();
  });
});

describe('A running analysis in the history', () => {
  it('shows its progress, and its result joins the list', async () => {
    const work = {
      id: 'w',
      createdAt: '2026-05-02T05:00:00.000Z',
      fileName: 'night.wav',
      stage: 'listening',
      fraction: 0.421,
      behindOthers: false,
    };
    answers['GET /v1/predictions'] = [200, { ...list(summary('a')), inWork: [work] }];
    await open();
    const region = within(screen.getByRole('region', { name: 'In progress' }));
    expect(region.getByRole('link').textContent).toBe('night.wav42% analysed');
    expect(region.getByRole('link').getAttribute('href')).toBe('/history/w');
    expect(region.getByRole<HTMLProgressElement>('progressbar').value).toBe(42);
    answers['GET /v1/predictions'] = [200, list(summary('w'), summary('a'))];
    answers['GET /v1/predictions/w'] = [200, { state: 'failed', problem: fakeProblem('RECORDING_DAMAGED') }];
    await settle(2500);
    await settle();
    expect(rows()).toHaveLength(2);
    expect(screen.queryByRole('region', { name: 'In progress' })).toBeNull();
  });
});

it('The history downloads all results from an address that the server gives', async () => {
  const saveFrom = vi.spyOn(saving, 'saveFrom').mockImplementation(() => {});
  const { user } = await open();
  answers['POST /v1/predictions/ticket'] = [
    200,
    { url: '/v1/predictions/export?ticket=t', expiresAt: '2026-05-01T05:00:00.000Z' },
  ];
  await user.click(screen.getByRole('button', { name: 'Download everything (ZIP: results, tables and kept audio)' }));
  await settle();
  expect(saveFrom.mock.calls[0]?.[0]).toBe('/v1/predictions/export?ticket=t&excelSafe=true');
});

describe('The history while the server cannot be reached', () => {
  const keepAs = (id: string, fileName: string) =>
    keepAnswer('u1', {
      state: 'done',
      prediction: fakePrediction({ id, recording: { ...fakePrediction().recording, fileName } }),
      keptAudio: null,
    });
  const breakOff = () =>
    act(async () => {
      for (const request of FakeRequest.sent.splice(0)) request.breakOff('network');
    });

  it('lists the results stored in this tab, and says that the server cannot be reached', async () => {
    keepAs('kept', 'morning.wav');
    const page = renderPage(<HistoryScreen />, { at: '/history' });
    await page.signIn();
    const link = await eventually(async () => {
      await breakOff();
      expect(screen.getByRole('alert').textContent).toMatch(/can’t be reached.*the one result/);
      return screen.getByRole('link', { name: /morning\.wav/ });
    });
    expect(link.getAttribute('href')).toBe('/history/kept');
  });

  it('replaces an earlier list by the results stored in this tab, until the server is back', async () => {
    const { user, queries } = await open();
    expect(rows()).toHaveLength(2);
    keepAs('b', 'b.wav');
    keepAs('new', 'since-then.wav');
    act(() => void queries.refetchQueries({ queryKey: ['predictions', 'u1', 'list'] }));
    await eventually(async () => {
      await breakOff();
      expect(rows().map((text) => /\S+\.wav/.exec(text ?? '')?.[0])).toEqual([
        expect.stringContaining('since-then.wav'),
        expect.stringContaining('b.wav'),
      ]);
    });
    // Actions that need the server are not offered.
    expect(screen.queryAllByRole('button').map(({ textContent }) => textContent)).toEqual(['Try again']);
    await pasteInto(user, screen.getByRole('searchbox'), 'SINCE');
    await eventually(async () => {
      await breakOff();
      expect(rows()).toEqual([expect.stringContaining('since-then.wav')]);
    });
    await user.clear(screen.getByRole('searchbox'));
    await settle(300);
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    await settle();
    expect(screen.queryByRole('alert')).toBeNull();
    expect(rows()).toHaveLength(2);
    expect(screen.getByRole('button', { name: 'Delete a.wav' })).toBeTruthy();
  });

  it('says that no result is stored in this tab if none is', async () => {
    const page = renderPage(<HistoryScreen />, { at: '/history' });
    await page.signIn();
    await eventually(async () => {
      await breakOff();
      expect(screen.getByRole('alert').textContent).toContain('There are none yet.');
    });
    expect(screen.queryByText(/^Nothing here yet/)).toBeNull();
  });
});
