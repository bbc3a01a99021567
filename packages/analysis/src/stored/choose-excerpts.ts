import type { KeptMoment, Prediction } from '@chiffchaff/contract';

/** Seconds before and after a detection, so that its beginning and end can be heard. */
const MARGIN_SECONDS = 2;
/** One excerpt may be chance; three are convincing. */
const EXCERPTS_PER_SPECIES = 3;
/** total seconds of all excerpts */
const MOST_SECONDS = 120;

const hundredth = (seconds: number): number => Math.round(seconds * 100) / 100;

/**
 * Chooses the excerpts of a recording: the best detections of each species, with some seconds around them. The best of every species comes
 * before the second-best of any. Excerpts that touch are joined.
 *
 * @returns in order and not touching, each right after the previous one in the kept audio; rounded to hundredths of a second
 */
export function chooseExcerpts({ detections, recording }: Pick<Prediction, 'detections' | 'recording'>): KeptMoment[] {
  const taken = new Map<string, number>();
  const ranked = [...detections]
    .sort((one, other) => other.score - one.score)
    .map((detection) => {
      const rank = taken.get(detection.scientificName) ?? 0;
      taken.set(detection.scientificName, rank + 1);
      return { detection, rank };
    })
    .filter(({ rank }) => rank < EXCERPTS_PER_SPECIES)
    .sort((one, other) => one.rank - other.rank);

  let chosen: { startSeconds: number; endSeconds: number }[] = [];
  for (const { detection } of ranked) {
    // For a bird that sings for minutes, the beginning is enough.
    const end = Math.min(detection.endSeconds, detection.startSeconds + MOST_SECONDS / 4);
    const joined = join([
      ...chosen,
      {
        startSeconds: hundredth(Math.max(0, detection.startSeconds - MARGIN_SECONDS)),
        endSeconds: hundredth(Math.min(recording.durationSeconds, end + MARGIN_SECONDS)),
      },
    ]);
    if (lengthOf(joined) <= MOST_SECONDS) chosen = joined;
  }
  let offsetSeconds = 0;
  return chosen
    .filter(({ startSeconds, endSeconds }) => endSeconds > startSeconds)
    .map(({ startSeconds, endSeconds }) => {
      const excerpt = { startSeconds, endSeconds, offsetSeconds };
      offsetSeconds = hundredth(offsetSeconds + endSeconds - startSeconds);
      return excerpt;
    });
}

const lengthOf = (stretches: readonly { startSeconds: number; endSeconds: number }[]): number =>
  stretches.reduce((sum, { startSeconds, endSeconds }) => sum + endSeconds - startSeconds, 0);

function join(
  stretches: readonly { startSeconds: number; endSeconds: number }[],
): { startSeconds: number; endSeconds: number }[] {
  const joined: { startSeconds: number; endSeconds: number }[] = [];
  for (const { startSeconds, endSeconds } of [...stretches].sort((one, other) => one.startSeconds - other.startSeconds)) {
    const last = joined.at(-1);
    if (last !== undefined && startSeconds <= last.endSeconds) last.endSeconds = Math.max(last.endSeconds, endSeconds);
    else joined.push({ startSeconds, endSeconds });
  }
  return joined;
}
