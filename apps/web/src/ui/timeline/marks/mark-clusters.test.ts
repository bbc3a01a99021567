import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clusterMarks, type Mark, mergeBars } from './mark.ts';

const mark = (startSeconds: number, endSeconds = startSeconds + 3): Mark => ({
  id: String(startSeconds),
  lane: 'a',
  label: 'A',
  language: undefined,
  review: undefined,
  startSeconds,
  endSeconds,
  description: '',
  confidence: 0.9,
  isFaint: false,
  isNamed: true,
  aside: null,
});
const view = { startSeconds: 0, endSeconds: 100 };

describe('Clusters of detections in the timeline', () => {
  it('leave detections alone that are far enough apart to be hit separately', () => {
    const clusters = clusterMarks([mark(10, 20), mark(40, 60)], 100, 1000);
    expect(clusters.map(({ startSeconds, endSeconds }) => [startSeconds, endSeconds])).toEqual([
      [10, 20],
      [40, 60],
    ]);
  });

  it('give a short detection a target 44 pixels wide around its middle', () => {
    const [cluster] = clusterMarks([mark(50, 51)], 100, 1000);
    expect(cluster?.startSeconds).toBeCloseTo(48.3);
    expect(cluster?.endSeconds).toBeCloseTo(52.7);
  });

  it('join detections whose targets would touch, and separate them when zoomed in', () => {
    const marks = [mark(10), mark(14), mark(80)];
    expect(clusterMarks(marks, 100, 500).map((cluster) => cluster.marks.length)).toEqual([2, 1]);
    expect(clusterMarks(marks, 15, 500).map((cluster) => cluster.marks.length)).toEqual([1, 1, 1]);
  });

  it('contain a single detection each while the width of the timeline is unknown', () => {
    expect(clusterMarks([mark(10), mark(14)], 100, 0)).toHaveLength(2);
  });

  it('never overlap, are at least 44 pixels wide, and contain every detection', () => {
    const starts = fc.uniqueArray(fc.integer({ min: 0, max: 95 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(starts, fc.integer({ min: 100, max: 2000 }), (found, width) => {
        const clusters = clusterMarks(
          found.map((start) => mark(start, start + 1)),
          100,
          width,
        );
        expect(clusters.flatMap((cluster) => cluster.marks)).toHaveLength(found.length);
        for (const [index, { startSeconds, endSeconds }] of clusters.entries()) {
          expect(((endSeconds - startSeconds) / 100) * width).toBeGreaterThan(43.99);
          const next = clusters[index + 1];
          if (next) expect(endSeconds).toBeLessThanOrEqual(next.startSeconds + 1e-6);
        }
      }),
    );
  });
});

describe('The bars of detections in the timeline', () => {
  it('are drawn as one if they would touch, and separately if there is room', () => {
    const marks = [mark(10), mark(13.1), mark(40)];
    expect(mergeBars(marks, view, 1000)).toEqual([
      { startSeconds: 10, endSeconds: 16.1 },
      { startSeconds: 40, endSeconds: 43 },
    ]);
    expect(mergeBars(marks, { startSeconds: 10, endSeconds: 20 }, 1000)).toHaveLength(3);
  });

  it('are limited in number by the width of the timeline, however many detections there are', () => {
    const marks = Array.from({ length: 3600 }, (_, index) => mark(index * 3, index * 3 + 2));
    expect(mergeBars(marks, { startSeconds: 0, endSeconds: 10_800 }, 800).length).toBeLessThan(400);
  });
});
