/** Clips of one species that follow each other. */
export interface Run {
  readonly firstClip: number;
  lastClip: number;
  /** highest logit */
  peak: number;
}

/** Merges neighbouring clips of each label while they come. */
export interface RunTracker {
  /** Clips in their order; labels below the limit are passed over. */
  add(clip: number, label: number, logit: number): void;
  readonly byLabel: ReadonlyMap<number, readonly Run[]>;
}

export function createRunTracker(minLogit: number): RunTracker {
  const byLabel = new Map<number, Run[]>();
  return {
    byLabel,
    add(clip, label, logit) {
      if (logit < minLogit) return;
      const runs = byLabel.get(label);
      const open = runs?.at(-1);
      if (open && open.lastClip === clip - 1) {
        open.lastClip = clip;
        open.peak = Math.max(open.peak, logit);
      } else if (runs) runs.push({ firstClip: clip, lastClip: clip, peak: logit });
      else byLabel.set(label, [{ firstClip: clip, lastClip: clip, peak: logit }]);
    },
  };
}
