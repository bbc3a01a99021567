import { expect, it } from 'vitest';
import { isUnder, lanesOf, type Mark } from './mark.ts';

const mark = (lane: string, startSeconds: number): Mark => ({
  id: `${lane}${startSeconds}`,
  lane,
  label: lane.toUpperCase(),
  language: undefined,
  review: undefined,
  startSeconds,
  endSeconds: startSeconds + 3,
  description: '',
  confidence: 0.9,
  isFaint: false,
  isNamed: true,
  aside: null,
});

it('The lanes of the timeline (`lanesOf`) are one for each species, in the order of first appearance', () => {
  const lanes = lanesOf([mark('b', 0), mark('a', 1), mark('b', 6)]);
  expect(lanes.map(({ key, label, marks }) => [key, label, marks.length])).toEqual([
    ['b', 'B', 2],
    ['a', 'A', 1],
  ]);
});

it('A detection in the timeline includes its start time and excludes its end time', () => {
  expect([2.9, 3, 5.9, 6].map((seconds) => isUnder(mark('a', 3), seconds))).toEqual([false, true, true, false]);
});
