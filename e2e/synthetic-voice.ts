import { createNoise, type RecordingFile, SAMPLE_RATE, waveOf } from '@chiffchaff/bench/harness/recordings';

/**
 * Quiet noise with a synthetic voice from second `from` to second `to`, which the model takes for a human one: 300 pulses a second, with
 * a pitch that rises and falls about once a second, filtered by the resonances of a mouth. 16-bit PCM, 48 kHz, mono.
 */
export function syntheticVoice(seconds: number, from: number, to: number, name = 'walk.wav'): RecordingFile {
  const resonances = [
    { hertz: 1000, width: 80, gain: 1 },
    { hertz: 1600, width: 100, gain: 0.8 },
    { hertz: 3300, width: 150, gain: 0.8 },
    { hertz: 4200, width: 200, gain: 0.5 },
    { hertz: 6000, width: 400, gain: 0.2 },
  ].map(({ hertz, width, gain }) => {
    const decay = Math.exp((-Math.PI * width) / SAMPLE_RATE);
    return { gain, decay, turn: 2 * decay * Math.cos((2 * Math.PI * hertz) / SAMPLE_RATE), last: 0, before: 0 };
  });
  const noise = createNoise(7);
  let phase = 0;
  const voice = Array.from({ length: Math.round((to - from) * SAMPLE_RATE) }, (_, index) => {
    const time = index / SAMPLE_RATE;
    const cry = Math.min(1, (time % 1.1) / 0.88);
    const loudness = Math.sqrt(Math.sin(Math.PI * cry));
    phase +=
      (300 * (1 + 0.25 * Math.sin(Math.PI * cry)) * (1 + 0.01 * Math.sin(12 * Math.PI * time) + 0.01 * noise())) / SAMPLE_RATE;
    const pulse = phase >= 1 ? 1 : 0;
    phase -= pulse;
    return resonances.reduce((sum, resonance) => {
      const { decay, turn, last, before, gain } = resonance;
      resonance.last = (1 - decay) * (pulse + 0.01 * noise()) * (loudness || 0) + turn * last - decay * decay * before;
      resonance.before = last;
      return sum + gain * resonance.last;
    }, 0);
  });
  const loudest = voice.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
  const first = Math.round(from * SAMPLE_RATE);
  return waveOf(name, seconds, (index) => 0.5 * ((voice[index - first] ?? 0) / loudest) + 0.002 * noise());
}
