import type { Candidate, Conditions, KeptAudio, Prediction } from '@chiffchaff/contract';
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { speak, spoken } from '../../../languages/i18n.ts';
import * as saving from '../../../platform/browser/save-file.ts';
import { createWords } from '../../../platform/format/words.ts';
import { fakeCandidate, fakeConfig, fakeNamedBird, fakePrediction, fakeProblem } from '../../../testing/fake-data.ts';
import { answerEveryClient } from '../../../testing/fake-identity-service.ts';
import { nextRequest } from '../../../testing/fake-transport.ts';
import { pasteInto } from '../../../testing/paste-into.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { AnswerStage } from './answer-stage.tsx';
import { type ConditionsPanelProperties, FirstResultNotice } from './conditions-panel.tsx';
import { summaryOf } from './wording.ts';

answerEveryClient();
beforeEach(() => {
  onReconsidered.mockClear();
  vi.stubGlobal(
    'OfflineAudioContext',
    class {
      decodeAudioData = () => new Promise(() => {});
    },
  );
});
afterEach(() => speak('en'));

const words = createWords(fakeConfig.model?.words ?? null, spoken.snapshot().t, 'en');
const onReconsidered = vi.fn();

const show = (
  part: Partial<Prediction> = {},
  conditions: Partial<ConditionsPanelProperties> = {},
  sound: { recording: File | null; keptAudio: KeptAudio | null | undefined } = {
    recording: new File(['x'], 'morning.wav'),
    keptAudio: null,
  },
  onFirst?: (first: Prediction) => void,
) =>
  renderPage(
    <AnswerStage
      prediction={fakePrediction(part)}
      recording={sound.recording}
      {...(sound.keptAudio !== undefined && { keptAudio: sound.keptAudio })}
      isKept
      onReconsidered={onReconsidered}
      onAnother={() => {}}
      onFirst={onFirst}
      {...conditions}
    />,
  );
const verdict = (part: Partial<Prediction['verdict']>, ...named: readonly Candidate[]): Prediction['verdict'] => ({
  ...fakePrediction().verdict,
  named: named.map((bird, index) => fakeNamedBird({ ...bird, rank: index + 1, firstSeconds: 3 * index })),
  ...part,
});

const marsh = fakeCandidate({
  scientificName: 'Poecile palustris',
  commonName: 'Marsh Tit',
  confidence: 0.45,
  confidenceWord: 'notSure',
});
const willow = fakeCandidate({
  scientificName: 'Poecile montanus',
  commonName: 'Willow Tit',
  confidence: 0.41,
  confidenceWord: 'notSure',
});

describe('The verdict on the result page', () => {
  it('says which bird was heard and what the word of its confidence means', async () => {
    const { user } = show();
    const card = screen.getByRole('heading', { level: 1, name: 'Common Chiffchaff (Very likely)' }).closest('section');
    expect(card?.textContent).toContain('Phylloscopus collybita');
    expect(card?.textContent).toContain('Very likely');
    await user.click(screen.getByRole('button', { name: 'Why and when? (Common Chiffchaff)' }));
    expect(card?.textContent).toContain('a confidence of 90% or more');
    expect(screen.getByRole('button', { name: 'What do these words mean?' })).toBeTruthy();
  });

  it('names both birds of a tie, and says that they are hard to tell apart', () => {
    show({
      verdict: verdict({ kind: 'unsure', tied: true, sentence: 'Marsh Tit or Willow Tit: too close to call.' }, marsh, willow),
      candidates: [marsh, willow],
    });
    const card = screen
      .getByRole('heading', { level: 1, name: 'Marsh Tit or Willow Tit: too close to call.' })
      .closest('section');
    expect(card?.textContent).toContain('Poecile palustris');
    expect(card?.textContent).toContain('Poecile montanus');
  });

  it('names several birds in the order of the prediction', () => {
    const later = fakeCandidate({
      scientificName: 'Erithacus rubecula',
      commonName: 'European Robin',
      best: { startSeconds: 9, endSeconds: 12 },
    });
    const earlier = fakeCandidate({
      scientificName: 'Turdus merula',
      commonName: 'Blackbird',
      confidence: 0.8,
      confidenceWord: 'likely',
    });
    show({
      verdict: verdict({ kind: 'several', sentence: 'Several birds: Blackbird and European Robin.' }, earlier, later),
      candidates: [later, earlier],
    });
    const card = screen.getByRole('heading', { level: 1 }).closest('section');
    expect(card?.textContent?.indexOf('Turdus merula')).toBeLessThan(card?.textContent?.indexOf('Erithacus rubecula') ?? 0);
  });

  it('names no bird if none was found', () => {
    const faint = fakeCandidate({ confidence: 0.1, confidenceWord: 'none' });
    show({ verdict: verdict({ kind: 'noBird', sentence: 'No bird found.' }), candidates: [faint], detections: [] });
    const card = screen.getByRole('heading', { level: 1, name: 'Nothing sounded enough like a bird.' }).closest('section');
    expect(card?.textContent).not.toContain('Phylloscopus');
    expect(screen.getAllByRole('button', { name: 'Try another recording' })).toHaveLength(1);
  });

  const likely = (bird: Candidate): Candidate => ({ ...bird, confidence: 0.8, confidenceWord: 'likely' });
  it.each([
    [{ kind: 'unsure', tied: true }, [marsh, willow], 'Marsh Tit oder Willow Tit: nicht zu unterscheiden.'],
    [{ kind: 'noBird' }, [], 'Nichts klang deutlich genug nach einem Vogel.'],
    [{ kind: 'unsure', genus: 'Poecile' }, [marsh], 'Poecile: Marsh Tit oder Willow Tit.'],
    [{ kind: 'several' }, [likely(willow), likely(marsh)], '2 Arten gefunden.'],
    [{ kind: 'unsure' }, [marsh], 'Nicht sicher. Am ehesten: Marsh Tit.'],
    [{ kind: 'noBird', notExpectedHere: willow }, [], 'Klingt nach Willow Tit, ist hier aber nicht zu erwarten.'],
  ] as const)('is worded in German: %j', async (part, named, sentence) => {
    await speak('de');
    show({ verdict: verdict(part, ...named), candidates: [marsh, willow] });
    expect(screen.getByRole('heading', { level: 1 }).textContent).toBe(sentence);
  });
});

