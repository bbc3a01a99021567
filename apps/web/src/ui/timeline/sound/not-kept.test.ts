import { expect, it } from 'vitest';
import { findNotKept } from './sound-clock.ts';

const moment = (startSeconds: number, endSeconds: number) => ({ startSeconds, endSeconds });

it('is what lies before, between and after the excerpts', () => {
  expect(findNotKept([moment(3, 9), moment(20, 26)], 60)).toEqual([moment(0, 3), moment(9, 20), moment(26, 60)]);
});

it('is nothing where a moment reaches the edge', () => {
  expect(findNotKept([moment(0, 9), moment(9.01, 59.99)], 60)).toEqual([]);
});

it('is nothing of a whole recording, and everything where no moment was kept', () => {
  expect(findNotKept(undefined, 60)).toEqual([]);
  expect(findNotKept([], 60)).toEqual([moment(0, 60)]);
});
