import { createSpectrumImage, type SpectrumImage } from '@chiffchaff/recognizer/audio';
import type { SpectrogramRequest } from '../spectrogram-worker-client.ts';
import { mixChannels } from './mix-channels.ts';

/** Computes spectrograms off the main thread. Samples arrive once, by transfer; levels leave the same way. */
let spectrum: SpectrumImage | null = null;

/** Measures a few seconds of a sample sound twice and drops the levels, so that the slow first runs are over. */
function warmUp(): void {
  const sampleRate = 32_000;
  const window = { startSeconds: 0, endSeconds: 4, maxHz: 15_000, columns: 512, rows: 320 };
  const samples = Float32Array.from({ length: window.endSeconds * sampleRate }, (_, index) => Math.sin(index * index * 1e-6));
  for (let round = 0; round < 2; round += 1) createSpectrumImage(samples, sampleRate).levels(window);
}

self.addEventListener('message', ({ data }: MessageEvent<SpectrogramRequest>) => {
  if (data.type === 'warm-up') warmUp();
  else if (data.type === 'load') spectrum = createSpectrumImage(mixChannels(data.channels), data.sampleRate);
  else {
    const levels = spectrum?.levels(data.window) ?? new Uint8Array(data.window.columns * data.window.rows);
    self.postMessage(levels, { transfer: [levels.buffer] });
  }
});
