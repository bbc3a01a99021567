import { decibelsOf, type FramePowers, powerBetween } from './frames.ts';
import { checkUpThresholds } from './thresholds.ts';

const limits = checkUpThresholds.wind;

/** Measures the rumble that wind, handling and traffic cause at the lowest frequencies. */
export function createWindMeter(binHz: number) {
  let frames = 0;
  let windy = 0;
  let birdPower = 0;
  return {
    add(powers: FramePowers): void {
      const rumble = powerBetween(powers, binHz, ...limits.rumble);
      const birds = powerBetween(powers, binHz, ...limits.birds);
      frames += 1;
      birdPower += birds;
      const decibels = decibelsOf(rumble);
      const isWindy =
        decibels >= limits.leastDecibels &&
        decibels >= decibelsOf(birds) + limits.aboveBirdsDecibels &&
        decibelsOf(powerBetween(powers, binHz, ...limits.gusts)) >= decibels - limits.gustsBelowRumbleDecibels;
      if (isWindy) windy += 1;
    },
    /** @returns the share of frames in which rumble dominates, and the mean square in the range of most birds */
    end(): { readonly share: number; readonly birdPower: number } {
      const share = frames < limits.fewestFrames ? 0 : windy / frames;
      return { share, birdPower: birdPower / Math.max(1, frames) };
    },
  };
}
