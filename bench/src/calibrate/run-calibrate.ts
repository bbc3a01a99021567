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
  writeAll,
  writeWhole,
} from '@chiffchaff/cli';
import { type ConfidenceEvidence, confidenceEvidenceSchema, wordEvidenceSchema } from '@chiffchaff/contract';
import { z } from 'zod';
import { analyzeRows } from '../evaluate/analyze-rows.ts';
import { openModelUnderTest } from '../evaluate/open-model-under-test.ts';
import { openRecordingsTable, shownSplit, splitsIn, type TableRow } from '../evaluate/recordings-table.ts';
import { SEVERAL_BIRDS } from '../scenes/scene-figures.ts';
import { CONDITIONS } from '../scenes/try-scenes.ts';
import { type Calibrated, calibrate } from './calibrate.ts';
import { confidenceFigures, placeFigures, wordFigures } from './confidence-figures.ts';
import { places } from './made-up-places.ts';
import type { CalibrateOptions } from './options.ts';

/** The split of the public table of recordings that the coefficients in use were not fitted to. */
const USUAL_UNSEEN_SPLIT = 'test';

/** What `evaluate --scenes` saves, as far as it is wanted. */
const scenesFileSchema = z.object({
  seed: z.int(),
  sets: z.array(
    z.object({
      condition: z.enum(CONDITIONS),
      figures: z.object({ groups: z.array(z.object({ group: z.string(), words: z.array(wordEvidenceSchema) })) }),
    }),
  ),
});
const PLACES = { 'no place': 'none', 'a place': 'town', 'an assumed place': 'zoneAssumed' } as const;

/** Fits, counts, prints and writes. @throws CommandError */
export async function runCalibrate(options: CalibrateOptions, { config, terminal, signal }: CommandContext): Promise<ExitCode> {
  const from = (given: string) => resolve(config.startFolder, given);
  const table = await openRecordingsTable(options, config.startFolder);
  const { rows, missing } = table;
  requireNone(missing, `found in ${options.recordings}`, rows, options);
  const unseenSplit = chooseUnseenSplit(rows, options);
  const description = join(config.repositoryFolder, 'models', config.modelId);
  const target = options.output ? from(options.output) : join(description, 'confidence-evidence.json');
  const shownTarget = relative(config.startFolder, target);
  if (!options.check) await requireWritable(target, shownTarget);
  const scenes = options.scenes ? await readScenes(from(options.scenes)) : null;
  const aliases = readAliases(await readFile(join(description, 'aliases.tsv'), 'utf8'));

  const modelUnderTest = await openModelUnderTest(config, signal);
  const progress = createProgress(terminal);
  try {
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
    progress.update(1, 'fitting');
    const calibrated = calibrate({
      model: modelUnderTest.knowledge,
      modelSha256: modelUnderTest.model.sha256,
      tableSha256: createHash('sha256').update(table.bytes).digest('hex'),
      unseenSplit,
      analysed,
      scenes,
      zones: await modelUnderTest.zones(),
      occurrences: await Promise.all(places.map((place) => modelUnderTest.occurrence({ ...place, week: null }))),
    });
    progress.stop();
    await writeAll(terminal.out, reportCalibration(calibrated));
    const text = `${JSON.stringify(confidenceEvidenceSchema.parse(calibrated.evidence), null, 2)}\n`;
    if (options.check) await requireSame(target, shownTarget, text);
    else await writeWhole(target, shownTarget, [text]);
    say(terminal, options.check ? `${shownTarget} is what these recordings give.` : `Written to ${shownTarget}.`);
    return exitCode.done;
  } finally {
    progress.stop();
    await modelUnderTest.close();
  }
}

/** @throws InputError when the file is not what `evaluate --scenes` saved */
async function readScenes(file: string): Promise<ConfidenceEvidence['scenes']> {
  try {
    const { seed, sets } = scenesFileSchema.parse(JSON.parse(await readFile(file, 'utf8')));
    const rows = sets.map(({ condition, figures }) => ({
      place: PLACES[condition],
      words: figures.groups.find(({ group }) => group === SEVERAL_BIRDS)?.words ?? [],
    }));
    return { seed, rows };
  } catch (cause) {
    throw new InputError(`${file} can't be read. --scenes needs what npm run evaluate -- --scenes saved.`, { cause });
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
  if (unseenSplit !== undefined && !has(unseenSplit))
    throw new InputError(`${table} has no rows of split ${unseenSplit}; it has ${splitsIn(rows)}.`);
  const chosen = unseenSplit ?? (has(USUAL_UNSEEN_SPLIT) ? USUAL_UNSEEN_SPLIT : null);
  if (!rows.some(({ group, split }) => group === 'bird' && (chosen === null || split === chosen)))
    throw new InputError(
      `${table} has no recordings of birds${chosen === null ? '' : ` in split ${chosen}`}, that is rows whose group is bird. calibrate needs some.`,
    );
  return chosen;
}

/** @throws InputError when the file holds anything else */
async function requireSame(target: string, shown: string, text: string): Promise<void> {
  if ((await readFile(target, 'utf8').catch(() => '')) !== text)
    throw new InputError(`${shown} is not what these recordings give. Run the command without --check to write it.`);
}

/** The counts as readable text: the tables of the documents, and the coefficients that are fitted. */
function reportCalibration({ evidence, fitted }: Calibrated): string {
  const { model, tested } = evidence;
  return `${[
    `${model.id} (${model.sha256.slice(0, 12)})`,
    '',
    confidenceFigures(evidence),
    '',
    `Words, on ${describeSplit(tested)}, with 90 % intervals`,
    wordFigures(evidence),
    '',
    'Places',
    placeFigures(evidence),
    '',
    `Coefficients that fit the other recordings: ${JSON.stringify(fitted)}`,
  ].join('\n')}\n`;
}

const describeSplit = ({ split }: ConfidenceEvidence['tested']) =>
  split === null ? 'all recordings' : `split ${shownSplit(split)}`;
