import { expect, it } from 'vitest';
import { labelPlaces } from './place-labels.ts';

const springfield = (region: string | null, latitude: number) => ({
  name: 'Springfield',
  region,
  countryCode: 'US',
  latitude,
  longitude: -90,
});

it('A place is labelled by name, region and country, in the language of the page', () => {
  const hamburg = { name: 'Hamburg', region: 'Hamburg', countryCode: 'DE', latitude: 53.55, longitude: 9.99 };
  expect([...labelPlaces([springfield('Illinois', 39.8), hamburg], 'en').keys()]).toEqual([
    'Springfield, Illinois, United States',
    'Hamburg, Germany',
  ]);
  // Regions have English names only.
  const illinois = springfield('Illinois', 39.8);
  expect([...labelPlaces([illinois, hamburg], 'de').keys()]).toEqual(['Springfield, Vereinigte Staaten', 'Hamburg, Deutschland']);
  expect([...labelPlaces([illinois, springfield('Ohio', 39.9)], 'de').keys()]).toEqual([
    'Springfield, Illinois, Vereinigte Staaten',
    'Springfield, Ohio, Vereinigte Staaten',
  ]);
});

it('Places with the same label are distinguished by their coordinates', () => {
  const labelled = labelPlaces([springfield(null, 39.8), springfield(null, 44.05)], 'en');
  expect([...labelled.keys()]).toEqual([
    'Springfield, United States (39.80, -90.00)',
    'Springfield, United States (44.05, -90.00)',
  ]);
  expect([...labelled.values()].map(({ latitude }) => latitude)).toEqual([39.8, 44.05]);
});
