import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { labelPixels, type Mark, placeLabels } from './mark.ts';

const mark = (startSeconds: number, confidence: number, endSeconds = startSeconds + 3) =>
  ({ id: `${startSeconds} ${confidence}`, startSeconds, endSeconds, confidence }) as Mark;
const placesOf = (marks: readonly Mark[], roomSeconds = 10) =>
  placeLabels(marks, () => roomSeconds, 100, 304).map((label) => [
    label.mark.startSeconds,
    label.row,
    label.startSeconds,
    label.endSeconds,
  ]);

describe('The labels of detections in the timeline', () => {
  it('share a row if they do not overlap, and are in separate rows otherwise', () => {
    expect(placesOf([mark(0, 0.9), mark(10, 0.8), mark(15, 0.7)])).toEqual([
      [0, 0, 0, 10],
      [10, 0, 10, 20],
      [15, 1, 15, 25],
    ]);
  });

  it('are as long as their detections if those are long enough', () => {
    expect(placesOf([mark(20, 0.9, 60)])).toEqual([[20, 0, 20, 60]]);
  });

  it('have room for the whole name, and no more than a short one needs', () => {
    const place = (label: string) => placeLabels([{ ...mark(0, 0.9), label }], (one) => labelPixels(one.label) / 4, 100, 304)[0];
    expect(place('Eurasian Blackbird')?.endSeconds).toBeGreaterThan((18 * 7) / 4);
    expect(place('Wren')?.endSeconds).toBe(16);
  });

  it('stay within the recording', () => {
    expect(placesOf([mark(97, 0.9)])).toEqual([[97, 0, 90, 100]]);
  });

  it('are shown for the surest detections if there is not enough room for all', () => {
    const marks = [0.5, 0.6, 0.7, 0.8, 0.9].map((confidence) => mark(10, confidence));
    const surest = (height: number) => placeLabels(marks, () => 10, 100, height).map((label) => label.mark.confidence);
    expect(surest(304)).toEqual([0.9, 0.8, 0.7, 0.6]);
    // They take no more than a third of a low picture.
    expect(surest(152)).toEqual([0.9, 0.8]);
  });

  it('never overlap', () => {
    const marks = fc.array(fc.tuple(fc.integer({ min: 0, max: 97 }), fc.double({ min: 0, max: 1, noNaN: true })), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(marks, fc.integer({ min: 0, max: 40 }), (found, roomSeconds) => {
        const labels = placeLabels(
          found.map(([start, confidence]) => mark(start, confidence)),
          () => roomSeconds,
          100,
          304,
        );
        for (const one of labels) {
          expect(one.endSeconds - one.startSeconds).toBeGreaterThanOrEqual(roomSeconds);
          const others = labels.filter((other) => other !== one && other.row === one.row);
          for (const other of others)
            expect(one.endSeconds <= other.startSeconds || other.endSeconds <= one.startSeconds).toBe(true);
        }
      }),
    );
  });
});
