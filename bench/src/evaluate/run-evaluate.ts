import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { readAliases } from '@chiffchaff/analysis';
import {
  type CommandContext,
  createProgress,
  type ExitCode,
  exitCode,
  InputError,
  requireWritable,
  say,
  writeAll,
  writeWhole,
} from '@chiffchaff/cli';
import { round } from '../harness/measures.ts';
import { runScenes } from '../scenes/run-scenes.ts';
import { analyzeRows } from './analyze-rows.ts';
import { type EvaluateInput, type Evaluation, evaluate } from './evaluate.ts';
import { openModelUnderTest } from './open-model-under-test.ts';
import type { EvaluateOptions } from './options.ts';
import { type OpenTable, openRecordingsTable, splitsIn, type TableRow } from './recordings-table.ts';

/** Measures, prints and writes the figures. @throws CommandError */
export async function runEvaluate(options: EvaluateOptions, { config, terminal, signal }: CommandContext): Promise<ExitCode> {
  const table = await openRecordingsTable(options, config.startFolder);
  const rows = chooseRows(table, options);
  const { recordingsFolder } = table;
  const target = options.json ? resolve(config.startFolder, options.json) : join(config.dataDir, 'evaluation.json');
  await requireWritable(target, options.json ?? target);
  const aliases = readAliases(await readFile(join(config.repositoryFolder, 'models', config.modelId, 'aliases.tsv'), 'utf8'));
  const modelUnderTest = await openModelUnderTest(config, signal);
  const progress = createProgress(terminal);
  try {
    const atOnce = config.workers + 2;
    const onProgress = (done: number, file: string) => progress.update(done / rows.length, `${done} of ${rows.length} · ${file}`);
    const input = { options, rows, recordingsFolder, aliases, modelUnderTest, atOnce, signal, onProgress };
    const { figures, unreadable, ...more } = await (options.scenes === undefined
      ? evaluateRows(input)
      : evaluateScenes(input, progress.update));
    progress.stop();
    requireReadable(unreadable, rows);
    const rounded = (_: string, value: unknown) => (typeof value === 'number' ? round(value, 3) : value);
    await writeAll(terminal.out, `${JSON.stringify(figures, rounded, 2)}\n`);
    await writeWhole(target, options.json ?? target, [`${JSON.stringify({ ...figures, ...more }, null, 2)}\n`]);
    say(terminal, `Saved to ${target}. ${modelUnderTest.model.attribution}`);
    return unreadable.length > 0 ? exitCode.input : exitCode.done;
  } finally {
    progress.stop();
    await modelUnderTest.close();
  }
}

async function evaluateRows(input: EvaluateInput) {
  const figures = await evaluate(input);
  return { figures, unreadable: figures.unreadable };
}

async function evaluateScenes(
  input: EvaluateInput & { readonly options: EvaluateOptions },
  onProgress: (fraction: number, doing: string) => void,
) {
  const { analysed, unreadable } = await analyzeRows(input);
  const { seed, before } = input.options;
  const scenes = await runScenes({ ...input, analysed, seed, onProgress }, input.modelUnderTest.words, before);
  return { ...scenes, unreadable };
}

function chooseRows({ rows }: OpenTable, { table, scenes, ...asked }: EvaluateOptions): readonly TableRow[] {
  const split = scenes ?? asked.split;
  const chosen = split === undefined ? rows : rows.filter((row) => row.split === split);
  if (chosen.length === 0) throw new InputError(`${table} has no rows of split ${split}; it has ${splitsIn(rows)}.`);
  return chosen;
}

/** Without a single readable recording there are no figures. @throws InputError */
function requireReadable([first, ...more]: Evaluation['unreadable'], rows: readonly TableRow[]): void {
  if (first !== undefined && more.length + 1 === rows.length)
    throw new InputError(`None of the ${rows.length} recordings can be read. The first is ${first.file}: ${first.why}`);
}
