import { join } from 'node:path';
import { PredictionError } from '@chiffchaff/analysis';
import { inOrder, whyUnreadable } from '@chiffchaff/cli';
import { problemSentence } from '@chiffchaff/contract';
import type { Answer, Evidence } from '@chiffchaff/recognizer';
import { type AnsweredRecording, workOutFalseAlarms, workOutFigures, workOutWrongNames } from './figures.ts';
import type { ModelUnderTest } from './open-model-under-test.ts';
import type { EvaluateOptions } from './options.ts';
import { isBirdFree, type TableRow } from './recordings-table.ts';

/** The results of an evaluation. Shares are 0–1. */
export type Evaluation = Awaited<ReturnType<typeof evaluate>>;

/** A row and the evidence of its recording. */
export interface AnalyzedRow {
  readonly row: TableRow;
  /** the model's name; null when it has no class for the species */
  readonly scientificName: string | null;
  readonly evidence: Evidence;
}

export interface EvaluateInput {
  readonly options: Pick<EvaluateOptions, 'place' | 'minOccurrence'>;
  readonly rows: readonly TableRow[];
  readonly recordingsFolder: string;
  /** other lists' names → the model's */
  readonly aliases: ReadonlyMap<string, string>;
  readonly modelUnderTest: ModelUnderTest;
  readonly atOnce: number;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, file: string) => void;
}

/** Analyses every row's recording once. Recordings that cannot be read are returned separately; the others continue. */
export async function analyzeRows(input: EvaluateInput) {
  const { rows, recordingsFolder, aliases, modelUnderTest, atOnce, signal, onProgress } = input;
  const analysed: AnalyzedRow[] = [];
  const unreadable: { file: string; why: string }[] = [];
  const results = inOrder(rows, atOnce, async (row) => {
    signal.throwIfAborted();
    try {
      return { row, evidence: await modelUnderTest.analyzeFile(join(recordingsFolder, row.file), signal) };
    } catch (error) {
      const why = signal.aborted ? null : whyNotHeard(error);
      if (why === null) throw error;
      return { row, why };
    }
  });
  for await (const result of results) {
    const { row } = result;
    if ('why' in result) unreadable.push({ file: row.file, why: result.why });
    else
      analysed.push({
        row,
        evidence: result.evidence,
        scientificName: modelName(row.scientificName, modelUnderTest.birds, aliases),
      });
    onProgress(analysed.length + unreadable.length, row.file);
  }
  return { analysed, unreadable };
}

/** Null when the recording is not the cause. */
function whyNotHeard(error: unknown): string | null {
  if (error instanceof PredictionError)
    return error.code.startsWith('RECORDING_') ? problemSentence(error.code, error.details) : null;
  const why = whyUnreadable(error);
  return why === null ? null : `${why}.`;
}

function modelName(name: string, birds: ReadonlyMap<string, number>, aliases: ReadonlyMap<string, string>): string | null {
  if (birds.has(name)) return name;
  const alias = aliases.get(name);
  return alias !== undefined && birds.has(alias) ? alias : null;
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
    rows.flatMap(({ scientificName, evidence }) =>
      scientificName === null ? [] : [{ scientificName, answer: answerInFull(modelUnderTest, evidence, at) }],
    );
  const occurrenceOf = (name: string | null): number => occurrence?.[modelUnderTest.birds.get(name ?? '') ?? -1] ?? 0;
  const known = birds.filter(({ scientificName }) => scientificName !== null);
  const isLocal = ({ scientificName }: AnalyzedRow) => occurrenceOf(scientificName) >= Math.fround(options.minOccurrence);
  return {
    split,
    withoutPlace: workOutFigures(judge(known, null)),
    /** Birds that the model has no class for: their first answer is always wrong, and they are in no other figure. */
    unknown: workOutWrongNames(
      birds
        .filter(({ scientificName }) => scientificName === null)
        .map(({ evidence }) => ({ scientificName: null, answer: answerInFull(modelUnderTest, evidence, null) })),
    ),
    withPlace:
      occurrence === null || options.place === null
        ? null
        : {
            ...options.place,
            minOccurrence: options.minOccurrence,
            local: workOutFigures(judge(known.filter(isLocal), occurrence)),
            fromElsewhere: workOutWrongNames(
              judge(
                known.filter((row) => !isLocal(row)),
                occurrence,
              ),
            ),
          },
  };
}

/** Keeps every bird as a candidate, so that the right one can be found however low it ranks. */
function answerInFull(modelUnderTest: ModelUnderTest, evidence: Evidence, occurrence: Float32Array | null): Answer {
  return modelUnderTest.conclude(evidence, { occurrence, top: modelUnderTest.birds.size });
}

export const secondsOf = ({ sampleCount, sampleRate }: Evidence): number => sampleCount / sampleRate;
