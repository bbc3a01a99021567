import { makeWav } from '@chiffchaff/analysis/testing';

/** A mono 16-bit WAV file of a tone that rises and falls by 400 Hz, as steady ones are no bird, at 48 kHz. */
export const wav = (seconds: number): Buffer =>
  Buffer.from(makeWav({ seconds, sample: (time) => 0.25 * Math.sin(2 * Math.PI * 4000 * time + 200 * Math.sin(12 * time)) }));
