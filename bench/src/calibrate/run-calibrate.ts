import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { readAliases } from '@chiffchaff/analysis';
import {
  type CommandContext,
  createProgress,
  type ExitCode,
  exitCode,
  InputError,
  requireWritable,
  say,
  whenInstalled,
  writeAll,
  writeOut,
} from '@chiffchaff/cli';
import { confidenceEvidenceSchema } from '@chiffchaff/contract';
import { modelFolderOf } from '@chiffchaff/models';
import { modelManifestSchema } from '@chiffchaff/recognizer';
import { readModelFolder } from '@chiffchaff/recognizer/node';
import { z } from 'zod';
import { analyzeRows } from '../evaluate/analyze-rows.ts';
import { openModelUnderTest } from '../evaluate/open-model-under-test.ts';
import { openRecordingsTable, splitsIn, type TableRow } from '../evaluate/recordings-table.ts';
import { calibrate } from './calibrate.ts';
import { joinRecordings } from './detections/joined-recordings.ts';
import { places } from './made-up-places.ts';
import type { CalibrateOptions } from './options.ts';
import { reportCalibration } from './report.ts';

/** The split of the public table of recordings that the published coefficients were not fitted on. */
const USUAL_UNSEEN_SPLIT = 'test';

const coefficientsFileSchema = z.object({ published: modelManifestSchema.shape.calibration.shape.confidence });

/** Fits, counts, prints and writes. @throws CommandError */
export async function runCalibrate(options: CalibrateOptions, { config, terminal, signal }: CommandContext): Promise<ExitCode> {
  const from = (given: string) => resolve(config.startFolder, given);
  const table = await openRecordingsTable(options, config.startFolder);
  const { rows, missing } = table;
  requireNone(missing, `found in ${options.recordings}`, rows, options);
  const unseenSplit = chooseUnseenSplit(rows, options);
  const description = join(config.repositoryFolder, 'models', config.modelId);
  const described = (name: string) => readFile(join(description, name), 'utf8');
  const target = options.output === null ? join(description, 'confidence-evidence.json') : from(options.output);
  const shownTarget = relative(config.startFolder, target);
  if (!options.check) await requireWritable(target, shownTarget);
  const { published } = coefficientsFileSchema.parse(JSON.parse(await described('coefficients.json')));
  const aliases = readAliases(await described('aliases.tsv'));

  const modelUnderTest = await openModelUnderTest(config, signal);
  const progress = createProgress(terminal);
  try {
    const model = await whenInstalled(config, () => readModelFolder(modelFolderOf(config.dataDir, config.modelId)));
    const { analysed, unreadable } = await analyzeRows({
      rows,
      recordingsFolder: table.recordingsFolder,
      aliases,
      modelUnderTest,
      atOnce: config.workers + 2,
      signal,
      onProgress: (done, file) => progress.update(done / rows.length, `${done} of ${rows.length} · ${file}`),
    });
    requireNone(
      unreadable.map(({ file, why }) => `${file} (${why.replace(/\.$/, '')})`),
      'read',
      rows,
      options,
    );
    const { recordingsFolder } = table;
    const joined = await joinRecordings({
      analysed,
      recordingsFolder,
      modelUnderTest,
      signal,
      onProgress: progress.update,
    });
    progress.update(1, 'fitting');
    const evidence = calibrate({
      model,
      modelSha256: modelUnderTest.model.sha256,
      published,
      tableSha256: createHash('sha256').update(table.bytes).digest('hex'),
      unseenSplit,
      analysed,
      joined,
      zones: await modelUnderTest.zones(),
      occurrences: await Promise.all(places.map((place) => modelUnderTest.occurrence({ ...place, week: null }))),
    });
    progress.stop();
    await writeAll(terminal.out, reportCalibration(evidence));
    return await store(`${JSON.stringify(confidenceEvidenceSchema.parse(evidence), null, 2)}\n`, target, options.check, {
      shown: shownTarget,
      tell: (sentence) => say(terminal, sentence),
    });
  } finally {
    progress.stop();
    await modelUnderTest.close();
  }
}

/** @throws InputError when recordings are missing, because the counts would differ without them */
function requireNone(lost: readonly string[], why: string, rows: readonly TableRow[], { table }: CalibrateOptions): void {
  if (lost.length > 0)
    throw new InputError(
      `${lost.length} of ${rows.length} recordings of ${table} can't be ${why}; the first is ${lost[0]}. With some of them missing the counts would be others.`,
    );
}

/** @throws InputError when the split does not exist, or has no bird to evaluate the coefficients with */
function chooseUnseenSplit(rows: readonly TableRow[], { table, unseenSplit }: CalibrateOptions): string | null {
  const has = (split: string) => rows.some((row) => row.split === split);
  if (unseenSplit !== null && !has(unseenSplit))
    throw new InputError(`${table} has no rows of split ${unseenSplit}; it has ${splitsIn(rows)}.`);
  const chosen = unseenSplit ?? (has(USUAL_UNSEEN_SPLIT) ? USUAL_UNSEEN_SPLIT : null);
  if (!rows.some(({ group, split }) => group === 'bird' && (chosen === null || split === chosen)))
    throw new InputError(
      `${table} has no recordings of birds${chosen === null ? '' : ` in split ${chosen}`}, that is rows whose group is bird. calibrate needs some.`,
    );
  return chosen;
}

async function store(
  text: string,
  target: string,
  check: boolean,
  { shown, tell }: { readonly shown: string; readonly tell: (sentence: string) => void },
) {
  if (!check) {
    await writeOut(target, text, shown);
    tell(`Written to ${shown}.`);
    return exitCode.done;
  }
  if ((await readFile(target, 'utf8').catch(() => '')) !== text)
    throw new InputError(`${shown} is not what these recordings give. Run the command without --check to write it.`);
  tell(`${shown} is what these recordings give.`);
  return exitCode.done;
}