it('The result of a silent recording proposes no bird and has no button to play', () => {
  show({
    verdict: verdict({ kind: 'noBird', sentence: 'No bird found.' }),
    ...{ candidates: [], detections: [], hiddenByLocation: [], otherSounds: [], checkUp: [{ code: 'SILENT', share: 1 }] },
  });
  expect(screen.queryByRole('heading', { name: 'Look and listen' })).toBeNull();
  expect(screen.queryByRole('list')).toBeNull();
  expect(screen.queryAllByRole('button', { name: /^Play\b/ })).toEqual([]);
});

it('The result page has buttons to play only if it has the file or the server keeps audio', () => {
  const { unmount } = show({}, {}, { recording: null, keptAudio: null });
  expect(screen.queryAllByRole('button', { name: /^Play\b/ })).toEqual([]);
  unmount();
  show();
  expect(screen.getByRole('button', { name: 'Play' })).toBeTruthy();
});

describe('Detections left out of the result page', () => {
  const sentence = /the best 1 of 24,163 detections/;

  it('are counted in a sentence, and all detections can be downloaded from the server', async () => {
    const saveFrom = vi.spyOn(saving, 'saveFrom').mockImplementation(() => {});
    show({ detectionsLeftOut: 24_162, detections: fakePrediction().detections.slice(0, 1) });
    expect(screen.getByText(sentence)).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: /^Download all detections/ }));
    const request = await nextRequest();
    expect(request).toMatchObject({ method: 'POST', body: JSON.stringify({ purpose: 'export' }) });
    await act(async () => request.answer(200, { url: '/v1/x/export?ticket=t', expiresAt: '2026-05-01T05:00:00.000Z' }));
    await waitFor(() => expect(saveFrom).toHaveBeenCalledWith('/v1/x/export?ticket=t&format=csv&showHidden=true&excelSafe=true'));
  });

  it('cannot be downloaded if the prediction is not stored, and are not mentioned if there are none', () => {
    const { unmount } = show(
      { detectionsLeftOut: 24_162, detections: fakePrediction().detections.slice(0, 1) },
      { isKept: false },
    );
    expect(screen.getByText(sentence)).toBeTruthy();
    expect(screen.queryByRole('button', { name: /^Download all detections/ })).toBeNull();
    unmount();
    show();
    expect(screen.queryByText(/detections: for each bird/)).toBeNull();
  });
});

describe('The candidates on the result page', () => {
  it('each have a meter whose accessible text is the word and the whole percentage', () => {
    show();
    const meter = screen.getByRole('meter', { name: 'Confidence in Common Chiffchaff' });
    expect(meter.getAttribute('aria-valuenow')).toBe('96');
    expect(meter.getAttribute('aria-valuetext')).toBe('Very likely, 96%');
  });

  it('never show a confidence of 100 %', () => {
    show({ verdict: verdict({}, fakeCandidate({ confidence: 0.9991 })), candidates: [] });
    expect(screen.getByRole('meter').getAttribute('aria-valuetext')).toBe('Very likely, over 99%');
  });

  it('below every word of confidence are hidden behind a button', () => {
    show();
    expect(screen.getByRole('button', { name: 'Show one less likely bird' }).getAttribute('aria-expanded')).toBe('false');
    expect(screen.queryByRole('heading', { name: 'Iberian Chiffchaff' })).toBeNull();
  });

  it('say which birds are seldom reported at the place, or not known from there', () => {
    show({ verdict: verdict({}, fakeCandidate({ unusualHere: true })) });
    expect(screen.getByText(/For 6 s, from 0:03 · seldom reported here$/)).toBeTruthy();
    cleanup();
    show({ verdict: verdict({}, fakeCandidate({ occurrenceWord: 'notKnown' })) });
    expect(screen.getByText(/For 6 s, from 0:03 · not known from here$/)).toBeTruthy();
  });
});

