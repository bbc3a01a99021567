import { join } from 'node:path';
import { PredictionError } from '@chiffchaff/analysis';
import { inOrder, whyUnreadable } from '@chiffchaff/cli';
import { problemSentence } from '@chiffchaff/contract';
import type { Evidence } from '@chiffchaff/recognizer';
import type { ModelUnderTest } from './open-model-under-test.ts';
import type { TableRow } from './recordings-table.ts';

/** A row and the evidence of its recording. */
export interface AnalyzedRow {
  readonly row: TableRow;
  /** the model's name; null when it has no class for the species */
  readonly scientificName: string | null;
  readonly evidence: Evidence;
}

export interface AnalyzeInput {
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
export async function analyzeRows(input: AnalyzeInput) {
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

export const secondsOf = ({ sampleCount, sampleRate }: Evidence): number => sampleCount / sampleRate;
