import type { Detection, Prediction } from '@chiffchaff/contract';
import {
  type Answer,
  type AnswerConditions,
  type CollectProgress,
  conclude,
  type Evidence,
  listDetections,
  type ModelKnowledge,
} from '@chiffchaff/recognizer';
import { type FormattedAnswer, formatAnswer, formatDetection } from './format-answer.ts';
import type { SpeciesNames } from './name-labels.ts';
import type { Question } from './question.ts';

export type Answerer = ReturnType<typeof createAnswerer>;

/** Names of a genus' two likeliest species are needed however few candidates are asked for. */
const FEWEST_CANDIDATES = 2;

/** Words answers from evidence. Needs a model's labels, names and calibration, and none of its weights. */
export function createAnswerer(model: ModelKnowledge, names: SpeciesNames) {
  const asked = ({
    occurrence,
    listed = null,
    perClip = false,
    conditions,
    top,
    mostDetections,
  }: Question): AnswerConditions => ({
    ...{ occurrence, listed, perClip, mostDetections },
    isAssumed: conditions.placeSource === 'assumed',
    minScore: conditions.minScore,
    top: Math.max(top, FEWEST_CANDIDATES),
  });
  const word = async (answer: Answer, question: Question): Promise<FormattedAnswer> =>
    formatAnswer(answer, await names.namesIn(question.conditions.language), question);
  const answer = (evidence: Evidence, question: Question): Promise<FormattedAnswer> =>
    word(conclude(model, evidence, asked(question)), question);

  return {
    names,
    answer,
    /** The answer of a recording under way, in words, with all candidates. @param concludeSoFar as the recogniser's progress has it */
    async answerSoFar(
      concludeSoFar: CollectProgress['answerSoFar'],
      question: Question,
    ): Promise<{ readonly worded: FormattedAnswer; readonly justHeard: readonly string[] }> {
      const { justHeard, ...answer } = concludeSoFar(asked(question));
      return { worded: await word(answer, { ...question, top: Number.POSITIVE_INFINITY }), justHeard };
    },
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
