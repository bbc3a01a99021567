import { createSpectrumImage, type SpectrumImage } from '@chiffchaff/recognizer/audio';
import type { SpectrogramJob, SpectrogramReply, SpectrogramRequest } from '../spectrogram-worker-client.ts';
import { mixChannels } from './mix-channels.ts';
import { paintLevels } from './paint-levels.ts';

/** Computes and paints spectrograms off the main thread. Samples arrive once, by transfer; results leave the same way. */
let spectrum: SpectrumImage | null = null;

async function perform(job: SpectrogramJob): Promise<Uint8Array<ArrayBuffer> | ImageBitmap> {
  if (job.kind === 'measure') return spectrum?.levels(job.window) ?? new Uint8Array(job.window.columns * job.window.rows);
  const pixels = paintLevels(job.levels, job.rows, job.palette);
  return createImageBitmap(new ImageData(pixels, job.levels.length / job.rows, job.rows));
}

/** Draws a few seconds of a sample sound twice and drops the images, so that the slow first runs are over. */
async function warmUp(): Promise<void> {
  const sampleRate = 32_000;
  const rows = 320;
  const window = { startSeconds: 0, endSeconds: 4, maxHz: 15_000, columns: 512, rows };
  const samples = Float32Array.from({ length: window.endSeconds * sampleRate }, (_, index) => Math.sin(index * index * 1e-6));
  for (let round = 0; round < 2; round += 1) {
    const levels = createSpectrumImage(samples, sampleRate).levels(window);
    const image = await perform({ kind: 'paint', levels, rows, palette: 'ink' });
    if ('close' in image) image.close();
  }
}

self.addEventListener('message', ({ data }: MessageEvent<SpectrogramRequest>) => {
  if (data.type === 'warm-up') {
    void warmUp();
    return;
  }
  if (data.type === 'load') {
    spectrum = createSpectrumImage(mixChannels(data.channels), data.sampleRate);
    return;
  }
  void perform(data.job).then((result) => {
    const reply: SpectrogramReply = { id: data.id, result };
    self.postMessage(reply, { transfer: [result instanceof Uint8Array ? result.buffer : result] });
  });
});
