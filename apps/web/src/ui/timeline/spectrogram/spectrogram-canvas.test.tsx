import { eventually } from '@chiffchaff/testing';
import { expect, it, vi } from 'vitest';
import { renderAbandoned } from '../../../testing/render-abandoned.tsx';
import { createViewport } from '../view/viewport.ts';
import { createPalette } from './paint-levels.ts';
import { SpectrogramCanvas } from './spectrogram-canvas.tsx';

it('The spectrogram is painted in the colours of the page that is shown, not of one that React discarded', async () => {
  const painted: Uint8ClampedArray[] = [];
  vi.stubGlobal('ImageData', function (this: { data: Uint8ClampedArray }, data: Uint8ClampedArray) {
    this.data = data;
  });
  const context = { clearRect() {}, drawImage() {}, putImageData: ({ data }: ImageData) => painted.push(data) };
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockImplementation((() => context) as never);
  const measured = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
  const source = { isWhole: true, parallel: 1, measure: () => measured.promise };
  const viewport = createViewport({ startSeconds: 0, endSeconds: 3 });
  const properties = { source, viewport, durationSeconds: 3, maxHz: 12_000, width: 300, height: 100 };
  await renderAbandoned(
    <SpectrogramCanvas {...properties} palette="viridis" />,
    <SpectrogramCanvas {...properties} palette="ink" />,
  );
  measured.resolve(new Uint8Array(320).fill(255));
  await eventually(() => expect(painted).not.toEqual([]));
  const [loudest] = new Uint32Array(painted[0]?.buffer ?? new ArrayBuffer(4));
  expect(loudest).toBe(createPalette('viridis')[255]);
});
