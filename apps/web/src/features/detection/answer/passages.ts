import { type Detection, isAtLeastPerhaps, likelyElsewhere, namedBirds, type Prediction } from '@chiffchaff/contract';
import type { Translate } from '../../../languages/i18n.ts';
import { timeLabel } from '../../../platform/format/format.ts';
import { languageTag } from '../../../platform/format/species-language.ts';
import type { ConfidenceWords } from '../../../platform/format/words.ts';
import { birdsSaid, reviewOf } from '../../../ui/reviews/reviewed-name.tsx';
import type { Mark } from '../../../ui/timeline/marks/mark.ts';

type Passage = Pick<Detection, 'confidence' | 'hidden'>;

/** Below the lowest word. */
const isFaint = ({ confidence }: Passage, words: ConfidenceWords): boolean => words.wordOf(confidence) === 'none';

/**
 * The confidence of a single detection, as a percentage without a word: the bird already has a word for the whole recording, and two words
 * for one bird would contradict each other. Hidden by location, it has no confidence.
 */
export const certaintyOf = ({ hidden, confidence }: Passage, t: Translate, words: ConfidenceWords): string =>
  hidden ? t('table.hidden') : words.percentOf(confidence);

/**
 * Scientific names of the birds with a lane on the timeline: those that the result names (`namedBirds`, `likelyElsewhere`), and those that a
 * person confirmed or corrected. Without a bird that is at least *perhaps* there, also what else the sentence mentions.
 */
function birdsWithLane(prediction: Prediction): ReadonlySet<string> {
  const { verdict, candidates, reviews } = prediction;
  const named = [...namedBirds(prediction), ...likelyElsewhere(prediction)];
  const isUnsure = !named.some(({ confidenceWord }) => isAtLeastPerhaps(confidenceWord));
  const mentioned = [...(verdict.genus === null ? [] : candidates.slice(0, 2)), verdict.notExpectedHere];
  const said = birdsSaid({ reviews }).flatMap(({ scientificName, to }) => [scientificName, to ?? scientificName]);
  const birds = [...named, ...(isUnsure ? mentioned.filter((bird) => bird !== null) : [])];
  return new Set([...birds.map(({ scientificName }) => scientificName), ...said]);
}

/** The best moments of birds that a verdict names, although no moment was clear enough to be a detection. */
const momentsWithoutDetection = ({ verdict, detections }: Prediction) => {
  const detected = new Set(detections.map(({ scientificName }) => scientificName));
  return namedBirds({ verdict })
    .filter(({ scientificName }) => !detected.has(scientificName))
    .map(({ best, ...bird }) => ({ ...bird, ...best, hidden: false, isFaint: true }));
};

/** The detections as marks of the timeline: birds with a lane first, then the others, surest first. */
export function marksOf(prediction: Prediction, t: Translate, words: ConfidenceWords): readonly Mark[] {
  const namesIn = languageTag(prediction.conditions.language);
  const named = birdsWithLane(prediction);
  const passages = [
    ...prediction.detections.map((detection) => ({ ...detection, isFaint: detection.hidden || isFaint(detection, words) })),
    ...momentsWithoutDetection(prediction),
  ];
  const surest = new Map<string, number>();
  for (const { scientificName, confidence } of passages)
    surest.set(scientificName, Math.max(confidence, surest.get(scientificName) ?? 0));
  const rankOf = ({ scientificName }: (typeof passages)[number]) =>
    (named.has(scientificName) ? 1 : 0) + (surest.get(scientificName) ?? 0);
  return passages
    .toSorted((one, other) => rankOf(other) - rankOf(one))
    .map((passage) => {
      const { scientificName, commonName, startSeconds, endSeconds, confidence, hidden, isFaint } = passage;
      return {
        id: `${scientificName}@${startSeconds}`,
        lane: scientificName,
        label: commonName,
        language: namesIn,
        review: reviewOf(prediction.reviews, scientificName),
        startSeconds,
        endSeconds,
        // Computed on access: few of twenty thousand are drawn.
        get description() {
          const times = { from: timeLabel(startSeconds, 1), to: timeLabel(endSeconds, 1) };
          const certainty = certaintyOf(passage, t, words);
          return t('table.markDescription', { ...times, certainty });
        },
        confidence,
        isFaint,
        isNamed: named.has(scientificName),
        aside: hidden ? t('table.hidden') : null,
      };
    });
}
