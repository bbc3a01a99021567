import { makeWav, type WavShape } from '@chiffchaff/analysis/testing';

const whistle = (time: number): number =>
  time % 1 < 0.4 ? 0.25 * Math.sin(2 * Math.PI * (3000 * time + 40 * Math.sin(30 * time))) : 0;

/** For tests: a WAV file of an intermittent whistle, 16 bit mono. */
export const makeWave = (shape: Pick<WavShape, 'seconds' | 'sampleRate'>): Uint8Array =>
  new Uint8Array(makeWav({ ...shape, sample: whistle }));
