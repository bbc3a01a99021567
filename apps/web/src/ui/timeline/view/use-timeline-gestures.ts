import { type PointerEvent, type RefObject, useEffect, useEffectEvent, useRef } from 'react';
import { panView, spanOf, zoomView } from './view.ts';
import type { Viewport } from './viewport.ts';

interface Options {
  readonly plot: RefObject<HTMLElement | null>;
  readonly viewport: Viewport;
  readonly durationSeconds: number;
  readonly onSeek: (seconds: number) => void;
}

/** A press that moves fewer pixels than this is a click. */
const CLICK_TOLERANCE = 5;

/** Click seeks, drag pans, two fingers zoom; a wheel with Ctrl (or a touchpad's pinch) zooms, a sideways wheel pans. */
export function useTimelineGestures({ plot, viewport, durationSeconds, onSeek }: Options) {
  const pointers = useRef(new Map<number, number>());
  const gesture = useRef<{ moved: boolean; lastX: number; lastSpread: number }>({ moved: false, lastX: 0, lastSpread: 0 });

  const secondsAt = (clientX: number): number => {
    const box = plot.current?.getBoundingClientRect();
    const view = viewport.view();
    return box && box.width > 0 ? view.startSeconds + ((clientX - box.left) / box.width) * spanOf(view) : view.startSeconds;
  };
  const secondsPerPixel = (): number => spanOf(viewport.view()) / Math.max(1, plot.current?.clientWidth ?? 1);
  const spread = (): number => {
    const places = [...pointers.current.values()];
    return Math.max(...places) - Math.min(...places);
  };
  const middle = (): number => {
    const places = [...pointers.current.values()];
    return places.reduce((sum, place) => sum + place, 0) / places.length;
  };

  const onWheel = useEffectEvent((event: WheelEvent) => {
    if (event.ctrlKey)
      viewport.set(zoomView(viewport.view(), Math.exp(-event.deltaY / 300), secondsAt(event.clientX), durationSeconds));
    else if (Math.abs(event.deltaX) > Math.abs(event.deltaY))
      viewport.set(panView(viewport.view(), event.deltaX * secondsPerPixel(), durationSeconds));
    else return; // vertical scrolling belongs to the page
    event.preventDefault();
  });
  useEffect(() => {
    const element = plot.current;
    // React's wheel listeners are passive and cannot keep the page from zooming.
    const listener = (event: WheelEvent) => onWheel(event);
    element?.addEventListener('wheel', listener, { passive: false });
    return () => element?.removeEventListener('wheel', listener);
  }, [plot]);

  return {
    onPointerDown(event: PointerEvent<HTMLElement>) {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      pointers.current.set(event.pointerId, event.clientX);
      gesture.current = { moved: pointers.current.size > 1, lastX: middle(), lastSpread: spread() };
    },
    onPointerMove(event: PointerEvent<HTMLElement>) {
      if (!pointers.current.has(event.pointerId)) return;
      const now = gesture.current;
      if (!now.moved && Math.abs(event.clientX - now.lastX) < CLICK_TOLERANCE) return;
      now.moved = true;
      pointers.current.set(event.pointerId, event.clientX);
      const centre = middle();
      viewport.set(panView(viewport.view(), (now.lastX - centre) * secondsPerPixel(), durationSeconds));
      if (pointers.current.size > 1 && now.lastSpread > 0 && spread() > 0)
        viewport.set(zoomView(viewport.view(), spread() / now.lastSpread, secondsAt(centre), durationSeconds));
      now.lastX = centre;
      now.lastSpread = spread();
    },
    onPointerUp(event: PointerEvent<HTMLElement>) {
      if (!pointers.current.delete(event.pointerId)) return;
      if (!gesture.current.moved) onSeek(secondsAt(event.clientX));
      else if (pointers.current.size > 0) gesture.current = { moved: true, lastX: middle(), lastSpread: spread() };
    },
    onPointerCancel(event: PointerEvent<HTMLElement>) {
      pointers.current.delete(event.pointerId);
    },
  };
}
