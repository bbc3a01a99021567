import type { SpectrogramImage, SpectrogramRequest } from './spectrogram/messages.ts';
import { createSpectrogram, mixChannels, type Spectrogram } from './spectrogram/spectrogram.ts';

/** Computes spectrogram images off the main thread. Samples arrive once, by transfer; images leave the same way. */
let spectrogram: Spectrogram | null = null;

self.addEventListener('message', ({ data }: MessageEvent<SpectrogramRequest>) => {
  if (data.type === 'load') {
    spectrogram = createSpectrogram(mixChannels(data.channels), data.sampleRate);
    return;
  }
  if (!spectrogram) return;
  const image: SpectrogramImage = { id: data.id, view: data.view, pixels: spectrogram.draw(data.view) };
  self.postMessage(image, { transfer: [image.pixels.buffer] });
});
