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

it('shows how often each word was right, and how that was tested', () => {
  const { words } = fakeEvidence.crossValidated;
  const crossValidated = {
    ...fakeEvidence.crossValidated,
    words: words.map((each) => (each.word === 'veryLikely' ? { ...each, right: 288, of: 300 } : each)),
  };
  // A minute without birds tells nothing of false alarms.
  const tested = { ...fakeEvidence.tested, birdFreeHours: 0.02 };
  renderPage(<AboutScreen />, { at: '/about', evidence: { ...fakeEvidence, tested, crossValidated } });
  expect(rows()[0]).toEqual(['Very likely', '90%', '97 of 100 (97%)', '288 of 300 (96%)']);
  expect(rows()[3]).toEqual(['Not sure', '25%', '5 of 15 (33%)', '5 of 15 (33%)']);
  expect(screen.getByText(/that it was not fitted on/).textContent).toContain('183 public recordings of 80 kinds');
  expect(screen.getByText(/neither its species nor its source/).textContent).toContain('900 public recordings of 80 kinds');
  const errors = screen.getAllByText(/expected calibration error/).map(({ textContent }) => textContent);
  expect(errors).toEqual([expect.stringContaining('3.1 percentage'), expect.stringContaining('2.4 percentage')]);
  expect(screen.getAllByText(/the bare score of the model/)[0]?.textContent).toContain(
    '60% of the recordings, the bare score of the model 50%',
  );
  expect(screen.getAllByText(/90% or more: 2 an hour/)).toHaveLength(1);
  expect(screen.getByText(/not field accuracies/)).toBeTruthy();
});

it('says only once what was cross-validated with the coefficients in use', () => {
  renderPage(<AboutScreen />, {
    at: '/about',
    evidence: {
      ...fakeEvidence,
      inUse: { ...fakeEvidence.inUse, withoutPlace: 'refit' },
      tested: { ...fakeEvidence.tested, split: null },
    },
  });
  expect(rows()[0]).toEqual(['Very likely', '90%', '97 of 100 (97%)']);
  expect(screen.queryByText(/that it was not fitted on/)).toBeNull();
});

it('says both where published coefficients were tested on all recordings of a table', () => {
  const tested = { ...fakeEvidence.tested, split: null };
  renderPage(<AboutScreen />, { at: '/about', evidence: { ...fakeEvidence, tested } });
  expect(rows()[0]).toHaveLength(4);
  expect(screen.getByText(/that it was not fitted on/)).toBeTruthy();
});

it('shows the words alone where nobody has counted', () => {
  renderPage(<AboutScreen />, { at: '/about', evidence: null });
  expect(rows()[0]).toEqual(['Very likely', '90%']);
  expect(screen.queryByText(/not field accuracies/)).toBeNull();
});
