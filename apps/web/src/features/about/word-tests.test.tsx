import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { fakeEvidence } from '../../testing/fake-data.ts';
import { renderPage } from '../../testing/render-page.tsx';
import { AboutScreen } from './about-screen.tsx';

const rows = () =>
  within(screen.getByRole('table'))
    .getAllByRole('row')
    .slice(1)
    .map((row) => [...row.children].map(({ textContent }) => textContent));

const lines = () =>
  within(screen.getByRole('article'))
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent);

it('The About page explains each word of confidence in a line above its folded figures', () => {
  renderPage(<AboutScreen />, { at: '/about', evidence: fakeEvidence });
  expect(lines().slice(0, 5)).toEqual([
    'Very likely, 90 to 100%: of 100 such results in tests, about 97 were right.',
    expect.stringMatching(/^Likely, 70 to 90%: of 100 such results in tests, about \d+ were right\.$/),
    expect.stringMatching(/^Perhaps, 50 to 70%: /),
    'Not sure, 25 to 50%: of 100 such results in tests, about 33 were right.',
    'Unlikely, below 25%: don’t rely on it.',
  ]);
  expect(screen.getByRole('table').closest('details')).toMatchObject({ open: false });
});

it('The About page shows how often each word of confidence was right, and how that was tested', () => {
  const { words } = fakeEvidence.crossValidated;
  const crossValidated = {
    ...fakeEvidence.crossValidated,
    words: words.map((each) => (each.word === 'veryLikely' ? { ...each, right: 288, of: 300 } : each)),
  };
  // A minute without birds says nothing about false alarms.
  const tested = { ...fakeEvidence.tested, birdFreeHours: 0.02 };
  renderPage(<AboutScreen />, { at: '/about', evidence: { ...fakeEvidence, tested, crossValidated } });
  expect(rows()[0]).toEqual(['Very likely', '90%', '97 of 100 (97%)', '288 of 300 (96%)']);
  expect(rows()[3]).toEqual(['Not sure', '25%', '5 of 15 (33%)', '5 of 15 (33%)']);
  expect(screen.getByText(/that weren’t used to calibrate it/).textContent).toContain('183 public recordings of 80 bird species');
  expect(screen.getByText(/neither its species nor its source/).textContent).toContain(
    '900 public recordings of 80 bird species',
  );
  const errors = screen.getAllByText(/expected calibration error/).map(({ textContent }) => textContent);
  expect(errors).toEqual([expect.stringContaining('3.1 percentage'), expect.stringContaining('2.4 percentage')]);
  expect(screen.getAllByText(/the model’s raw score/)[0]?.textContent).toContain(
    '60% of the recordings by its confidence, and in 50% by the model’s raw score',
  );
  expect(screen.getAllByText(/90% or more: 2 per hour/)).toHaveLength(1);
  expect(screen.getByText(/don’t expect the same accuracy/)).toBeTruthy();
});

it('The About page shows how often each word of confidence was right with a stated and with an assumed place, and with several birds', () => {
  const row = { answers: 900, firstRight: 700, elsewhereUnsaid: 0, elsewhereSaid: 0 };
  const wordsWith = (right: number) => fakeEvidence.tested.words.map((each) => ({ ...each, right, of: 300 }));
  const rows = [
    { ...row, place: 'town' as const, words: wordsWith(291) },
    { ...row, place: 'wrongZoneAssumed' as const, words: wordsWith(3) },
    { ...row, place: 'zoneAssumed' as const, words: wordsWith(285) },
  ];
  const places = { simulated: true as const, split: 'test', seeds: [1], livesAt: 0.05, rows };
  const scenes = { seed: 1, rows: [{ place: 'none' as const, words: wordsWith(297) }] };
  renderPage(<AboutScreen />, { at: '/about', evidence: { ...fakeEvidence, places, scenes } });
  expect(lines()[3]).toBe('Not sure, 25 to 50%: of 100 such results in tests, about 97 were right.');
  expect(screen.getByText(/^These figures are for one bird at a known place/)).toBeTruthy();
  const [, atPlaces, ofSeveral] = screen.getAllByRole('table').map((table) =>
    within(table)
      .getAllByRole('row')
      .map((each) => [...each.children].map(({ textContent }) => textContent)),
  );
  expect(atPlaces?.[0]).toEqual(['Word', 'Correct, place given', 'Correct, place assumed']);
  expect(atPlaces?.[1]).toEqual(['Very likely', '291 of 300 (97%)', '285 of 300 (95%)']);
  expect(ofSeveral?.[0]).toEqual(['Word', 'Correct, no place']);
  expect(ofSeveral?.[1]).toEqual(['Very likely', '297 of 300 (99%)']);
});

it('The About page shows the words of confidence alone if there are no test results', () => {
  renderPage(<AboutScreen />, { at: '/about', evidence: null });
  expect(lines()[0]).toBe('Very likely, 90 to 100%');
  expect(screen.queryByRole('table')).toBeNull();
  expect(screen.queryByText(/don’t expect the same accuracy/)).toBeNull();
});
