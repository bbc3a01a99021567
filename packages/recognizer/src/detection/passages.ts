import type { Calibration } from '../model/manifest.ts';

/**
 * First clips of the passages of a recording: one every `every` clips, the last one ending with the last clip; a recording
 * of no more clips than a passage has is one passage.
 */
export function passageStarts(clipCount: number, passages: Calibration['passages']): number[] {
  if (clipCount === 0) return [];
  const last = Math.max(0, clipCount - passages.clips);
  const starts: number[] = [];
  for (let first = 0; first < last; first += passages.every) starts.push(first);
  starts.push(last);
  return starts;
}
