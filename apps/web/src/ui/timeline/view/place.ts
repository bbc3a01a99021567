import type { CSSProperties } from 'react';
import { percentOf, spanOf, type View } from './view.ts';

interface Span {
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/** The view and as much again on either side, within the recording: what is rendered, so that a pan need not render. */
export const aroundView = (view: View, durationSeconds: number): View => ({
  startSeconds: Math.max(0, view.startSeconds - spanOf(view)),
  endSeconds: Math.min(durationSeconds, view.endSeconds + spanOf(view)),
});

/** Where something lies within a strip that shows `strip`. */
export const placeIn = (strip: View, { startSeconds, endSeconds }: Span): CSSProperties => ({
  left: `${percentOf(strip, startSeconds)}%`,
  width: `${percentOf(strip, endSeconds) - percentOf(strip, startSeconds)}%`,
});

/**
 * Custom properties of an element with `data-follows`, which lies on the time axis and moves with the view. `timeline.module.css` makes
 * a place of them. They are few, each a strip with much in it: per frame the browser has to place the strips only.
 */
export function followerStyle(view: View, { startSeconds, endSeconds }: Span): CSSProperties {
  return {
    '--at': startSeconds,
    '--length': endSeconds - startSeconds,
    '--from': view.startSeconds,
    '--span': spanOf(view),
  } as CSSProperties;
}
