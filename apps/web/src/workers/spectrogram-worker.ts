import type { SpectrogramImage, SpectrogramRequest } from './spectrogram/messages.ts';
import { createSpectrogram, mixChannels, type Spectrogram } from './spectrogram/spectrogram.ts';

/** Computes spectrogram images off the main thread. Samples arrive once, by transfer; images leave the same way. */
let spectrogram: Spectrogram | null = null;

/** A few small images of noise, while the page is still decoding: code that has run before runs several times as fast. */
function warmUp(): void {
  const sampleRate = 32_000;
  const noise = Float32Array.from({ length: sampleRate }, () => Math.random() - 0.5);
  const view = {
    startSeconds: 0,
    endSeconds: 1,
    maxHz: 12_000,
    widthPixels: 300,
    heightPixels: 150,
    palette: 'viridis',
  } as const;
  for (let round = 0; round < 4; round += 1) createSpectrogram(noise, sampleRate).draw(view);
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
