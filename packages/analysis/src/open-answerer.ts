import type { Conditions, Detection, Prediction } from '@chiffchaff/contract';
import { type AnswerConditions, conclude, type Evidence, listDetections } from '@chiffchaff/recognizer';
import type { ModelFolder } from '@chiffchaff/recognizer/node';
import { type FormattedAnswer, formatAnswer, formatDetection } from './format-answer.ts';
import { openSpeciesNames } from './species-names.ts';

/** What is asked of evidence, with all that it takes to answer; it can be sent to another thread. */
export interface Question {
  readonly conditions: Conditions;
  /** How likely each label is at the place and week, in label order; null without a place. */
  readonly occurrence: Float32Array | null;
  /** candidates kept */
  readonly top: number;
  /** Detections that the answer holds at most; of more, the best. */
  readonly mostDetections: number;
}

export type Answerer = Awaited<ReturnType<typeof openAnswerer>>;

/** Names of a genus' two likeliest species are needed however few candidates are asked for. */
const FEWEST_CANDIDATES = 2;

/**
 * Words answers from evidence. Needs a model's labels, names and calibration, and none of its weights.
 *
 * @throws what reading the names throws
 */
export async function openAnswerer(model: ModelFolder) {
  const names = await openSpeciesNames(model);
  const asked = ({ occurrence, conditions, top, mostDetections }: Question): AnswerConditions => ({
    ...{ occurrence, mostDetections },
    minScore: conditions.minScore,
    top: Math.max(top, FEWEST_CANDIDATES),
  });
  const answer = async (evidence: Evidence, question: Question): Promise<FormattedAnswer> => {
    const { conditions, top } = question;
    return formatAnswer(conclude(model, evidence, asked(question)), await names.namesIn(conditions.language), conditions, top);
  };

  return {
    names,
    answer,
    /** Works a prediction out again under other conditions, from the evidence of that recording. Id, date and recording stay. */
    async reconsider(prediction: Prediction, evidence: Evidence, question: Question): Promise<Prediction> {
      const { overlapSeconds } = prediction.conditions;
      const worded = await answer(evidence, question);
      // Nothing of the check-up depends on the conditions, and most of it needs the samples.
      return {
        ...prediction,
        conditions: { ...question.conditions, overlapSeconds },
        ...worded,
        checkUp: prediction.checkUp,
      };
    },
    /** All detections of the answer, one by one, however many it holds itself. */
    async detections(evidence: Evidence, question: Question): Promise<Iterable<Detection>> {
      const nameOf = await names.namesIn(question.conditions.language);
      return mapped(listDetections(model, evidence, asked(question)), (detection) => formatDetection(detection, nameOf));
    },
  };
}

function* mapped<From, To>(items: Iterable<From>, change: (item: From) => To): Generator<To, void> {
  for (const item of items) yield change(item);
}
