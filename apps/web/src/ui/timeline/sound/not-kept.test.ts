import { expect, it } from 'vitest';
import { findGaps } from './sound-clock.ts';

const moment = (startSeconds: number, endSeconds: number) => ({ startSeconds, endSeconds });

it('The gaps between kept excerpts are those before, between and after the excerpts', () => {
  expect(findGaps([moment(3, 9), moment(20, 26)], 60)).toEqual([moment(0, 3), moment(9, 20), moment(26, 60)]);
});

it('The gaps between kept excerpts do not include an end of the recording that an excerpt reaches', () => {
  expect(findGaps([moment(0, 9), moment(9.01, 59.99)], 60)).toEqual([]);
});

it('The gaps between kept excerpts are none if the whole recording is kept, and the whole recording if nothing is', () => {
  expect(findGaps(undefined, 60)).toEqual([]);
  expect(findGaps([], 60)).toEqual([moment(0, 60)]);
});