describe('The detections on the result page', () => {
  it('are in a table below their bird', async () => {
    const { user } = show();
    await user.click(screen.getByRole('button', { name: 'Why and when? (Common Chiffchaff)' }));
    const rows = within(screen.getByRole('table', { name: 'Detections of Common Chiffchaff' })).getAllByRole('row');
    expect(rows).toHaveLength(2);
    expect(rows[1]?.textContent).toContain('0:03.0–0:09.0');
    expect(rows[1]?.textContent).toContain('96%');
  });

  it('are buttons on the timeline that say bird, time and confidence', () => {
    show();
    const lanes = screen.getByRole('list', { name: 'Detections, one row for each bird' });
    expect(within(lanes).getByRole('button', { name: /^Common Chiffchaff ?, 0:03.0 to 0:09.0, 96%$/ })).toBeTruthy();
  });

  it('are summed up in one sentence beside the timeline', () => {
    show();
    expect(screen.getByText('Common Chiffchaff once in 12 seconds, plus one less likely bird.')).toBeTruthy();
  });

  it('are summed up with the bird of the headline first, even if it is from elsewhere or not expected here', () => {
    const finch = fakeCandidate({ scientificName: 'Haemorhous mexicanus', commonName: 'House Finch' });
    const doubtful = { ...finch, confidence: 0.6, confidenceWord: 'perhaps', assumed: 'elsewhere' } as const;
    show({ verdict: verdict({ kind: 'unsure' }, doubtful, { ...willow, confidence: 0.55, confidenceWord: 'perhaps' }) });
    expect(screen.getByText('House Finch and Willow Tit in 12 seconds, plus 2 less likely birds.')).toBeTruthy();
    cleanup();
    show({ verdict: verdict({ notExpectedHere: finch }, fakeCandidate()), hiddenByLocation: [finch] });
    expect(screen.getByText('House Finch and Common Chiffchaff in 12 seconds, plus one less likely bird.')).toBeTruthy();
  });

  it('of other birds are shown on request below those of the verdict, dashed if below every word of confidence', async () => {
    // Sorted by time, as the server sends them.
    const { user } = show({ detections: fakePrediction().detections.toReversed() });
    await user.click(screen.getByRole('button', { name: 'Show one less likely bird' }));
    const lanes = screen.getByRole('list', { name: 'Detections, one row for each bird' });
    const faintOf = (lane: HTMLElement) => lane.querySelector('[data-faint]')?.getAttribute('data-faint');
    const found = within(lanes).getAllByRole('listitem');
    expect(found.map((lane) => [lane.textContent?.split(' ')[0], faintOf(lane)])).toEqual([
      ['Common', 'false'],
      ['Iberian', 'true'],
    ]);
  });

  it('below every word of confidence are counted as less likely birds', async () => {
    const detections = fakePrediction().detections.map((detection) => ({ ...detection, confidence: 0.09 }));
    show({ verdict: verdict({ kind: 'noBird', sentence: 'No bird found.' }), detections });
    expect(screen.getByText('2 less likely birds in 12 seconds.')).toBeTruthy();
  });

  it('can be downloaded for other programs', () => {
    show();
    const files = screen.getByRole('group', { name: 'Detections as a file' });
    expect(
      within(files)
        .getAllByRole('button')
        .map(({ textContent }) => textContent),
    ).toEqual(['CSV', 'Raven', 'Audacity', 'JSON']);
  });

  it('are downloaded with a file name that spreadsheets do not run as a formula', async () => {
    const save = vi.spyOn(saving, 'saveFile').mockImplementation(() => {});
    const { user } = show({ recording: { ...fakePrediction().recording, fileName: '=1+1.wav' } });
    for (const format of ['CSV', 'Raven']) await user.click(screen.getByRole('button', { name: format }));
    const [csv = '', raven = ''] = save.mock.calls.map(([, text]) => text);
    expect(csv).toContain(",'=1+1.wav,");
    // Raven finds the recording by its name, so it stays unchanged.
    expect(raven).toContain('\t=1+1.wav\t');
  });

  it.each([
    [15, 0],
    [16, 1],
  ])(
    'have a spectrogram of their bird’s best moment only in recordings longer than 15 s: %d s, %d drawn',
    (durationSeconds, strips) => {
      show({ recording: { ...fakePrediction().recording, durationSeconds } });
      expect(document.querySelectorAll('canvas')).toHaveLength(strips);
    },
  );

  it('have a sentence instead of a spectrogram if the recording is too long for one', async () => {
    show({ recording: { ...fakePrediction().recording, durationSeconds: 3600 } }, { isKept: false });
    expect(await screen.findByText(/too long for a spectrogram/)).toBeTruthy();
  });

  it('of a long recording are shown without a picture if none was kept; loading it can be tried again after a failure', async () => {
    const recording = { ...fakePrediction().recording, durationSeconds: 3600 };
    const { user } = show({ recording }, {}, { recording: null, keptAudio: null });
    const overview = async () => {
      let request = await nextRequest();
      while (!request.url.endsWith('/overview')) request = await nextRequest();
      return request;
    };
    const failed = await overview();
    await act(async () => failed.answer(500, fakeProblem('INTERNAL_ERROR')));
    expect(await screen.findByText(/The spectrogram can’t be loaded/)).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    const none = await overview();
    await act(async () => none.answer(200, new ArrayBuffer(0)));
    expect(await screen.findByText('No picture: you chose to keep nothing of the sound.')).toBeTruthy();
    expect(screen.getAllByTestId('presence').length).toBeGreaterThan(0);
    expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
  });
});

