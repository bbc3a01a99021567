import type { ConfidenceWord, Detection, Prediction } from '@chiffchaff/contract';
import {
  type Answer,
  type AnswerConditions,
  type CollectProgress,
  conclude,
  type Evidence,
  listDetections,
  type ModelKnowledge,
} from '@chiffchaff/recognizer';
import type { Confusions } from './confusions.ts';
import { type FormattedAnswer, formatAnswer, formatDetection } from './format-answer.ts';
import type { SpeciesNames } from './name-labels.ts';
import type { Question } from './question.ts';

export type Answerer = ReturnType<typeof createAnswerer>;

/** A genus in the verdict is named with its two likeliest species, however few candidates are requested. */
const FEWEST_CANDIDATES = 2;

/**
 * Words answers from evidence. Needs a model's labels, names and calibration, but not its weights.
 *
 * @param confusions counted in tests of the model; none where they are not known
 */
export function createAnswerer(model: ModelKnowledge, names: SpeciesNames, confusions: Confusions = new Map()) {
  const asked = ({ conditions, top, ...question }: Question): AnswerConditions => ({
    ...question,
    isAssumed: conditions.placeSource === 'assumed',
    minScore: conditions.minScore,
    top: Math.max(top, FEWEST_CANDIDATES),
  });
  const word = async (answer: Answer, question: Question): Promise<FormattedAnswer> =>
    formatAnswer(
      answer,
      { nameOf: await names.namesIn(question.conditions.language), species: model.species, confusions },
      question,
    );
  const answer = (evidence: Evidence, question: Question): Promise<FormattedAnswer> =>
    word(conclude(model, evidence, asked(question)), question);

  return {
    names,
    words: model.manifest.calibration.words,
    answer,
    /** The worded answer so far of a recording in progress, with all candidates. @param concludeSoFar from the recogniser's progress */
    async answerSoFar(
      concludeSoFar: CollectProgress['answerSoFar'],
      question: Question,
    ): Promise<{ readonly worded: FormattedAnswer; readonly justHeard: readonly string[] }> {
      const { justHeard, ...answer } = concludeSoFar(asked(question));
      return { worded: await word(answer, { ...question, top: Number.POSITIVE_INFINITY }), justHeard };
    },
    /** The words of the birds so far, by label; those that it lacks have none. */
    wordsSoFar(concludeSoFar: CollectProgress['answerSoFar'], question: Question): ReadonlyMap<number, ConfidenceWord> {
      return new Map(concludeSoFar(asked(question)).candidates.map(({ label, confidenceWord }) => [label, confidenceWord]));
    },
    /** Computes a prediction for other conditions from the evidence of its recording. Id, date and recording stay the same. */
    async reconsider(prediction: Prediction, evidence: Evidence, question: Question): Promise<Prediction> {
      const { overlapSeconds } = prediction.conditions;
      const worded = await answer(evidence, question);
      // The check-up does not depend on the conditions, and most of it needs the samples.
      return {
        ...prediction,
        conditions: { ...question.conditions, overlapSeconds },
        ...worded,
        checkUp: prediction.checkUp,
      };
    },
    /** All detections, one by one, including those the answer leaves out. */
    async detections(evidence: Evidence, question: Question): Promise<Iterable<Detection>> {
      const nameOf = await names.namesIn(question.conditions.language);
      return mapped(listDetections(model, evidence, asked(question)), (detection) => formatDetection(detection, nameOf));
    },
  };
}

function* mapped<From, To>(items: Iterable<From>, change: (item: From) => To): Generator<To, void> {
  for (const item of items) yield change(item);
}
