import { eventually } from '@chiffchaff/testing';
import { expect, it, vi } from 'vitest';
import { renderAbandoned } from '../../../testing/render-abandoned.tsx';
import { createViewport } from '../view/viewport.ts';
import { SpectrogramCanvas } from './spectrogram-canvas.tsx';
import type { SpectrogramSource } from './use-spectrogram-source.ts';

it('The spectrogram is painted in the colours of the page that is shown, not of one that React discarded', async () => {
  const context = { clearRect() {}, drawImage() {} } as unknown as CanvasRenderingContext2D;
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockImplementation((() => context) as never);
  const measured = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
  const paint = vi.fn<SpectrogramSource['paint']>(async () => ({ height: 1, width: 1, close() {} }));
  const source = { isWhole: true, parallel: 1, measure: () => measured.promise, paint, close() {} };
  const viewport = createViewport({ startSeconds: 0, endSeconds: 3 });
  const properties = { source, viewport, durationSeconds: 3, maxHz: 12_000, width: 300, height: 100 };
  await renderAbandoned(
    <SpectrogramCanvas {...properties} palette="viridis" />,
    <SpectrogramCanvas {...properties} palette="ink" />,
  );
  measured.resolve(new Uint8Array());
  await eventually(() => expect(paint).toHaveBeenCalled());
  expect(new Set(paint.mock.calls.map(([, , palette]) => palette))).toEqual(new Set(['viridis']));
});