describe('A review of a bird on the result page', () => {
  const said = { scientificName: 'Phylloscopus collybita', commonName: 'Common Chiffchaff', at: '2026-05-01T06:00:00.000Z' };
  const wren = { to: 'Troglodytes troglodytes', toCommonName: 'Eurasian Wren' };
  const nothing = { to: null, toCommonName: null };
  const lanes = () => screen.getByRole('list', { name: 'Detections, one row for each bird' });
  const struckIn = (part: HTMLElement) => [...part.querySelectorAll('s')].map(({ textContent }) => textContent);

  it('that rejects the bird strikes it out on the timeline and in the list, and says so in words', () => {
    show({ reviews: [{ ...said, verdict: 'rejected', ...nothing }] });
    expect(struckIn(screen.getByRole('heading', { level: 1, name: 'Common Chiffchaff (rejected by you)' }))).toEqual([
      'Common Chiffchaff',
    ]);
    expect(new Set(struckIn(lanes()))).toEqual(new Set(['Common Chiffchaff']));
    expect(screen.queryByRole('meter')).toBeNull();
    expect(within(lanes()).getByRole('button', { name: /^Common Chiffchaff \(rejected by you\) ?, 0:03/ })).toBeTruthy();
  });

  it('that corrects the bird shows the right bird in the position of the wrong one', () => {
    show({ reviews: [{ ...said, verdict: 'corrected', ...wren }] });
    const name = screen.getByRole('heading', { level: 1, name: 'Eurasian Wren Common Chiffchaff (rejected by you)' });
    expect(struckIn(name)).toEqual(['Common Chiffchaff']);
    expect(name.closest('section')?.textContent).toContain('Common Chiffchaff: Very likely');
    expect(
      within(lanes()).getByRole('button', { name: /^Eurasian Wren Common Chiffchaff \(rejected by you\) ?, 0:03/ }),
    ).toBeTruthy();
  });

  it('that confirms the bird does not strike it out; a later rejection does, once the server has stored it', async () => {
    const { user } = show({ reviews: [{ ...said, verdict: 'confirmed', ...nothing }] });
    expect(document.querySelector('s')).toBeNull();
    await user.click(screen.getByRole('button', { name: 'No (Common Chiffchaff)' }));
    // The rows also ask how often their birds were heard before.
    let request = await nextRequest();
    while (request.method !== 'PUT') request = await nextRequest();
    expect(screen.getByRole('heading', { level: 1, name: 'Common Chiffchaff (Very likely)' })).toBeTruthy();
    expect(screen.getByText('1 confirmed').closest('h1')).toBeNull(); // a longer headline would move what is below
    expect(document.querySelector('s')).toBeNull(); // the server has not acknowledged it
    await act(async () => request.answer(200, { reviews: [{ ...said, verdict: 'rejected', ...nothing }] }));
    expect(await screen.findByRole('heading', { level: 1, name: 'Common Chiffchaff (rejected by you)' })).toBeTruthy();
    expect(screen.queryByRole('heading', { level: 2, name: /Common Chiffchaff/ })).toBeNull(); // its row stays as it was
    expect(screen.queryByText(/Common Chiffchaff once/)).toBeNull();
  });

  it('that corrects the bird to another of the result is shown at both birds, and only the right one is counted', async () => {
    const robin = fakeCandidate({ scientificName: 'Erithacus rubecula', commonName: 'European Robin', rank: 2, confidence: 0.3 });
    const it = { to: 'Erithacus rubecula', toCommonName: 'European Robin' };
    const { user } = show({
      reviews: [{ ...said, verdict: 'corrected', ...it }],
      candidates: [...fakePrediction().candidates, robin],
    });
    await user.click(screen.getByRole('button', { name: 'Show 2 less likely birds' }));
    const row = screen.getByRole('heading', { level: 2, name: 'European Robin' }).closest('li');
    expect(row?.textContent).toContain('Confirmed by you');
    expect(screen.getByText(/^European Robin once in 12 seconds/)).toBeTruthy();
  });
});

it('Birds that the owner confirmed or corrected stay on the list after a change of place', () => {
  const bird = (commonName: string, part: object = {}) =>
    fakeNamedBird({ commonName, scientificName: `${commonName} L.`, confidenceWord: 'perhaps', ...part });
  const review = (commonName: string) => ({ commonName, scientificName: `${commonName} L.`, at: '2026-05-01T06:00:00.000Z' });
  const named = [bird('Wren'), bird('Robin', { rank: 2 })];
  const hiddenByLocation = [bird('Chickadee'), bird('Blue Jay'), bird('Veery')];
  const reviews: Prediction['reviews'] = [
    { ...review('Chickadee'), verdict: 'confirmed', to: null, toCommonName: null },
    { ...review('Blue Jay'), verdict: 'corrected', to: 'Crow L.', toCommonName: 'Crow' },
  ];
  const { verdict } = fakePrediction();
  const after = { verdict: { ...verdict, kind: 'unsure' as const, named }, hiddenByLocation, candidates: named, detections: [] };
  show({ ...after, reviews });
  const rows = () => screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent);
  expect(rows().slice(0, 4)).toEqual(['Wren', 'Robin', 'Chickadee', 'Crow Blue Jay (rejected by you)']);
  expect(screen.getByText(/^Wren, Robin, Chickadee,? and Crow in 12 seconds, plus one less likely bird\.$/)).toBeTruthy();
  const before = fakePrediction({ ...after, reviews, verdict: { ...verdict, named: hiddenByLocation } });
  renderPage(<FirstResultNotice {...{ prediction: fakePrediction({ ...after, reviews }), before }}>{null}</FirstResultNotice>);
  expect(screen.getByText(/No longer named/).textContent).toMatch(/No longer named: Veery\./);
});

