import { describe, expect, it } from 'vitest';
import { highestOf, occurrenceWordOf, pointsAround } from './occurrence-word.ts';

describe('The word for an occurrence (`occurrenceWordOf`)', () => {
  it.each([
    ['a bird of the place', 'Parus major', { here: 0.03, nearby: 0.9, wholeYear: 0.9 }, 'expected'],
    ['a scarce bird', 'Dryobates minor', { here: 0.006, nearby: 0.028, wholeYear: 0.02 }, 'seldomReported'],
    ['a bird of another season', 'Cygnus columbianus', { here: 0.0001, nearby: 0.0005, wholeYear: 0.034 }, 'seldomReported'],
    [
      'a bird that is reported only nearby',
      'Cygnus atratus',
      { here: 0.001, nearby: 0.0039, wholeYear: 0.029 },
      'seldomReported',
    ],
    [
      'a bird of the night that few report',
      'Porzana porzana',
      { here: 0.0005, nearby: 0.0015, wholeYear: 0.02 },
      'seldomReported',
    ],
    ['a bird of the day that few report', 'Parus major', { here: 0.0005, nearby: 0.0015, wholeYear: 0.02 }, 'notKnown'],
    [
      'an owl that is reported more nearby',
      'Aegolius funereus',
      { here: 0.0244, nearby: 0.318, wholeYear: 0.0238 },
      'seldomReported',
    ],
    ['an owl from another continent', 'Bubo virginianus', { here: 0.0001, nearby: 0.0001, wholeYear: 0.0003 }, 'notKnown'],
    ['a bird from beyond the sea', 'Dryocopus martius', { here: 0.0058, nearby: 0.0498, wholeYear: 0.0216 }, 'notKnown'],
    [
      'a scarce bird whose surroundings are unknown',
      'Parus major',
      { here: 0.003, nearby: null, wholeYear: null },
      'seldomReported',
    ],
    [
      'a bird rarer than can be judged without the surroundings',
      'Parus major',
      { here: 0.0029, nearby: null, wholeYear: null },
      null,
    ],
  ] as const)('for %s (%s, %j) is %j', (_, scientificName, occurrence, word) => {
    expect(occurrenceWordOf(scientificName, occurrence)).toBe(word);
  });
});

describe('The points around a place at which occurrence is looked up', () => {
  const kilometers = (a: { latitude: number; longitude: number }, b: { latitude: number; longitude: number }): number => {
    const [north, otherNorth, east] = [a.latitude, b.latitude, b.longitude - a.longitude].map((angle) => (angle * Math.PI) / 180);
    return (
      6371 *
      Math.acos(
        Math.sin(north ?? 0) * Math.sin(otherNorth ?? 0) + Math.cos(north ?? 0) * Math.cos(otherNorth ?? 0) * Math.cos(east ?? 0),
      )
    );
  };

  it.each([
    { latitude: 52.2, longitude: 0.12, week: 18 },
    { latitude: -16.5, longitude: 179.9, week: null },
    { latitude: 89.5, longitude: 10, week: 3 },
  ])('are 8 at 150 km and 8 at 300 km around %o', (place) => {
    const points = pointsAround(place);
    expect(points.map((point) => Math.round(kilometers(place, point)))).toEqual([
      ...Array<number>(8).fill(150),
      ...Array<number>(8).fill(300),
    ]);
    expect(points.every(({ longitude, week }) => Math.abs(longitude) <= 180 && week === place.week)).toBe(true);
  });
});

it('`highestOf` returns the highest occurrence of each label over several places', () => {
  expect([...highestOf(Float32Array.of(1, 5, 3, 4, 2, 6), 3)]).toEqual([4, 5, 6]);
});
