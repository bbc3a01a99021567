import type { CSSProperties } from 'react';
import type { Span } from '../../../platform/format/format.ts';

/** The part of a recording that a timeline shows, in seconds. All functions are pure. */
export type View = Span;

const NARROWEST_SECONDS = 0.5;

export const spanOf = ({ startSeconds, endSeconds }: View): number => endSeconds - startSeconds;

export const wholeView = (durationSeconds: number): View => ({ startSeconds: 0, endSeconds: durationSeconds });

/** A view of the given span, within the recording and as close to `startSeconds` as possible. */
function place(startSeconds: number, spanSeconds: number, durationSeconds: number): View {
  const span = Math.min(durationSeconds, Math.max(Math.min(NARROWEST_SECONDS, durationSeconds), spanSeconds));
  const start = Math.min(Math.max(0, startSeconds), durationSeconds - span);
  return { startSeconds: start, endSeconds: start + span };
}

/** Zooms by `factor` (above 1 zooms in); `anchorSeconds` keeps its place on the screen. */
export function zoomView(view: View, factor: number, anchorSeconds: number, durationSeconds: number): View {
  const span = Math.min(durationSeconds, Math.max(Math.min(NARROWEST_SECONDS, durationSeconds), spanOf(view) / factor));
  const anchorShare = (anchorSeconds - view.startSeconds) / spanOf(view);
  return place(anchorSeconds - anchorShare * span, span, durationSeconds);
}

export function panView(view: View, bySeconds: number, durationSeconds: number): View {
  return place(view.startSeconds + bySeconds, spanOf(view), durationSeconds);
}

/** The same view if it contains the moment, otherwise one of the same span that begins a little before it, like turning a page. */
export function revealMoment(view: View, seconds: number, durationSeconds: number): View {
  if (seconds >= view.startSeconds && seconds <= view.endSeconds) return view;
  return place(seconds - spanOf(view) * 0.08, spanOf(view), durationSeconds);
}

/** The view that a passage fills, with a little room on either side. */
export function showPassage(startSeconds: number, endSeconds: number, durationSeconds: number): View {
  const room = (endSeconds - startSeconds) * 0.15;
  return place(startSeconds - room, endSeconds - startSeconds + 2 * room, durationSeconds);
}

/** Position of a moment in the view, in percent of its width. */
export const percentOf = (view: View, seconds: number): number => ((seconds - view.startSeconds) / spanOf(view)) * 100;

const TICK_STEPS = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 28_800];

/**
 * Round moments, at most about `most` of them within the view, and the step between them (seconds).
 *
 * @param around where ticks are wanted, if that is more than the view
 */
export function timeTicks(
  view: View,
  most: number,
  around: View = view,
): { readonly stepSeconds: number; readonly ticks: readonly number[] } {
  const stepSeconds = TICK_STEPS.find((step) => spanOf(view) / step <= most) ?? 28_800;
  const first = Math.ceil(around.startSeconds / stepSeconds - 1e-9);
  const last = Math.floor(around.endSeconds / stepSeconds + 1e-9);
  return { stepSeconds, ticks: Array.from({ length: last - first + 1 }, (_, index) => (first + index) * stepSeconds) };
}

/** The view and as much again on either side, within the recording: the rendered part, so that a pan need not render. */
export const aroundView = (view: View, durationSeconds: number): View => ({
  startSeconds: Math.max(0, view.startSeconds - spanOf(view)),
  endSeconds: Math.min(durationSeconds, view.endSeconds + spanOf(view)),
});

/** Position of a span within a strip that shows `strip`. */
export const placeIn = (strip: View, { startSeconds, endSeconds }: Span): CSSProperties => ({
  left: `${percentOf(strip, startSeconds)}%`,
  width: `${percentOf(strip, endSeconds) - percentOf(strip, startSeconds)}%`,
});

/**
 * Custom properties of an element with `data-follows`, which `timeline.module.css` moves with the view. There are only a few such elements,
 * strips with many children, so the browser has little to place per frame.
 */
export function followerStyle(view: View, { startSeconds, endSeconds }: Span): CSSProperties {
  return {
    '--at': startSeconds,
    '--length': endSeconds - startSeconds,
    '--from': view.startSeconds,
    '--span': spanOf(view),
  } as CSSProperties;
}
