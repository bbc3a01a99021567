import { useEffect, useRef, useState } from 'react';
import { createStore } from '../../../platform/browser/store.ts';
import { spanOf, type View } from './view.ts';

export function createViewport(initial: View) {
  const frames = createStore(initial);
  let view = initial;
  let isFrameDue = false;
  const set = (next: View) => {
    if (next.startSeconds === view.startSeconds && next.endSeconds === view.endSeconds) return;
    view = next;
    if (isFrameDue) return;
    isFrameDue = true;
    requestAnimationFrame(() => {
      isFrameDue = false;
      frames.set(view);
    });
  };
  return {
    view: () => view,
    set,
    change: (next: (present: View) => View) => set(next(view)),
    /** Calls back once in each animation frame in which the view has changed. */
    onFrame: (listener: (view: View) => void) => frames.subscribe(() => listener(view)),
  };
}

/** Places all elements below `element` that follow the view: `--from` (s) is its start, `--span` (s) its length. */
export function writeView(element: HTMLElement, view: View): void {
  for (const follower of element.querySelectorAll<HTMLElement>('[data-follows]')) {
    follower.style.setProperty('--from', String(view.startSeconds));
    follower.style.setProperty('--span', String(spanOf(view)));
  }
}

/** Milliseconds between two renderings while the view zooms, which changes the number of ticks and buttons. */
const SETTLE_MS = 120;

/**
 * The view for React to render. It follows the viewport loosely: immediately when the view has moved by half its length, otherwise at most
 * every `SETTLE_MS`, and always at the end. Render one view length beyond it on either side.
 */
export function useSettledView(viewport: Viewport): View {
  const [settled, setSettled] = useState(viewport.view);
  const shown = useRef(settled);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    const settle = () => {
      timer = null;
      shown.current = viewport.view();
      setSettled(shown.current);
    };
    const stop = viewport.onFrame((view) => {
      const zoomed = Math.abs(spanOf(view) / spanOf(shown.current) - 1) > 1e-9;
      const movedBy = Math.abs(view.startSeconds - shown.current.startSeconds);
      // A pan renders only when it leaves the rendered part; otherwise rendering waits for its end.
      if (timer && !zoomed) {
        clearTimeout(timer);
        timer = null;
      }
      if (!zoomed && movedBy > spanOf(view) / 2) settle();
      else timer ??= setTimeout(settle, SETTLE_MS);
    });
    settle();
    return () => {
      stop();
      if (timer) clearTimeout(timer);
    };
  }, [viewport]);
  return settled;
}

/** The part of the recording that a timeline shows. It changes on every frame, so it is not React state: `writeView` places what moves. */
export type Viewport = ReturnType<typeof createViewport>;
