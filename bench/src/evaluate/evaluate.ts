import type { Answer, Evidence } from '@chiffchaff/recognizer';
import { type AnalyzedRow, type AnalyzeInput, analyzeRows, secondsOf } from './analyze-rows.ts';
import { workOutChecks } from './checks.ts';
import { type AnsweredRecording, workOutFalseAlarms, workOutFigures, workOutWrongNames } from './figures.ts';
import type { ModelUnderTest } from './open-model-under-test.ts';
import type { EvaluateOptions } from './options.ts';
import { isBirdFree } from './recordings-table.ts';

/** The results of an evaluation. Shares are 0–1. */
export type Evaluation = Awaited<ReturnType<typeof evaluate>>;

export interface EvaluateInput extends AnalyzeInput {
  readonly options: Pick<EvaluateOptions, 'place' | 'minOccurrence'>;
}

/** Analyses each recording once, concludes without and with the place, and computes the figures. */
export async function evaluate(input: EvaluateInput) {
  const { options, modelUnderTest } = input;
  const startedMs = performance.now();
  const { analysed, unreadable } = await analyzeRows(input);
  const elapsedSeconds = (performance.now() - startedMs) / 1000;
  const occurrence = options.place === null ? null : await modelUnderTest.occurrence(options.place);
  const splits = [...new Set(analysed.map(({ row }) => row.split))];
  return {
    model: modelUnderTest.model,
    splits: splits.map((split) =>
      workOutSplit(
        split,
        analysed.filter(({ row }) => row.split === split && row.group === 'bird'),
        input,
        occurrence,
      ),
    ),
    falseAlarms: workOutFalseAlarms(
      analysed
        .filter(({ row }) => isBirdFree(row))
        .map(({ evidence }) => ({ answer: answerInFull(modelUnderTest, evidence, null), seconds: secondsOf(evidence) })),
    ),
    checks: await workOutChecks(
      analysed.filter(({ row }) => row.group === 'bird'),
      modelUnderTest,
    ),
    unreadable,
    audioSeconds: analysed.reduce((sum, { evidence }) => sum + secondsOf(evidence), 0),
    elapsedSeconds,
  };
}

function workOutSplit(
  split: string,
  birds: readonly AnalyzedRow[],
  { modelUnderTest, options }: EvaluateInput,
  occurrence: Float32Array | null,
) {
  const judge = (rows: readonly AnalyzedRow[], at: Float32Array | null): AnsweredRecording[] =>
    rows.map(({ scientificName, evidence }) => ({ scientificName, answer: answerInFull(modelUnderTest, evidence, at) }));
  const occurrenceOf = (name: string | null): number => occurrence?.[modelUnderTest.birds.get(name ?? '') ?? -1] ?? 0;
  const unknown = birds.filter(({ scientificName }) => scientificName === null);
  const known = birds.filter(({ scientificName }) => scientificName !== null);
  const local = known.filter(({ scientificName }) => occurrenceOf(scientificName) >= Math.fround(options.minOccurrence));
  const fromElsewhere = known.filter((row) => !local.includes(row));
  return {
    split,
    withoutPlace: workOutFigures(judge(known, null)),
    /** Birds that the model has no class for: their first answer is always wrong, and they are in no other figure. */
    unknown: workOutWrongNames(judge(unknown, null)),
    withPlace:
      occurrence === null || options.place === null
        ? null
        : {
            ...options.place,
            minOccurrence: options.minOccurrence,
            local: workOutFigures(judge(local, occurrence)),
            fromElsewhere: workOutWrongNames(judge(fromElsewhere, occurrence)),
          },
  };
}

/** Keeps every bird as a candidate, so that the right one can be found however low it ranks. */
function answerInFull(modelUnderTest: ModelUnderTest, evidence: Evidence, occurrence: Float32Array | null): Answer {
  return modelUnderTest.conclude(evidence, { occurrence, top: modelUnderTest.birds.size });
}
