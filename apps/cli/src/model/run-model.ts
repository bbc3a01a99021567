import { resolve } from 'node:path';
import {
  installModel,
  ModelError,
  type ModelErrorCode,
  type ModelFolder,
  modelFolderOf,
  readModelFolder,
  verifyModelFolder,
} from '@chiffchaff/models';
import type { CommandContext } from '../command-context.ts';
import { type CommandError, type ExitCode, exitCode, InputError, SetUpError, UsageError } from '../command-error.ts';
import { createProgress } from '../terminal/progress.ts';
import { writeAll } from '../terminal/terminal.ts';
import type { ModelOptions } from './options.ts';

/** Carries out an action on the model. @throws CommandError */
export const runModel = (options: ModelOptions, context: CommandContext): Promise<ExitCode> =>
  run(options, context).catch((error: unknown) => {
    if (!(error instanceof ModelError)) throw error;
    throw new kinds[error.code](error.message, { cause: error });
  });

/** The error's message is for the user; the exit status depends on what needs to change: the command, the file or the machine. */
const kinds: Readonly<Record<ModelErrorCode, new (message: string, options: ErrorOptions) => CommandError>> = {
  MODEL_UNKNOWN: UsageError,
  MODEL_NOT_INSTALLED: SetUpError,
  MODEL_DAMAGED: SetUpError,
  SOURCE_UNAVAILABLE: SetUpError,
  SOURCE_UNREADABLE: InputError,
  CHECKSUM_MISMATCH: InputError,
  GRAPH_UNEXPECTED: InputError,
  DISK_FULL: SetUpError,
  FOLDER_NOT_WRITABLE: SetUpError,
  INSTALL_IN_PROGRESS: SetUpError,
};

async function run(options: ModelOptions, context: CommandContext): Promise<ExitCode> {
  const { config, terminal, signal } = context;
  const print = (value: unknown) =>
    writeAll(terminal.out, typeof value === 'string' ? value : `${JSON.stringify(value, null, 2)}\n`);
  switch (options.action) {
    case 'install':
      await install(config.dataDir, config.modelFile, context);
      return exitCode.done;
    case 'convert':
      await install(resolve(config.startFolder, options.out), resolve(config.startFolder, options.from), context);
      return exitCode.done;
    case 'inspect': {
      const model = await readModelFolder(modelFolderOf(config.dataDir, config.modelId));
      await verifyModelFolder(model, signal);
      await print(options.json ? { folder: model.folder, ...model.manifest } : describeModel(model));
      return exitCode.done;
    }
  }
}

async function install(dataDir: string, modelFile: string | null, { config, terminal, signal }: CommandContext): Promise<void> {
  const progress = createProgress(terminal);
  let said = '';
  try {
    const { model, changed } = await installModel({
      dataDir,
      modelId: config.modelId,
      ...(modelFile === null ? {} : { modelFile }),
      signal,
      onProgress: ({ sentence, fraction }) => {
        if (sentence !== said) progress.note(`${sentence}…`);
        said = sentence;
        if (fraction !== null) progress.update(fraction, sentence);
      },
    });
    progress.stop();
    await writeAll(terminal.out, `${changed ? 'Installed' : 'Already installed'}: ${model.folder}\n`);
  } finally {
    progress.stop();
  }
}

function describeModel({ folder, manifest }: ModelFolder): string {
  const { name, version, licence, attribution, audio, webAudio, occurrence, labels, defaults } = manifest;
  const rows: [string, string][] = [
    ['folder', folder],
    ['licence', licence],
    ['attribution', attribution],
    ['audio', `${audio.file}, sha256 ${audio.sha256}`],
    ['', `clips of ${audio.clipSamples / audio.sampleRate} s at ${audio.sampleRate} Hz, one every ${defaults.clipStepSeconds} s`],
    ['in browsers', `${webAudio.file}, sha256 ${webAudio.sha256}`],
    ['occurrence', occurrence === null ? 'none' : `${occurrence.file}, sha256 ${occurrence.sha256}`],
    ['labels', `${labels.count}`],
  ];
  return `${name} ${version}, every file checked\n${rows.map(([left, right]) => `  ${left.padEnd(12)}${right}\n`).join('')}`;
}
