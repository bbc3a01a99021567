import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { confidenceEvidenceSchema } from '@chiffchaff/contract';
import { modelFolderOf } from '@chiffchaff/models';
import { modelManifestSchema } from '@chiffchaff/recognizer';
import { readModelFolder } from '@chiffchaff/recognizer/node';
import { z } from 'zod';
import type { Command } from '../cli.ts';
import { InputError } from '../command-error.ts';
import type { Config } from '../config.ts';
import { readAliases } from '../evaluate/aliases.ts';
import { analyseRows } from '../evaluate/evaluate.ts';
import { openAnalyst } from '../evaluate/open-analyst.ts';
import { readRecordingsTable } from '../evaluate/recordings-table.ts';
import { exitCode } from '../exit-code.ts';
import { whenInstalled } from '../open-recogniser.ts';
import { createProgress } from '../terminal/progress.ts';
import { say, writeAll } from '../terminal/terminal.ts';
import { calibrate } from './calibrate.ts';
import { cacheEvidence } from './evidence-cache.ts';
import { places } from './made-up-places.ts';
import { calibrateHelp, readCalibrateOptions } from './options.ts';
import { reportCalibration } from './report.ts';

const coefficientsFileSchema = z.object({ published: modelManifestSchema.shape.calibration.shape.confidence });

export const calibrateCommand: Command = async (args, { config, terminal, signal }) => {
  const options = readCalibrateOptions(args);
  if (options === null) {
    await writeAll(terminal.out, calibrateHelp);
    return exitCode.done;
  }
  const from = (given: string) => path.resolve(config.startFolder, given);
  const table = await readFile(from(options.table)).catch((cause: unknown) => {
    throw new InputError(`The table ${options.table} can't be read. Give a tab-separated file with --table.`, { cause });
  });
  const rows = readRecordingsTable(table.toString('utf8'), options.table);
  const description = path.join(config.repositoryFolder, 'models', config.modelId);
  const described = (name: string) => readFile(path.join(description, name), 'utf8');
  const { published } = coefficientsFileSchema.parse(JSON.parse(await described('coefficients.json')));
  const aliases = readAliases(await described('aliases.tsv'));

  const analyst = await openAnalyst(config, signal);
  const progress = createProgress(terminal);
  try {
    const model = await whenInstalled(config, () => readModelFolder(modelFolderOf(config.dataFolder, config.modelId)));
    const cache = options.cache === null ? path.join(config.dataFolder, 'cache', 'evidence') : from(options.cache);
    const { analysed, unreadable } = await analyseRows({
      options: { place: null, minOccurrence: 0 },
      rows,
      recordingsFolder: from(options.recordings),
      aliases,
      analyst: { ...analyst, analyseFile: cacheEvidence(analyst.analyseFile, cache, model.manifest) },
      atOnce: config.workers + 2,
      signal,
      onProgress: (done, file) => progress.update(done / rows.length, `${done} of ${rows.length} · ${file}`),
    });
    if (unreadable.length > 0)
      throw new InputError(
        `${unreadable.length} recordings of the table can't be read, the first is ${unreadable[0]?.file}. With some of them missing the counts would be others.`,
      );
    progress.update(1, 'fitting');
    const evidence = calibrate({
      model,
      modelSha256: analyst.model.sha256,
      published,
      tableSha256: createHash('sha256').update(table).digest('hex'),
      analysed,
      occurrences: await Promise.all(places.map((place) => analyst.occurrence({ ...place, week: null }))),
    });
    progress.stop();
    await writeAll(terminal.out, reportCalibration(evidence));
    const target = options.output === null ? path.join(description, 'confidence-evidence.json') : from(options.output);
    return await store(`${JSON.stringify(confidenceEvidenceSchema.parse(evidence), null, 2)}\n`, target, options.check, {
      config,
      tell: (sentence) => say(terminal, sentence),
    });
  } finally {
    progress.stop();
    await analyst.close();
  }
};

async function store(
  text: string,
  target: string,
  check: boolean,
  { config, tell }: { readonly config: Config; readonly tell: (sentence: string) => void },
) {
  const shown = path.relative(config.startFolder, target);
  if (!check) {
    await writeFile(target, text);
    tell(`Written to ${shown}.`);
    return exitCode.done;
  }
  if ((await readFile(target, 'utf8').catch(() => '')) !== text)
    throw new InputError(`${shown} is not what these recordings give. Run the command without --check to write it.`);
  tell(`${shown} is what these recordings give.`);
  return exitCode.done;
}
