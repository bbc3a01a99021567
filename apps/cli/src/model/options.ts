import { createCommand, nonEmptyText } from '../command-line.ts';

export type ModelOptions =
  | { readonly action: 'install' }
  | { readonly action: 'inspect'; readonly json: boolean }
  | { readonly action: 'convert'; readonly from: string; readonly out: string };

/** @throws UsageError when parsing its arguments */
export const modelCommand = (run: (options: ModelOptions) => Promise<void>) =>
  createCommand('model')
    .summary('Installs and checks the model by hand.')
    .description(
      `Installs and checks the model by hand; npm start does this automatically.
MODEL_ID selects the model, MODEL_FILE its source and DATA_DIR its destination.`,
    )
    .addCommand(
      createCommand('install')
        .description('download, check and convert the model, unless it is installed')
        .action(() => run({ action: 'install' })),
    )
    .addCommand(
      createCommand('inspect')
        .description('show the installed model and check every file')
        .option('--json', 'print JSON')
        .action(({ json = false }) => run({ action: 'inspect', json })),
    )
    .addCommand(
      createCommand('convert')
        .description('make a model folder from a wheel, zip or folder')
        .usage('FILE --out FOLDER')
        .argument('<FILE>')
        .requiredOption('--out <FOLDER>', 'destination: writes FOLDER/models/ID', nonEmptyText)
        .action((from, { out }) => run({ action: 'convert', from, out })),
    );
