import { describe, expect, it } from 'vitest';
import { panView, percentOf, revealMoment, showPassage, spanOf, timeTicks, wholeView, zoomView } from './view.ts';

const duration = 60;
const whole = wholeView(duration);

describe('The view of the timeline', () => {
  it('keeps the time under the pointer while zooming', () => {
    const near = zoomView(whole, 4, 30, duration);
    expect(spanOf(near)).toBe(15);
    expect(percentOf(near, 30)).toBeCloseTo(percentOf(whole, 30));
  });

  it('stays within the recording', () => {
    expect(zoomView(whole, 0.1, 5, duration)).toEqual(whole);
    const near = zoomView(whole, 6, 0, duration);
    expect(near).toEqual({ startSeconds: 0, endSeconds: 10 });
    expect(panView(near, -5, duration)).toEqual(near);
    expect(panView(near, 1000, duration)).toEqual({ startSeconds: 50, endSeconds: 60 });
  });

  it('is at least half a second long, or as long as the recording', () => {
    expect(spanOf(zoomView(whole, 1e6, 10, duration))).toBe(0.5);
    expect(spanOf(zoomView(wholeView(0.3), 10, 0.1, 0.3))).toBe(0.3);
  });

  it('shows a chosen detection whole, with room on either side', () => {
    const { startSeconds, endSeconds } = showPassage(20, 40, duration);
    expect([startSeconds, endSeconds]).toEqual([17, 43]);
    expect(showPassage(0, 60, duration)).toEqual(whole);
  });

  it('moves on when the playhead leaves it, and only then', () => {
    const near = { startSeconds: 10, endSeconds: 20 };
    expect(revealMoment(near, 15, duration)).toBe(near);
    const turned = revealMoment(near, 30, duration);
    expect(spanOf(turned)).toBeCloseTo(10);
    expect(percentOf(turned, 30)).toBeCloseTo(8);
    expect(revealMoment(near, 60, duration)).toEqual({ startSeconds: 50, endSeconds: 60 });
  });
});

describe('The time ticks of the timeline', () => {
  it('are at round times within the view', () => {
    expect(timeTicks({ startSeconds: 0, endSeconds: 8 }, 9)).toEqual({ stepSeconds: 1, ticks: [0, 1, 2, 3, 4, 5, 6, 7, 8] });
    expect(timeTicks({ startSeconds: 3.1, endSeconds: 60 }, 6)).toEqual({ stepSeconds: 10, ticks: [10, 20, 30, 40, 50, 60] });
  });

  it('are never more than there is room for', () => {
    for (const endSeconds of [0.5, 3, 45, 700, 10_800])
      expect(timeTicks({ startSeconds: 0, endSeconds }, 10).ticks.length).toBeLessThanOrEqual(11);
  });
});
