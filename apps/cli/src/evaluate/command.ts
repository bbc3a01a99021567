import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from '../cli.ts';
import { InputError } from '../command-error.ts';
import type { Config } from '../config.ts';
import { exitCode } from '../exit-code.ts';
import { createProgress } from '../terminal/progress.ts';
import { say, writeAll } from '../terminal/terminal.ts';
import { readAliases } from './aliases.ts';
import { evaluate } from './evaluate.ts';
import { openAnalyst } from './open-analyst.ts';
import { evaluateHelp, readEvaluateOptions } from './options.ts';
import { tryPassages } from './passage-trials.ts';
import { readRecordingsTable, type TableRow } from './recordings-table.ts';
import { reportEvaluation, reportPassages } from './report.ts';

export const evaluateCommand: Command = async (args, { config, terminal, signal }) => {
  const options = readEvaluateOptions(args);
  if (options === null) {
    await writeAll(terminal.out, evaluateHelp);
    return exitCode.done;
  }
  const rows = await readRows(options.table, options.split, config);
  const recordingsFolder = path.resolve(config.startFolder, options.recordings);
  const aliases = readAliases(
    await readFile(path.join(config.repositoryFolder, 'models', config.modelId, 'aliases.tsv'), 'utf8'),
  );
  const analyst = await openAnalyst(config, signal);
  const progress = createProgress(terminal);
  try {
    const atOnce = config.workers + 2;
    const onProgress = (done: number, file: string) => progress.update(done / rows.length, `${done} of ${rows.length} · ${file}`);
    const { analysed, ...evaluation } = await evaluate({
      options,
      rows,
      recordingsFolder,
      aliases,
      analyst,
      atOnce,
      signal,
      onProgress,
    });
    progress.stop();
    await writeAll(terminal.out, reportEvaluation(evaluation));
    const passages = options.passages
      ? await tryPassages({
          analysed,
          recordingsFolder,
          analyst,
          sample: options.sample,
          atOnce: 2,
          signal,
          onProgress: progress.update,
        })
      : null;
    progress.stop();
    if (passages) await writeAll(terminal.out, reportPassages(passages));

    const target =
      options.json === null ? path.join(config.dataFolder, 'evaluation.json') : path.resolve(config.startFolder, options.json);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, `${JSON.stringify({ ...evaluation, passages }, null, 2)}\n`);
    say(terminal, `Written to ${target}. ${analyst.model.attribution}`);
    return evaluation.unreadable.length > 0 ? exitCode.input : exitCode.done;
  } finally {
    progress.stop();
    await analyst.close();
  }
};

async function readRows(table: string, split: string | null, { startFolder }: Config): Promise<TableRow[]> {
  const text = await readFile(path.resolve(startFolder, table), 'utf8').catch((error: unknown) => {
    throw new InputError(`The table ${table} can't be read. Give a tab-separated file with --table.`, { cause: error });
  });
  const rows = readRecordingsTable(text, table);
  const chosen = split === null ? rows : rows.filter((row) => row.split === split);
  if (chosen.length === 0) {
    const splits = [...new Set(rows.map((row) => row.split))].join(', ');
    throw new InputError(
      rows.length === 0 ? `${table} has no rows.` : `${table} has no rows of split ${split}; it has ${splits}.`,
    );
  }
  return chosen;
}
