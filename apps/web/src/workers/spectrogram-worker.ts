import type { SpectrogramImage, SpectrogramRequest } from './spectrogram/messages.ts';
import { createSpectrogram, mixChannels, type Spectrogram } from './spectrogram/spectrogram.ts';

/** Computes spectrogram images off the main thread. Samples arrive once, by transfer; images leave the same way. */
let spectrogram: Spectrogram | null = null;

/** A few short drawings of nothing, while the page is still decoding: code that has run before runs several times as fast. */
function warmUp(): void {
  const view = {
    startSeconds: 0,
    endSeconds: 1,
    maxHz: 12_000,
    widthPixels: 200,
    heightPixels: 100,
    palette: 'viridis',
  } as const;
  for (let round = 0; round < 3; round += 1) createSpectrogram(new Float32Array(16_000), 16_000).draw(view);
}
warmUp();

self.addEventListener('message', ({ data }: MessageEvent<SpectrogramRequest>) => {
  if (data.type === 'load') {
    spectrogram = createSpectrogram(mixChannels(data.channels), data.sampleRate);
    return;
  }
  if (!spectrogram) return;
  const image: SpectrogramImage = { id: data.id, view: data.view, pixels: spectrogram.draw(data.view) };
  self.postMessage(image, { transfer: [image.pixels.buffer] });
});
