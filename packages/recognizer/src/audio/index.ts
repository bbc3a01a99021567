/** Arithmetic on samples for drawing and measuring sound without a model. */
export { binHzOf, createFrameSampler, powerBetween } from './check-up/frames.ts';
export { createDownmix } from './downmix.ts';
export { createFrontEnd, type FrontEndConstants, type MelConstants } from './front-end.ts';
export { replaceInvalidSamples } from './replace-invalid-samples.ts';
export { createSpectrumFrames } from './spectrum-frames.ts';
export {
  createColumnWriter,
  createSpectrumImage,
  type SpectrumExtent,
  type SpectrumImage,
} from './spectrum-image.ts';
export { chooseScale, decibels, SCALE_FRAMES, type SpectrumScale } from './spectrum-scale.ts';
export { type ReadBytes, readWaveChunks, type WaveChunks } from './wave-chunks.ts';
export { WAVE_HEADER_BYTES, waveChunk, waveHeader } from './wave-header.ts';
