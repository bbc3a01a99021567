import { describe, expect, it } from 'vitest';
import { noise, samplesOf, sumOf, tone, type Wave } from '../testing/fake-sound.ts';
import { createSpeechMeter } from './speech.ts';

const RATE = 48_000;
const SECONDS = 3;

/** Syllables, four a second, with overtones up to 2 kHz and a melody. */
const voice =
  (hertz: number): Wave =>
  (seconds) => {
    const pitch = hertz * (1 + 0.15 * Math.sin(2 * Math.PI * 0.7 * seconds));
    // The phase is the integral of the pitch.
    const phase = 2 * Math.PI * hertz * (seconds - (0.15 * Math.cos(2 * Math.PI * 0.7 * seconds)) / (2 * Math.PI * 0.7));
    const loudness = Math.max(0, Math.sin(2 * Math.PI * 4 * seconds)) ** 0.5;
    let sum = 0;
    for (let overtone = 1; overtone * pitch < 2000; overtone++) sum += Math.sin(overtone * phase) / overtone ** 0.7;
    return 0.1 * loudness * sum;
  };
/** A song of pure notes, five a second. */
const song: Wave = (seconds) => 0.1 * Math.sin(2 * Math.PI * (3000 + 800 * Math.sin(2 * Math.PI * 5 * seconds)) * seconds);

function logOddsOf(wave: Wave, pieceSamples = 4801): number {
  const samples = samplesOf(sumOf(wave, noise(0.001)), SECONDS, RATE);
  const meter = createSpeechMeter(RATE);
  for (let from = 0; from < samples.length; from += pieceSamples) meter.push(samples.subarray(from, from + pieceSamples));
  return meter.end()(0, samples.length);
}

describe('The detection of speech by its pitch (`createSpeechMeter`)', () => {
  it.each([110, 210])('finds a voice of %i Hz, alone or together with a song', (hertz) => {
    expect(logOddsOf(voice(hertz))).toBeGreaterThan(3);
    expect(logOddsOf(sumOf(voice(hertz), song))).toBeGreaterThan(3);
  });

  it.each([
    ['noise', noise(0.1)],
    ['a song', song],
    ['a low, pure call', tone(420, 0.2)],
    ['silence', () => 0],
  ])('finds no voice in %s', (_what, wave) => {
    expect(logOddsOf(wave)).toBeLessThan(0);
  });

  it('gives the same result in whatever pieces the samples arrive', () => {
    const whole = logOddsOf(voice(150), SECONDS * RATE);
    expect(logOddsOf(voice(150), 1)).toBe(whole);
    expect(logOddsOf(voice(150), 70_001)).toBe(whole);
  });

  it('finds no speech in less than a second of audio', () => {
    const meter = createSpeechMeter(RATE);
    meter.push(samplesOf(voice(150), 0.8, RATE));
    expect(meter.end()(0, RATE)).toBe(Number.NEGATIVE_INFINITY);
  });
});
