import { SILENT_PEAK } from '../silence.ts';
import { createBandLimitMeter } from './band-limit.ts';
import { createClippingMeter } from './clipping.ts';
import { binHzOf, createFrameSampler, decibelsOf } from './frames.ts';
import { createHumMeter, type MainsHz } from './hum.ts';
import { checkUpThresholds } from './thresholds.ts';
import { createWindMeter } from './wind.ts';

/** A property of the audio that makes birds hard to hear; `share` is the affected part of the recording, 0…1. */
export type SoundFinding =
  /** The peaks of loud waves are missing. */
  | { readonly code: 'CLIPPED'; readonly share: number }
  /** Even the loudest moment is far below full scale. */
  | { readonly code: 'QUIET'; readonly share: number; readonly peakDecibels: number }
  /** Loud rumble below 200 Hz: wind at the microphone, handling, traffic. */
  | { readonly code: 'WIND'; readonly share: number }
  /** Spectral lines at multiples of the mains frequency. */
  | { readonly code: 'HUM'; readonly share: number; readonly mainsHz: MainsHz }
  /** No sound above `limitHz`. */
  | { readonly code: 'BAND_LIMITED'; readonly share: number; readonly limitHz: number };

/**
 * Measures a recording in one pass and constant memory. The result does not depend on how the samples are split into chunks.
 *
 * @param sampleRate Hz, of both streams
 * @param channels of the interleaved stream, 1 or more
 *
 * @example
 * const checkUp = createSoundCheckUp({ sampleRate: 48_000, channels: 1 });
 * for await (const chunk of samples) { checkUp.pushChannels(chunk); checkUp.pushMono(chunk); }
 * checkUp.end(); // [{ code: 'BAND_LIMITED', share: 1, limitHz: 4000 }]
 */
export function createSoundCheckUp({ sampleRate, channels }: { sampleRate: number; channels: number }) {
  const binHz = binHzOf(sampleRate);
  const clippingMeter = createClippingMeter(channels);
  const humMeter = createHumMeter(sampleRate);
  const windMeter = createWindMeter(binHz);
  const bandLimitMeter = createBandLimitMeter(sampleRate, binHz);
  const sampler = createFrameSampler(sampleRate, (powers) => {
    windMeter.add(powers);
    bandLimitMeter.add(powers);
  });

  return {
    /** Takes the next samples of all channels, interleaved and unmixed: the mean of the channels can hide clipping. */
    pushChannels: (interleaved: Float32Array): void => clippingMeter.push(interleaved),
    /** Takes the next samples of the mono signal that the model analyses. */
    pushMono(mono: Float32Array): void {
      sampler.push(mono);
      humMeter.push(mono);
    },
    /** Ends the recording; nothing may be pushed afterwards. Digital silence has no findings: it has its own (`SILENT`). */
    end(): readonly SoundFinding[] {
      sampler.end();
      const clipping = clippingMeter.end();
      if (clipping.peak < SILENT_PEAK) return [];
      const wind = windMeter.end();
      const hum = humMeter.end();
      const limitHz = bandLimitMeter.end();
      const { quietPeak, hum: humLimits, wind: windLimits, clipping: clippingLimits } = checkUpThresholds;
      const hums =
        hum.share >= humLimits.leastShare &&
        decibelsOf(hum.power) >= humLimits.leastDecibels &&
        decibelsOf(hum.power) >= decibelsOf(wind.birdPower) + humLimits.aboveBirdsDecibels;
      const blows = wind.share >= windLimits.leastShare && hum.toneShare <= windLimits.mostTones;

      const findings: SoundFinding[] = [];
      if (clipping.share >= clippingLimits.leastShare) findings.push({ code: 'CLIPPED', share: clipping.share });
      if (clipping.peak < quietPeak) {
        findings.push({ code: 'QUIET', share: 1, peakDecibels: Math.round(20 * Math.log10(clipping.peak)) });
      }
      if (blows) findings.push({ code: 'WIND', share: wind.share });
      if (hums) findings.push({ code: 'HUM', share: hum.share, mainsHz: hum.mainsHz });
      if (limitHz !== null) findings.push({ code: 'BAND_LIMITED', share: 1, limitHz });
      return findings;
    },
  };
}
