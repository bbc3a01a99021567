import type { ConfidenceEvidence, Prediction } from '@chiffchaff/contract';

/** How often the words were right under such conditions; the tests with a place drew one for each recording. */
export function testsOf({ tested, places }: ConfidenceEvidence, { placeSource }: Prediction['conditions']) {
  const place = { none: 'none', assumed: 'zoneAssumed', stated: 'town', file: 'town' }[placeSource];
  const drawn = placeSource === 'none' ? undefined : places?.rows.find((row) => row.place === place);
  return { words: (drawn ?? tested).words, key: drawn ? 'evidence.wordAtPlace' : 'evidence.word' } as const;
}
