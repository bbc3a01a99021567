import type { KeptMoment, Prediction } from '@chiffchaff/contract';
import { lengthOf, type Stretch } from '../decode/ffmpeg-process.ts';

/** Seconds before and after a detection, so that its beginning and end can be heard. */
const MARGIN_SECONDS = 2;
/** One excerpt may be chance; three are convincing. */
const EXCERPTS_PER_SPECIES = 3;
/** total seconds of the excerpts with a margin */
const MOST_SECONDS = 120;
/** Of every other detection in the list: as long as the model listens at a time. */
const LISTED_SECONDS = 3;
/** total seconds of all excerpts */
const MOST_LISTED_SECONDS = 600;
/** Of the likeliest bird where nothing was detected, so that it can be heard what it was. */
const DOUBTFUL_SECONDS = 6;

const hundredth = (seconds: number): number => Math.round(seconds * 100) / 100;

/**
 * Chooses the excerpts of a recording: the best detections of each species, with some seconds around them, the best of every species before
 * the second-best of any; then a few seconds of all other detections, the surest first. Without detections, the best moment of the
 * likeliest bird. Excerpts that touch are joined.
 *
 * @returns in order and not touching, each right after the previous one in the kept audio; rounded to hundredths of a second
 */
export function chooseExcerpts({
  detections,
  candidates,
  recording: { durationSeconds },
}: Pick<Prediction, 'detections' | 'candidates' | 'recording'>): KeptMoment[] {
  const taken = new Map<string, number>();
  // After the end, as in a damaged answer, an excerpt would have a negative length and make room for ever more of them.
  const surest = detections
    .filter(({ startSeconds }) => startSeconds < durationSeconds)
    .sort((one, other) => other.score - one.score);
  const ranked = surest
    .map((detection) => {
      const rank = taken.get(detection.scientificName) ?? 0;
      taken.set(detection.scientificName, rank + 1);
      return { detection, rank };
    })
    .filter(({ rank }) => rank < EXCERPTS_PER_SPECIES)
    .sort((one, other) => one.rank - other.rank);
  const within = (startSeconds: number, endSeconds: number): Stretch => ({
    startSeconds: hundredth(Math.max(0, startSeconds)),
    endSeconds: hundredth(Math.min(durationSeconds, endSeconds)),
  });
  /** A stretch of this length around another one's middle, moved into the recording. */
  const around = ({ startSeconds, endSeconds }: Stretch, seconds: number): Stretch => {
    const from = Math.max(0, Math.min((startSeconds + endSeconds - seconds) / 2, durationSeconds - seconds));
    return within(from, from + seconds);
  };

  let chosen: readonly Stretch[] = [];
  for (const { detection } of ranked) {
    // For a bird that sings for minutes, the beginning is enough.
    const end = Math.min(detection.endSeconds, detection.startSeconds + MOST_SECONDS / 4);
    const joined = join([...chosen, within(detection.startSeconds - MARGIN_SECONDS, end + MARGIN_SECONDS)]);
    if (lengthOf(joined) <= MOST_SECONDS) chosen = joined;
  }
  for (const detection of surest) {
    if (lengthOf(chosen) + LISTED_SECONDS > MOST_LISTED_SECONDS) break;
    if (!isHeardIn(chosen, detection)) chosen = join([...chosen, around(detection, LISTED_SECONDS)]);
  }
  const [likeliest] = candidates;
  if (detections.length === 0 && likeliest) chosen = [around(likeliest.best, DOUBTFUL_SECONDS)];

  let offsetSeconds = 0;
  return chosen
    .filter(({ startSeconds, endSeconds }) => endSeconds > startSeconds)
    .map(({ startSeconds, endSeconds }) => {
      const excerpt = { startSeconds, endSeconds, offsetSeconds };
      offsetSeconds = hundredth(offsetSeconds + endSeconds - startSeconds);
      return excerpt;
    });
}

/** Whether excerpts hold enough of a detection. */
function isHeardIn(chosen: readonly Stretch[], { startSeconds, endSeconds }: Stretch): boolean {
  const wanted = Math.min(LISTED_SECONDS, endSeconds - startSeconds);
  return chosen.some((one) => Math.min(one.endSeconds, endSeconds) - Math.max(one.startSeconds, startSeconds) >= wanted - 0.01);
}

function join(stretches: readonly Stretch[]): readonly Stretch[] {
  const joined: { startSeconds: number; endSeconds: number }[] = [];
  for (const { startSeconds, endSeconds } of [...stretches].sort((one, other) => one.startSeconds - other.startSeconds)) {
    const last = joined.at(-1);
    if (last !== undefined && startSeconds <= last.endSeconds) last.endSeconds = Math.max(last.endSeconds, endSeconds);
    else joined.push({ startSeconds, endSeconds });
  }
  return joined;
}
