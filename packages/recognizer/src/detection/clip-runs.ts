import { sigmoid } from './activation.ts';
import { chooseBest } from './choose-best.ts';
import { clipCountOf, type Evidence, findInRow } from './evidence/evidence.ts';

/** A run of clips of one species, from the first to the last that holds it. */
export interface ClipRun {
  readonly label: number;
  readonly firstClip: number;
  lastClip: number;
  /** highest logit */
  peak: number;
}

/** How the clips of a recording are spaced. */
export type ClipSteps = Pick<Evidence, 'clipSamples' | 'clipStepSamples' | 'sampleRate'>;

/**
 * Two clips at most this far apart overlap, touch, or have less than a clip's length between them. If both hold a bird, they are
 * one run: a bird that pauses briefly within its song is not heard twice.
 */
const reachOf = ({ clipSamples, clipStepSamples }: ClipSteps): number => Math.ceil((2 * clipSamples) / clipStepSamples) - 1;

/**
 * Yields the runs of all wanted labels, by first clip, then by descending peak. Looks ahead for the end of each run, so it holds
 * only the runs that begin in one clip.
 *
 * @param minLogit a clip below this does not hold the label
 * @param reach how many clips later a run may continue; 0 makes each clip a run
 */
export function* eachClipRun(
  evidence: Evidence,
  minLogit: number,
  isWanted: (label: number) => boolean,
  reach = reachOf(evidence),
): Generator<ClipRun, void> {
  const { clips, labelCount, logitUnit } = evidence;
  const clipCount = clipCountOf(evidence);
  const lastSeen = new Int32Array(labelCount).fill(-1 - reach);

  const runFrom = (firstClip: number, label: number, logit: number): ClipRun => {
    const run = { label, firstClip, lastClip: firstClip, peak: logit };
    for (let clip = firstClip + 1; clip <= run.lastClip + reach && clip < clipCount; clip++) {
      const at = findInRow(clips.labels, clips.offsets[clip] ?? 0, clips.offsets[clip + 1] ?? 0, label);
      const next = at < 0 ? -Infinity : logitUnit * (clips.logits[at] ?? 0);
      if (next < minLogit || at < 0) continue;
      run.lastClip = clip;
      run.peak = Math.max(run.peak, next);
    }
    return run;
  };

  for (let clip = 0; clip < clipCount; clip++) {
    const begun: ClipRun[] = [];
    const to = clips.offsets[clip + 1] ?? 0;
    for (let at = clips.offsets[clip] ?? 0; at < to; at++) {
      const label = clips.labels[at] ?? 0;
      const logit = logitUnit * (clips.logits[at] ?? 0);
      if (logit < minLogit || !isWanted(label)) continue;
      if (clip - (lastSeen[label] ?? 0) > reach) begun.push(runFrom(clip, label, logit));
      lastSeen[label] = clip;
    }
    yield* begun.sort((a, b) => b.peak - a.peak || a.label - b.label);
  }
}

export type EarlyRunTracker = ReturnType<typeof createEarlyRunTracker>;

/**
 * Merges neighbouring clips of each label as they arrive, for detections that are reported during the analysis.
 *
 * @param most number of runs to keep; if there are more, the best. A dropped run restarts with the next clip that holds its label
 */
export function createEarlyRunTracker(minLogit: number, steps: ClipSteps, most: number) {
  const reach = reachOf(steps);
  let runs: ClipRun[] = [];
  const open = new Map<number, ClipRun>();

  const prune = (): void => {
    if (runs.length <= most) return;
    runs = chooseBest(runs, most, ({ label, firstClip, peak }) => ({
      key: label,
      startSeconds: (firstClip * steps.clipStepSamples) / steps.sampleRate,
      score: sigmoid(peak),
    }));
    const kept = new Set(runs);
    for (const [label, run] of open) if (!kept.has(run)) open.delete(label);
  };
  return {
    /** Must be called in order of clips; ignores logits below `minLogit`. */
    add(clip: number, label: number, logit: number): void {
      if (logit < minLogit) return;
      const last = open.get(label);
      if (last && clip - last.lastClip <= reach) {
        last.lastClip = clip;
        last.peak = Math.max(last.peak, logit);
        return;
      }
      const run = { label, firstClip: clip, lastClip: clip, peak: logit };
      open.set(label, run);
      if (runs.push(run) > 2 * most) prune();
    },
    /** The best runs so far, by first clip. */
    best(): readonly ClipRun[] {
      prune();
      return runs;
    },
  };
}