describe('A bird hidden by location on the result page', () => {
  const somewhere = { ...fakePrediction().conditions, latitude: 50.83, longitude: 12.92 };
  const iberian = fakeCandidate({
    scientificName: 'Phylloscopus ibericus',
    commonName: 'Iberian Chiffchaff',
    confidence: 0.95,
  });
  const detections = fakePrediction().detections.map((detection) =>
    detection.scientificName === 'Phylloscopus ibericus' ? { ...detection, confidence: 0, hidden: true } : detection,
  );
  const hide = (part: Partial<Prediction> = {}) =>
    show({ conditions: somewhere, hiddenByLocation: [iberian], detections, ...part });

  it('is not in the verdict but in the list, with the reason', async () => {
    const { user } = hide();
    expect(screen.getByText('Common Chiffchaff once in 12 seconds, plus one less likely bird.')).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Show one less likely bird' }));
    const row = screen.getByRole('heading', { level: 2, name: 'Iberian Chiffchaff' }).closest('li');
    expect(row?.textContent).toContain('not expected here');
    expect(row?.textContent).not.toContain('Unlikely');
  });

  it('has its lane in the timeline behind a button, with the reason', async () => {
    const { user } = hide();
    const lanes = screen.getByRole('list', { name: 'Detections, one row for each bird' });
    expect(within(lanes).getAllByRole('listitem')).toHaveLength(1);
    await user.click(screen.getByRole('button', { name: 'Show one less likely bird' }));
    expect(within(lanes).getAllByRole('listitem')[1]?.textContent).toMatch(/^Iberian Chiffchaff · not expected here/);
    expect(
      within(lanes).getByRole('button', { name: /^Iberian Chiffchaff ?, 0:01.5 to 0:04.5, not expected here$/ }),
    ).toBeTruthy();
  });

  it('is included in a download only if requested, and marked as hidden', async () => {
    const save = vi.spyOn(saving, 'saveFile').mockImplementation(() => {});
    const { user } = hide();
    const savedAs = async (format: string) => {
      await user.click(screen.getByRole('button', { name: format }));
      return save.mock.lastCall?.[1] ?? '';
    };
    for (const format of ['CSV', 'Raven', 'Audacity']) {
      const table = await savedAs(format);
      expect(table, format).toContain('Common Chiffchaff');
      expect(table, format).not.toContain('Iberian');
    }
    expect(JSON.parse(await savedAs('JSON')).detections).toHaveLength(1);
    await user.click(
      screen.getByRole('checkbox', { name: 'Include one detection that isn’t expected here (a column marks it)' }),
    );
    expect(await savedAs('CSV')).toContain('Iberian Chiffchaff,0.3000,0.0000,,TRUE,');
    expect(JSON.parse(await savedAs('JSON')).detections).toMatchObject([{ hidden: false }, { hidden: true }]);
  });

  it('is counted as less likely if nothing else was heard', () => {
    const nothing = verdict({ kind: 'noBird', sentence: 'No bird found.' });
    hide({ verdict: nothing, candidates: [], detections: detections.slice(1) });
    expect(screen.getByText('One less likely bird in 12 seconds.')).toBeTruthy();
  });

  it('can be played and looked up as other candidates can', async () => {
    const { user } = hide({ candidates: [], detections: [] });
    await user.click(screen.getByRole('button', { name: 'Show one less likely bird' }));
    const hidden = screen.getByRole('heading', { level: 2, name: 'Iberian Chiffchaff' }).closest('li') as HTMLElement;
    expect(within(hidden).getByRole('button', { name: 'Play the best moment of Iberian Chiffchaff, at 0:03' })).toBeTruthy();
    expect(within(hidden).getByRole('button', { name: 'Why and when? (Iberian Chiffchaff)' })).toBeTruthy();
    expect(hidden.textContent).toContain('not expected here; Very likely, 95% if the place is ignored');
  });

  it('can be played from the verdict that names it as not expected here', () => {
    hide({
      verdict: verdict({
        kind: 'noBird',
        sentence: 'Sounds like Iberian Chiffchaff, which is not expected here.',
        notExpectedHere: iberian,
      }),
      candidates: [],
    });
    const card = screen.getByRole('heading', { level: 1 }).closest('section') as HTMLElement;
    expect(within(card).getByRole('button', { name: 'Play the best moment of Iberian Chiffchaff, at 0:03' })).toBeTruthy();
    expect(card.textContent).toContain('not expected here; Very likely, 95% if the place is ignored');
  });
});

