import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runCommand } from '@chiffchaff/cli';
import { createCapturedTerminal } from '@chiffchaff/cli/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { benchProgram } from './program.ts';
import { PART_NAMES } from './speed/options.ts';
import { ATTACK_NAMES } from './trials/attack/attacks.ts';
import { MACHINES_PARTS } from './trials/machines/run-machines.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chiffchaff-bench-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function run(args: readonly string[]) {
  const terminal = createCapturedTerminal();
  const { signal } = new AbortController();
  const code = await runCommand(benchProgram, args, { env: { DATA_DIR: folder }, workingFolder: folder, terminal, signal });
  return { code, out: terminal.written(), err: terminal.said() };
}

it.each(['bench', 'calibrate', 'evaluate', 'lighthouse', 'trial', 'trial -- load'])(
  '`npm run %s` has a page of help, which is printed to standard output',
  async (command) => {
    const { code, out, err } = await run([...command.split(' ').filter((word) => word !== '--'), '--help']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain(`npm run ${command}`);
  },
);

it.each([
  [
    ['calibrate', '--table', 'x.tsv'],
    "Required option '--recordings <DIR>' not specified. npm run calibrate -- --help shows the options.",
  ],
  [
    ['bench', '--only', 'all'],
    "argument 'all' is invalid. It must be clips, recordings, small-files, http, history, page or reference",
  ],
  [['trial', 'loda'], "Unknown command 'loda' (Did you mean load?)"],
  [['trial', 'load', '--rounds', '0'], "argument '0' is invalid. It must be a whole number of at least 1."],
  [['trial', 'load', '--round', '3'], "Unknown option '--round' (Did you mean --rounds?)"],
  [['trial', 'load', '--', '--rounds', '3'], "Too many arguments for 'load'. Expected 0 arguments but got 2: --rounds, 3."],
  [['trial', 'attack', 'all'], "argument value 'all' is invalid for argument 'NAME'. It must be announced-sizes, "],
])(
  '`npm run evaluate`, `calibrate`, `bench` and `trial` refuse the arguments %j with status 2 and one line that says why',
  async (args, sentence) => {
    const { code, out, err } = await run(args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(sentence);
    expect(err.trimEnd().split('\n')).toHaveLength(1);
  },
);

const columns = 'file\tsplit\tscientific_name\tgroup\n';

it.each([
  [
    'gone.wav\tours\tParus major\tbird',
    [],
    'None of the 1 recordings of t.tsv is in .; the first is gone.wav. The column file must contain paths within that folder.\n',
  ],
  ['a.wav\tours\tParus major\tbird', ['--output', 'a.wav/x.json'], /^a\.wav\/x\.json can't be written: .*\.\n$/],
  ['a.wav\tours\t\train', [], 't.tsv has no recordings of birds, that is rows whose group is bird. calibrate needs some.\n'],
  [
    'a.wav\tours\tParus major\tbird\na.wav\ttest\t\train',
    [],
    't.tsv has no recordings of birds in split test, that is rows whose group is bird. calibrate needs some.\n',
  ],
  [
    'a.wav\tours\tParus major\tbird\ngone.wav\tours\tParus major\tbird',
    [],
    "1 of 2 recordings of t.tsv can't be found in .; the first is gone.wav. With some of them missing the counts would be others.\n",
  ],
  [
    'a.wav\tours\tParus major\tbird\na.wav\t\tParus major\tbird',
    ['--unseen-split', 'test'],
    't.tsv has no rows of split test; it has ours and (no name).\n',
  ],
])('`npm run calibrate` says what is missing or cannot be used with the table rows %j (case %#)', async (rows, more, err) => {
  await writeFile(join(folder, 'a.wav'), '');
  await writeFile(join(folder, 't.tsv'), columns + rows);
  const said = await run(['calibrate', '--recordings', '.', '--table', 't.tsv', '--output', 'out.json', ...more]);
  expect(said.out).toBe('');
  if (typeof err === 'string') expect(said.err).toBe(err);
  else expect(said.err).toMatch(err);
});

it('`npm run trial` reads its arguments although the shell passes on the -- before them', async () => {
  const runner = join(import.meta.dirname, '../../tools/run.mjs');
  const told = promisify(execFile)(process.execPath, [runner, 'trial', '--', 'load', '--rounds', '0']);
  await expect(told).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Option '--rounds <N>' argument '0' is invalid. It must be a whole number of at least 1."),
  });
});

it('`npm run trial -- attack` and `-- machines` run everything when no names are given, and otherwise only what is named', () => {
  const trials = benchProgram(async () => undefined).commands.find((command) => command.name() === 'trial')?.commands ?? [];
  for (const [name, all] of [
    ['attack', ATTACK_NAMES],
    ['machines', MACHINES_PARTS],
  ] as const) {
    const [argument] = trials.find((command) => command.name() === name)?.registeredArguments ?? [];
    expect(argument?.defaultValue).toEqual(all);
    const named = all.slice(1, 3).reduce((before: unknown, one) => argument?.parseArg?.(one, before), argument?.defaultValue);
    expect(named).toEqual(all.slice(1, 3));
  }
});

it('docs/measuring.md names every command, trial, attack and part of the benchmarks, and only options that exist', async () => {
  const page = await readFile(join(import.meta.dirname, '../../docs/measuring.md'), 'utf8');
  const { commands } = benchProgram(async () => undefined);
  const trials = commands.find((command) => command.name() === 'trial')?.commands ?? [];
  const names = [...commands, ...trials].map((command) => command.name());
  const isNamed = (name: string) => new RegExp(`[ \`]${name}[ \`]`).test(page);
  expect([...names, ...ATTACK_NAMES, ...PART_NAMES].filter((name) => !isNamed(name))).toEqual([]);
  const flags = ['--help', ...[...commands, ...trials].flatMap((command) => command.options.map(({ long }) => long))];
  const named = [...page.matchAll(/`[^`]*`/g)].flatMap(([code]) => code.match(/--[a-z][a-z-]*/g) ?? []);
  expect(named.filter((flag) => !flags.includes(flag))).toEqual([]);
});
