import { screen } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { speak } from '../../../../languages/i18n.ts';
import { fakeCandidate, fakeEvidence, fakePrediction } from '../../../../testing/fake-data.ts';
import { renderPage } from '../../../../testing/render-page.tsx';
import { BirdDetails } from './bird-details.tsx';

const chiffchaff = fakeCandidate();
const rare = fakeCandidate({
  scientificName: 'Locustella fluviatilis',
  commonName: 'River Warbler',
  confidenceWord: 'perhaps',
});
const show = (
  candidate = chiffchaff,
  evidence: typeof fakeEvidence | null | 'ask' = fakeEvidence,
  prediction = fakePrediction(),
  isHidden = false,
) =>
  renderPage(
    <BirdDetails
      bird={{
        ...{ scientificName: candidate.scientificName, commonName: candidate.commonName, best: candidate.best },
        ...{ candidate, isHidden, detections: [], firstSeconds: 0 },
      }}
      prediction={prediction}
    />,
    { evidence },
  );
const lines = () => screen.queryAllByRole('listitem', { hidden: true }).map(({ textContent }) => textContent);

afterEach(() => speak('en'));

describe('The explanation of a bird’s confidence', () => {
  it('says how often its word was right in tests, and what contributed to the confidence', () => {
    show();
    expect(lines()).toEqual([
      'Of 100 test recordings called “Very likely”, 97 were right.',
      'In tests, 14 recordings were identified as Common Chiffchaff; right: 13.',
      'The model’s raw score is 0.91 out of 1. The confidence also takes into account similar birds and background noise.',
      'No place was given, so the place played no part.',
    ]);
  });

  it.each([
    ['assumed', 'zoneAssumed'],
    ['stated', 'town'],
    ['file', 'town'],
  ] as const)('uses tests made with a place if a place is known (source of the place: %s)', (placeSource, place) => {
    const words = fakeEvidence.tested.words.map((entry) => ({ ...entry, of: 300, right: 297 }));
    const row = { place, answers: 900, firstRight: 700, elsewhereUnsaid: 0, elsewhereSaid: 0, words };
    const { conditions, ...prediction } = fakePrediction();
    const places = { simulated: true as const, split: 'test', seeds: [1], livesAt: 0.05, rows: [row] };
    const there = { ...prediction, conditions: { ...conditions, placeSource } };
    const { unmount } = show(chiffchaff, { ...fakeEvidence, places }, there);
    expect(lines()[0]).toBe('In tests with a place where the bird lives, 297 of 300 recordings called “Very likely” were right.');
    unmount();
    // They say nothing about a bird that does not live there.
    show(chiffchaff, { ...fakeEvidence, places }, there, true);
    expect(lines()[0]).toBe('Of 100 test recordings called “Very likely”, 97 were right.');
  });

  it('uses tests with several birds if several were named', () => {
    const words = fakeEvidence.tested.words.map((entry) => ({ ...entry, of: 300, right: 297 }));
    const { verdict, ...prediction } = fakePrediction();
    const scenes = { seed: 1, rows: [{ place: 'none' as const, words }] };
    show(
      chiffchaff,
      { ...fakeEvidence, scenes },
      { ...prediction, verdict: { ...verdict, named: [...verdict.named, ...verdict.named] } },
    );
    expect(lines()[0]).toBe('In tests with two to six birds at once, 297 of 300 names called “Very likely” were right.');
  });

  it('says if there are few tests for the bird', () => {
    show(rare);
    expect(lines().slice(0, 2)).toEqual([
      'Of 20 test recordings called “Perhaps”, 11 were right.',
      'Fewer than 5 test recordings were identified as River Warbler: too few to say how often that is right.',
    ]);
  });

  it('says that a bird without a word stayed below the confidence of the lowest word', () => {
    show(fakeCandidate({ confidence: 0.24, confidenceWord: 'none' }));
    expect(lines()[0]).toBe('This bird stayed below 25%.');
  });

  it('says what else can sound like the bird, unless the bird is likely', () => {
    const { unmount } = show(rare);
    expect(lines().at(-1)).toMatch(/^Voices, laughter and machines can sound like birds/);
    unmount();
    show();
    expect(lines().join()).not.toContain('Voices');
  });

  it('is available in German', async () => {
    await speak('de');
    show();
    expect(lines()[0]).toBe('Von 100 Testaufnahmen mit „Sehr wahrscheinlich“ waren 97 richtig.');
  });

  it('says what its word means if there are no results of tests', () => {
    show(chiffchaff, null);
    expect(lines()).toHaveLength(3);
    expect(lines()[0]).toBe('“Very likely” means a confidence of 90% or more.');
  });

  it.each([
    [{ occurrence: 0.01, unusualHere: true }, /is seldom reported here/],
    [{ occurrence: 0.01, occurrenceWord: 'seldomReported' }, /is seldom reported here/],
    [{ occurrence: 0.01, occurrenceWord: 'notKnown' }, /is not known from here/],
    [{ occurrence: 0.1 }, /is expected here/],
    [{ occurrence: 0.6, occurrenceWord: 'expected' }, /is expected here/],
    [{ occurrence: 0.01, assumed: 'here', unusualHere: true }, /is seldom reported in the area assumed from your time zone/],
    [{ occurrence: 0.6, assumed: 'here' }, /is found in the area assumed from your time zone/],
    [{ occurrence: 0.001, assumed: 'elsewhere' }, /is not found in the area assumed/],
  ] as const)('says what place and season contribute: %j', (part, sentence) => {
    show(fakeCandidate(part));
    expect(lines().at(-1)).toMatch(sentence);
  });

  it.each([
    [null, 'This bird is expected here.'],
    [20, 'This bird is expected here at this time of year.'],
  ])('mentions the season only if a date was stated: week %j', (week, sentence) => {
    const { conditions, ...prediction } = fakePrediction();
    show(fakeCandidate({ occurrence: 0.6, occurrenceWord: 'expected' }), fakeEvidence, {
      ...prediction,
      conditions: { ...conditions, week },
    });
    expect(lines().at(-1)).toBe(sentence);
  });

  it('requests the public test results of the model from the server', async () => {
    const fetched = vi.fn(async (_address: string) => Response.json(fakeEvidence));
    vi.stubGlobal('fetch', fetched);
    show(chiffchaff, 'ask');
    expect(await screen.findByText(/97 were right/)).toBeTruthy();
    expect(fetched.mock.calls.map(([address]) => address)).toEqual(['/v1/models/made-up/evidence']);
  });

  it('links to other sites, which receive nothing before the click', () => {
    show();
    const links = screen.getAllByRole<HTMLAnchorElement>('link', { name: /opens in a new tab/, hidden: true });
    expect(links.map(({ hostname }) => hostname)).toEqual(['en.wikipedia.org', 'xeno-canto.org', 'ebird.org', 'www.gbif.org']);
    for (const { rel, target, search } of links) {
      expect([rel, target]).toEqual(['noopener noreferrer', '_blank']);
      expect(search).toContain('Phylloscopus%20collybita');
    }
  });
});
