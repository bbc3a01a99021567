import type { BirdReview, Prediction } from '@chiffchaff/contract';
import { afterEach, expect, it } from 'vitest';
import { speak, spoken } from '../../../../../languages/i18n.ts';
import { createWords } from '../../../../../platform/format/words.ts';
import { fakeConfig, fakeNamedBird, fakePrediction } from '../../../../../testing/fake-data.ts';
import { cardContent, cardInWords } from './card-content.ts';

afterEach(() => speak('en'));

const bird = (scientificName: string, confidence: number, part: object = {}) =>
  fakeNamedBird({
    scientificName,
    commonName: `The ${scientificName}`,
    confidence,
    confidenceWord: 'likely',
    occurrence: 0.5,
    ...part,
  });
const answer = (part: Partial<Prediction>, ...named: readonly ReturnType<typeof bird>[]): Prediction => ({
  ...fakePrediction(part),
  ...(named.length > 0 && { verdict: { ...fakePrediction().verdict, kind: 'several', named: [...named] } }),
});
const contentOf = (prediction: Prediction, region: string | null = 'DE', language = 'en') =>
  cardContent(
    prediction,
    region,
    spoken.snapshot().t,
    language,
    createWords(fakeConfig.model?.words ?? null, spoken.snapshot().t, language),
  );
const placed: Partial<Prediction> = {
  conditions: {
    ...fakePrediction().conditions,
    latitude: 50.8322,
    longitude: 12.9252,
    date: '2026-05-17',
    week: 19,
    placeSource: 'stated',
  },
};

it('The picture of a shared result shows birds, region and month, and nothing else about the recording', () => {
  const prediction = answer({ ...placed, recording: { ...fakePrediction().recording, fileName: 'Chemnitz_garden_0512.wav' } });
  const content = contentOf(prediction);
  expect(content).toMatchObject({ sentence: null, where: 'Germany · May 2026', more: null });
  expect(content.birds).toEqual([
    { name: 'Common Chiffchaff', scientificName: 'Phylloscopus collybita', facts: 'Very likely, 96%' },
  ]);
  const all = JSON.stringify(content) + cardInWords(content, 'en');
  for (const secret of [
    'Chemnitz',
    '50.8',
    '12.9',
    '17',
    prediction.id,
    prediction.createdAt.slice(0, 10),
    prediction.recording.sha256,
  ])
    expect(all, secret).not.toContain(secret);
});

it('The picture of a shared result shows the month instead of the week, region names in German, and no region if none is known', async () => {
  const { date: _, ...conditions } = { ...fakePrediction().conditions, ...placed.conditions };
  const prediction = answer({ conditions: { ...conditions, week: 9 } as Prediction['conditions'] });
  expect(contentOf(prediction, null).where).toBe('March');
  await speak('de');
  expect(contentOf(prediction, '155', 'de').where).toBe('Westeuropa · März');
});

it('The picture of a shared result names the five surest birds, and counts the others', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const { birds, more } = contentOf(answer(placed, ...names.map((name, index) => bird(name, 0.7 + index / 100))));
  expect(birds.map(({ scientificName }) => scientificName)).toEqual(['g', 'f', 'e', 'd', 'c']);
  expect(more).toBe('and 2 more birds');
});

it('The picture of a shared result says where a bird lives that may be from elsewhere', () => {
  const { birds } = contentOf(answer({}, bird('a', 0.8, { regions: ['018'], occurrence: null })), null);
  expect(birds[0]?.facts).toMatch(/· Lives in Southern Africa\.$/);
});

it('The picture of a shared result asks about a bird from elsewhere, and shows it only if its owner confirms it', () => {
  const elsewhere = bird('a', 0.95, { assumed: 'elsewhere', regions: ['003'] });
  const sentence = 'Likely a bird, which lives in Northern America. Was it recorded there?';
  const shown = (reviews: BirdReview[], ...others: readonly ReturnType<typeof bird>[]) => {
    const prediction = answer({ reviews }, elsewhere, ...others);
    return contentOf({ ...prediction, verdict: { ...prediction.verdict, kind: 'identified', sentence } }, null);
  };
  const review = { scientificName: 'a', commonName: 'The a', to: null, toCommonName: null, at: '2026-05-01T06:00:00.000Z' };
  expect(shown([])).toMatchObject({ birds: [], sentence });
  expect(shown([], bird('b', 0.6))).toMatchObject({ birds: [{ name: 'The b' }], sentence: null });
  expect(shown([{ ...review, verdict: 'confirmed' }])).toMatchObject({ birds: [{ name: 'The a' }], sentence: null });
  expect(shown([{ ...review, verdict: 'rejected' }])).toMatchObject({ birds: [], sentence: 'No bird found.' });
});

it('The picture of a shared result shows birds that its owner confirmed, added or corrected to, and none that it rejected', () => {
  const said = (scientificName: string, part: Partial<BirdReview>): BirdReview => ({
    ...{ scientificName, commonName: scientificName, verdict: 'rejected', to: null, toCommonName: null },
    ...{ at: '2026-05-01T06:00:00.000Z', ...part },
  });
  const named = [bird('a', 0.9), bird('b', 0.8), bird('c', 0.7)];
  const reviews = [
    said('a', {}),
    said('b', { verdict: 'corrected', to: 'w', toCommonName: 'A wren' }),
    said('c', { verdict: 'confirmed' }),
    said('d', { verdict: 'added' }),
  ];
  expect(contentOf(answer({ ...placed, reviews }, ...named)).birds).toEqual([
    { name: 'd', scientificName: 'd', facts: 'Identified by a person' },
    { name: 'A wren', scientificName: 'w', facts: 'Identified by a person' },
    { name: 'The c', scientificName: 'c', facts: 'Confirmed by a person' },
  ]);
  expect(contentOf(answer({ ...placed, reviews: [said('a', {})] }, bird('a', 0.9)))).toMatchObject({
    ...{ sentence: 'No bird found.', birds: [], best: null },
  });
});

it('The picture of a shared result says that no bird was found', () => {
  const verdict = { ...fakePrediction().verdict, kind: 'noBird' as const, named: [], sentence: 'No bird found.' };
  expect(contentOf(answer({ ...placed, verdict }))).toMatchObject({ sentence: 'No bird found.', birds: [], best: null });
});
