import { fireEvent, screen } from '@testing-library/react';
import { useRef } from 'react';
import { expect, it } from 'vitest';
import { renderAbandoned } from '../../../testing/render-abandoned.tsx';
import { useTimelineGestures } from './use-timeline-gestures.ts';
import { createViewport, type Viewport } from './viewport.ts';

function Plot({ viewport }: { readonly viewport: Viewport }) {
  const plot = useRef<HTMLDivElement>(null);
  useTimelineGestures({ plot, viewport, durationSeconds: 60, onSeek: () => {} });
  return <div ref={plot} data-testid="plot" />;
}

it('The mouse wheel zooms the timeline that is shown, not a timeline that React discarded', async () => {
  const whole = { startSeconds: 0, endSeconds: 60 };
  const [shown, abandoned] = [createViewport(whole), createViewport(whole)];
  await renderAbandoned(<Plot viewport={shown} />, <Plot viewport={abandoned} />);
  // The test DOM has no modifier keys in its wheel events.
  fireEvent(screen.getByTestId('plot'), Object.assign(new Event('wheel'), { ctrlKey: true, deltaY: -300, clientX: 0 }));
  expect(abandoned.view()).toEqual(whole);
  expect(shown.view().endSeconds).toBeLessThan(60);
});