describe('Beside the verdict on the result page', () => {
  it('birds hidden by location are listed after one click, with their confidence', async () => {
    const iberian = { commonName: 'Iberian Chiffchaff', scientificName: 'Phylloscopus ibericus', confidence: 0.62 };
    const { user } = show({ hiddenByLocation: [fakeCandidate(iberian)] });
    await user.click(screen.getByRole('button', { name: 'Show one less likely bird' }));
    const hidden = screen.getByRole('heading', { level: 2, name: 'Iberian Chiffchaff' }).closest('li');
    expect(hidden?.textContent).toContain('Iberian Chiffchaff');
    expect(hidden?.textContent).toContain('62%');
  });

  it('other sounds are named with their time', () => {
    show({ otherSounds: [{ label: 'Engine', score: 0.7, startSeconds: 12, endSeconds: 15 }] });
    expect(screen.getByText('An engine, 0:12 to 0:15')).toBeTruthy();
  });

  it('other sounds are named in German too, but animals keep their names', async () => {
    await speak('de');
    show({
      otherSounds: [
        { label: 'Human vocal', score: 0.7, startSeconds: 12, endSeconds: 15 },
        { label: 'Laubfrosch', score: 0.5, startSeconds: 3, endSeconds: 6 },
      ],
    });
    expect(screen.getByText('Menschliche Stimmen, 0:12 bis 0:15')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Menschliche Stimmen bei 0:12.0 abspielen' })).toBeTruthy();
    expect(screen.getByText('Laubfrosch, 0:03 bis 0:06')).toBeTruthy();
  });

  it('model, hash and settings of the analysis are listed', () => {
    show({ conditions: { ...fakePrediction().conditions, latitude: 50.83, longitude: 12.92, week: 17 } });
    const made = screen.getByText('How we got this result').closest('details');
    for (const fact of [
      'made-up (1.0)',
      'ab'.repeat(32),
      'cd'.repeat(32),
      '50.83, 12.92',
      '17 of 48',
      '0.25',
      'stereo',
      '44.1 kHz',
    ])
      expect(made?.textContent).toContain(fact);
  });
});

describe('Changing the place or date of a result', () => {
  /** The next request for other conditions, skipping any for the audio. */
  async function nextQuestion() {
    for (;;) {
      const request = await nextRequest();
      if (request.url.endsWith('/conditions')) return request;
    }
  }
  const reconsider = async (conditions: Partial<ConditionsPanelProperties> = {}, asked: Partial<Conditions> = {}) => {
    const page = show({ id: 'p-1', conditions: { ...fakePrediction().conditions, ...asked } }, conditions);
    await page.user.click(screen.getByText('Change place'));
    return { ...page, apply: () => page.user.click(screen.getByRole('button', { name: 'Update result' })) };
  };

  const asked = { latitude: 50.83, longitude: 12.92, placeSource: 'stated', date: '2026-05-01' } as const;

  it('sends place and date together to the server, and shows the recomputed result of the same recording', async () => {
    const { apply } = await reconsider({}, asked);
    expect(screen.getByLabelText<HTMLInputElement>('Date of the recording').value).toBe('2026-05-01');
    fireEvent.change(screen.getByLabelText('Latitude'), { target: { value: '40' } });
    fireEvent.change(screen.getByRole('slider', { name: /^Detection threshold/ }), { target: { value: '0.5' } });
    fireEvent.change(screen.getByLabelText('Bird names in'), { target: { value: 'de' } });
    await apply();
    const request = await nextQuestion();
    expect([request.method, request.url]).toEqual(['POST', '/v1/predictions/p-1/conditions']);
    expect(JSON.parse(String(request.body))).toEqual({
      latitude: 40,
      longitude: 12.92,
      placeSource: 'stated',
      date: '2026-05-01',
      minScore: 0.5,
      language: 'de',
    });
    expect(screen.getByText('Updating…')).toBeTruthy();
    expect(screen.getByRole('heading', { level: 1, name: 'Common Chiffchaff (Very likely)' })).toBeTruthy();
    act(() => request.answer(200, fakePrediction({ id: 'p-2' })));
    expect(await screen.findByText('Result updated.')).toBeTruthy();
    expect(onReconsidered).toHaveBeenCalledExactlyOnceWith(fakePrediction({ id: 'p-2' }));
  });

  it('happens on the device if the recording was analysed there and is not stored on the server', async () => {
    const again = vi.fn(async () => fakePrediction({ id: 'p-2' }));
    const { apply } = await reconsider({ isKept: false, reconsider: again }, asked);
    fireEvent.change(screen.getByLabelText('Latitude'), { target: { value: '40' } });
    await apply();
    expect(await screen.findByText('Result updated.')).toBeTruthy();
    expect(onReconsidered).toHaveBeenCalledExactlyOnceWith(fakePrediction({ id: 'p-2' }));
    expect(again).toHaveBeenCalledExactlyOnceWith({
      place: { latitude: 40, longitude: 12.92 },
      placeSource: 'stated',
      timeZone: null,
      date: '2026-05-01',
      minScore: 0.25,
      language: 'en',
    });
  });

  it('fails if the device has no data about the place and the server cannot be reached', async () => {
    const again = () => Promise.reject(new TypeError('network error'));
    const { apply } = await reconsider({ isKept: false, reconsider: again });
    await apply();
    expect((await screen.findByRole('alert')).textContent).toContain('connection');
  });

  it('can begin with a button at the verdict, and sends a suggested place only with the date that is set after it', async () => {
    const crombec = fakeCandidate({ commonName: 'Cape Crombec', regions: ['018'] });
    const { user } = show({ id: 'p-1', verdict: verdict({ sentence: 'Likely a Cape Crombec.' }, crombec) });
    await user.click(screen.getByText('Add the place'));
    await pasteInto(user, screen.getByRole('combobox', { name: 'Place' }), 'Leipzig');
    const places = [{ name: 'Leipzig', region: null, countryCode: 'DE', latitude: 51.34, longitude: 12.37 }];
    for (;;) {
      const request = await nextRequest();
      if (!request.url.includes('/places')) continue;
      await act(async () => request.answer(200, { places, attribution: 'GeoNames' }));
      break;
    }
    await user.click(await screen.findByRole('option', { name: 'Leipzig, Germany' }));
    expect(screen.getByRole<HTMLInputElement>('combobox', { name: 'Place' }).value).toBe('Leipzig, Germany');
    fireEvent.change(screen.getByLabelText('Date of the recording'), { target: { value: '2026-05-02' } });
    await user.click(screen.getByRole('button', { name: 'Update result' }));
    const { latitude, longitude, date } = JSON.parse(String((await nextQuestion()).body));
    expect({ latitude, longitude, date }).toEqual({ latitude: 51.34, longitude: 12.37, date: '2026-05-02' });
  });

  /** The place in the next request. */
  const statedPlace = async () => {
    const request = await nextQuestion();
    const { latitude, placeSource, timeZone } = JSON.parse(String(request.body));
    return { request, stated: { latitude, placeSource, timeZone } };
  };

  it('can go from a place to “anywhere”, to the place assumed from the time zone, and back', async () => {
    const zone = 'America/New_York';
    const { user, apply } = await reconsider({}, { placeSource: 'assumed', timeZone: zone });
    expect(screen.getByText('around New York, assumed from your time zone', { selector: 'span' })).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Anywhere' }));
    expect(screen.getByText('anywhere in the world')).toBeTruthy();
    await apply();
    const first = await statedPlace();
    expect(first.stated).toEqual({ latitude: null, timeZone: null });
    act(() => first.request.answer(200, fakePrediction({ id: 'p-2' })));
    fireEvent.change(screen.getByLabelText('Latitude'), { target: { value: '40' } });
    fireEvent.change(screen.getByLabelText('Longitude'), { target: { value: '-74' } });
    await apply();
    const second = await statedPlace();
    expect(second.stated).toEqual({ latitude: 40, placeSource: 'stated' });
    act(() => second.request.answer(200, fakePrediction({ id: 'p-3' })));
    await user.click(screen.getByRole('button', { name: 'Use my time zone (around New York)' }));
    await apply();
    expect((await statedPlace()).stated).toEqual({ latitude: null, timeZone: zone });
  });

  it('keeps the time zone and the recording’s own place of a stored result', async () => {
    const { conditions } = fakePrediction();
    const assumed = show({ conditions: { ...conditions, placeSource: 'assumed', timeZone: 'Europe/Vienna' } });
    expect(screen.getByText('around Vienna, assumed from your time zone', { selector: 'span' })).toBeTruthy();
    assumed.unmount();
    show({ conditions: { ...conditions, latitude: 1, longitude: 2, placeSource: 'file' } });
    expect(screen.getByText('near 1, 2 · from the file')).toBeTruthy();
    await userEvent.click(screen.getByText('Change place'));
    await userEvent.click(screen.getByRole('button', { name: 'Update result' }));
    expect((await statedPlace()).stated).toEqual({ latitude: 1, placeSource: 'file' });
  });

  const dateField = () => screen.getByLabelText<HTMLInputElement>('Date of the recording');

  it('starts from the place and date of a stored result, and sends that date', async () => {
    const stored = { ...fakePrediction().conditions, latitude: 1, longitude: 2, week: 20, date: '2024-05-27' };
    const { user } = show({ conditions: stored, createdAt: '2026-05-28T06:00:00Z' });
    expect(screen.getByLabelText<HTMLInputElement>('Latitude').value).toBe('1');
    expect(dateField().value).toBe('2024-05-27');
    await user.click(screen.getByText('Change place'));
    await user.click(screen.getByRole('button', { name: 'Update result' }));
    expect(JSON.parse(String((await nextQuestion()).body))).toMatchObject({ latitude: 1, date: '2024-05-27' });
  });

  it('refuses a date of which only a part was typed, and its field gets the focus', async () => {
    const { user } = show();
    await user.click(screen.getByText('Change place'));
    await user.click(dateField());
    Object.defineProperty(dateField().validity, 'badInput', { value: true });
    await user.click(screen.getByRole('button', { name: 'Update result' }));
    expect(document.activeElement).toBe(dateField());
    expect(dateField().getAttribute('aria-invalid')).toBe('true');
    expect(screen.getByText('Enter day, month and year, or clear the field.')).toBeTruthy();
    fireEvent.change(dateField(), { target: { value: '2026-05-01' } });
    expect(dateField().getAttribute('aria-invalid')).toBe('false');
  });

  it('starts without a date if the stored result has none, although its week is known', async () => {
    show({ conditions: { ...fakePrediction().conditions, latitude: 1, longitude: 2, week: 17 } });
    expect(dateField().value).toBe('');
  });

  it('leaves the result unchanged and says why if it fails', async () => {
    const { apply } = await reconsider();
    await apply();
    (await nextQuestion()).breakOff('network');
    expect((await screen.findByRole('alert')).textContent).toMatch(/can’t be reached.*is still the previous result/);
    await apply();
    (await nextQuestion()).answer(404, fakeProblem('NOT_FOUND', { status: 404 }));
    await waitFor(() => expect(screen.getByRole('alert').textContent).toContain('no longer has the analysis behind this result'));
    expect(onReconsidered).not.toHaveBeenCalled();
  });

  it('is told in a notice until the result is opened anew; from then on, only the form leads back to the first one', async () => {
    const notice = () => screen.queryByText(/Your history and downloads show it, too/);
    const back = () => screen.getByRole('button', { name: 'Back to the first result' });
    const change = async () => {
      const { user, unmount } = show({ id: 'p-1' }, { isKept: true }, undefined, vi.fn());
      expect(notice()).toBeNull();
      expect(back().closest('details')).toBe(screen.getByText('Change place').closest('details'));
      await user.click(screen.getByText('Change place'));
      await user.click(screen.getByRole('button', { name: 'Update result' }));
      const request = await nextQuestion();
      const headline = screen.getByRole('heading', { level: 1 });
      const note = () => document.getElementById(headline.getAttribute('aria-describedby') ?? '')?.textContent;
      const read: unknown[] = [];
      headline.addEventListener('focus', () => read.push(note()));
      act(() => request.answer(200, fakePrediction({ id: 'p-1' })));
      await waitFor(() => expect(notice()).toBeTruthy());
      expect(read).toEqual([expect.stringContaining('It names the same birds')]);
      expect(back().closest('details')).toBeNull();
      unmount();
    };
    await change();
    await change();
  });

  it('offers to go back to the first result, which the server then stores again', async () => {
    const onFirst = vi.fn();
    const { user } = show({ id: 'p-1' }, { isKept: true }, undefined, onFirst);
    await user.click(screen.getByRole('button', { name: 'Back to the first result' }));
    const refused = await nextQuestion();
    expect([refused.method, refused.url]).toEqual(['DELETE', '/v1/predictions/p-1/conditions']);
    refused.breakOff('network');
    expect((await screen.findByRole('alert')).textContent).toMatch(/can’t be reached/);
    expect(onFirst).not.toHaveBeenCalled();
    await user.click(screen.getByRole('button', { name: 'Back to the first result' }));
    const request = await nextQuestion();
    act(() => request.answer(200, fakePrediction({ id: 'p-1' })));
    await waitFor(() => expect(onFirst).toHaveBeenCalledExactlyOnceWith(fakePrediction({ id: 'p-1' })));
    expect(document.activeElement).toBe(screen.getByRole('heading', { level: 1 }));
  });

  it('says which place was replaced, and which birds are new or no longer named', async () => {
    const { conditions, verdict: said } = fakePrediction();
    const named = (...names: string[]) => ({
      ...said,
      named: names.map((name) => fakeNamedBird({ scientificName: name, commonName: name })),
    });
    const before = fakePrediction({ verdict: named('Robin', 'Wren'), conditions: { ...conditions, latitude: 1, longitude: 2 } });
    const here = { ...conditions, latitude: 3, longitude: 4 };
    const noticed = (prediction: Prediction) => {
      const { unmount } = renderPage(<FirstResultNotice {...{ prediction, before }}>{null}</FirstResultNotice>);
      const text = screen.getByText(/New:|It names/).textContent;
      unmount();
      return text;
    };
    expect(noticed(fakePrediction({ verdict: named('Wren', 'Killdeer', 'Veery'), conditions: here }))).toBe(
      'The place is near 3, 4 now; it was near 1, 2. New: Killdeer and Veery. No longer named: Robin. ',
    );
    expect(noticed(before).trim()).toBe('It names the same birds.');
  });

  it('is not offered for a result that is not stored and whose recording the page no longer has, which a sentence says', () => {
    show({ id: 'p-1' }, { isKept: false });
    expect(screen.getByText(/Without an account, nothing is saved/)).toBeTruthy();
    expect(screen.queryByText('Change place')).toBeNull();
    expect(screen.queryByRole('button', { name: 'Update result' })).toBeNull();
  });
});

describe('The summary of a result to copy', () => {
  const copied = [
    'Very likely a Common Chiffchaff.',
    'Common Chiffchaff (Phylloscopus collybita): Very likely, 96%; best heard 0:03–0:06',
    '12 seconds',
    'Identified by made-up 1.0 (abababababab).',
  ].join('\n');

  it('is copied to the clipboard as text', async () => {
    const { user } = show();
    await user.click(screen.getByRole('button', { name: 'Share' }));
    await user.click(screen.getByRole('button', { name: 'Copy text' }));
    expect(await screen.findByText('Copied.')).toBeTruthy();
    expect(await navigator.clipboard.readText()).toBe(copied);
  });

  it('is shown as text to copy if the clipboard is refused', async () => {
    const { user } = show();
    vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new DOMException('no', 'NotAllowedError'));
    await user.click(screen.getByRole('button', { name: 'Share' }));
    await user.click(screen.getByRole('button', { name: 'Copy text' }));
    expect((await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Summary' })).value).toBe(copied);
  });

  it('begins with the owner’s reviews, followed by the model’s result', () => {
    const said = { scientificName: 'Phylloscopus collybita', commonName: 'Common Chiffchaff', at: '2026-05-01T06:00:00.000Z' };
    const robin = { ...said, verdict: 'confirmed', scientificName: 'Erithacus rubecula', commonName: 'European Robin' } as const;
    const reviews: Prediction['reviews'] = [
      { ...robin, to: null, toCommonName: null },
      { ...said, verdict: 'corrected', to: 'Troglodytes troglodytes', toCommonName: 'Eurasian Wren' },
    ];
    const [first, second] = summaryOf(fakePrediction({ reviews }), spoken.snapshot().t, 'en', words).split('\n');
    expect(first).toBe('Confirmed by you: European Robin. Corrected by you: Eurasian Wren.');
    expect(second).toBe('The model’s result: Very likely a Common Chiffchaff.');
  });

  it('names the version of the model once', () => {
    const model = { ...fakePrediction().model, id: 'birdnet-v2.4', version: '2.4' };
    expect(summaryOf(fakePrediction({ model }), spoken.snapshot().t, 'en', words)).toContain(
      'Identified by birdnet-v2.4 (abababababab).',
    );
  });

  it('leaves out the file name, which could reveal who recorded it and where', () => {
    const recording = { ...fakePrediction().recording, fileName: 'our garden.wav' };
    expect(summaryOf(fakePrediction({ recording }), spoken.snapshot().t, 'en', words)).not.toContain('our garden');
  });

  it('does not list a bird from elsewhere', () => {
    const { verdict } = fakePrediction();
    const named = verdict.named.map((bird) => ({ ...bird, assumed: 'elsewhere' as const }));
    const lines = (prediction: Prediction) => summaryOf(prediction, spoken.snapshot().t, 'en', words).split('\n').length;
    expect(lines(fakePrediction({ verdict: { ...verdict, named } }))).toBe(lines(fakePrediction()) - 1);
  });
});

describe('Audio that the server keeps of a result', () => {
  const kept: KeptAudio = { kind: 'recording', keptUntil: '2126-05-01T12:00:00.000Z' };
  const nextTo = async (path: string) => {
    for (;;) {
      const request = await nextRequest();
      if (request.url.includes(path)) return request;
    }
  };
  const hasPlay = () => screen.queryByRole('button', { name: 'Play' });

  it('cannot be played while the server does not respond, which the page says, and can be played afterwards', async () => {
    show({}, {}, { recording: null, keptAudio: kept });
    (await nextTo('/ticket')).breakOff('network');
    expect(
      await screen.findByText('The server isn’t responding right now. You can play the recording when it does.'),
    ).toBeTruthy();
    expect(screen.queryByText('This browser can’t play this type of file.')).toBeNull();
    expect(hasPlay()).toBeNull();
    (await nextTo('/ticket')).answer(200, { url: '/v1/predictions/made-up/audio?ticket=t', expiresAt: '2126-05-01T12:00:00Z' });
    (await nextTo('/audio')).answer(206, new ArrayBuffer(1));
    await waitFor(() => expect(hasPlay()).toMatchObject({ disabled: false }));
    expect(screen.queryByText(/isn’t responding/)).toBeNull();
  });

  it('is called removed when the server no longer has the audio', async () => {
    show({}, {}, { recording: null, keptAudio: kept });
    await act(async () => (await nextTo('/ticket')).answer(404, fakeProblem('NOT_FOUND', { status: 404 })));
    expect(await screen.findByText('The server no longer has any audio of this recording.')).toBeTruthy();
  });

  it('is requested right after the analysis, and again until the server answers', async () => {
    show({}, {}, { recording: null, keptAudio: undefined });
    (await nextTo('/v1/predictions/made-up')).breakOff('network');
    const again = await nextTo('/v1/predictions/made-up');
    const moments = [{ startSeconds: 1, endSeconds: 4, offsetSeconds: 0 }];
    const keptAudio = { kind: 'moments', keptUntil: kept.keptUntil, moments };
    await act(async () => again.answer(200, { state: 'done', prediction: fakePrediction(), keptAudio }));
    expect(await screen.findByText(/^Short clips are kept until .*2126/)).toBeTruthy();
    expect(screen.getAllByText('not kept')).toHaveLength(2);
  });
});
