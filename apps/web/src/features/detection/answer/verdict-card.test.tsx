import { screen } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { speak } from '../../../languages/i18n.ts';
import { fakeCandidate, fakeEvidence } from '../../../testing/fake-data.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { WordEvidence } from './verdict-card.tsx';

const chiffchaff = fakeCandidate();
const rare = fakeCandidate({
  scientificName: 'Locustella fluviatilis',
  commonName: 'River Warbler',
  confidenceWord: 'perhaps',
});
const show = (named: readonly ReturnType<typeof fakeCandidate>[], evidence: typeof fakeEvidence | null = fakeEvidence) =>
  renderPage(<WordEvidence modelId="made-up" named={named} namesIn="en" />, { evidence });
const lines = () => screen.queryAllByRole('listitem').map(({ textContent }) => textContent);

afterEach(() => speak('en'));

describe('the evidence beside the word', () => {
  it('says how often the word was right, and how often this bird', () => {
    show([chiffchaff]);
    expect(lines()).toEqual([
      'When we said “Very likely” about test recordings, we were right in 97 of 100 (97%).',
      'Common Chiffchaff: we named 14 test recordings so, 13 of them rightly.',
    ]);
  });

  it('says that there are few tests for a bird', () => {
    show([rare]);
    expect(lines()).toEqual([
      'When we said “Perhaps” about test recordings, we were right in 11 of 20 (55%).',
      'River Warbler: few tests for this bird. We named it in fewer than 5 test recordings.',
    ]);
  });

  it('says each word once when several birds are named', () => {
    show([chiffchaff, fakeCandidate({ scientificName: 'Erithacus rubecula', commonName: 'European Robin' })]);
    expect(lines()).toHaveLength(3);
  });

  it('says it in German', async () => {
    await speak('de');
    show([chiffchaff, rare]);
    expect(lines()[0]).toBe('Mit „Sehr wahrscheinlich“ lagen wir bei 97 von 100 Testaufnahmen richtig (97\u00a0%).');
    expect(lines()[3]).toContain('wenige Tests für diesen Vogel');
  });

  it('says nothing where nobody has counted, or no bird is named', () => {
    show([chiffchaff], null);
    show([]);
    expect(lines()).toEqual([]);
  });

  it('asks the server once for what everybody may know', async () => {
    const fetched = vi.fn(async (_address: string) => Response.json(fakeEvidence));
    vi.stubGlobal('fetch', fetched);
    renderPage(<WordEvidence modelId="made-up" named={[chiffchaff]} namesIn="en" />, { evidence: 'ask' });
    expect(await screen.findByText(/right in 97 of 100/)).toBeTruthy();
    expect(fetched.mock.calls.map(([address]) => address)).toEqual(['/v1/models/made-up/evidence']);
  });
});
