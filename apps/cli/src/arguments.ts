import { parseArgs } from 'node:util';
import { UsageError } from './command-error.ts';

/** One option of a command. Without `value` it is a flag; `value` names what is to be given, for the help page. */
interface OptionSpec {
  readonly value?: string;
  readonly help: string;
  readonly aliases?: readonly string[];
}
export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

interface NumberRange {
  readonly min: number;
  readonly max: number;
  readonly whole?: boolean;
}

/** What was given to a command, checked against its options. */
export interface Arguments<Name extends string> {
  readonly positionals: readonly string[];
  readonly flag: (name: Name) => boolean;
  readonly text: (name: Name) => string | undefined;
  /** @throws UsageError when it is not a number of the range */
  readonly number: (name: Name, range: NumberRange) => number | undefined;
  /** @throws UsageError when it is none of the choices */
  readonly choice: <Choice extends string>(name: Name, choices: readonly Choice[]) => Choice | undefined;
}

/**
 * Reads the arguments of one command.
 * @throws UsageError with a sentence that says what was found and what works
 */
export function readArguments<Specs extends OptionSpecs>(
  command: string,
  specs: Specs,
  args: readonly string[],
): Arguments<keyof Specs & string> {
  const names = new Map<string, string>();
  for (const [name, spec] of Object.entries(specs)) for (const alias of [name, ...(spec.aliases ?? [])]) names.set(alias, name);
  if (specs.help) names.set('h', 'help');
  const takesValue = (option: string) => specs[names.get(option) ?? '']?.value !== undefined;
  const { tokens } = parseArgs({
    args: bindNegativeNumbers(args, takesValue),
    options: Object.fromEntries([...names.keys()].map((option) => [option, { type: takesValue(option) ? 'string' : 'boolean' }])),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });

  const positionals: string[] = [];
  const given = new Map<string, string | true>();
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const name = names.get(token.name);
    if (name === undefined)
      throw unknownOption(
        command,
        token.rawName,
        [...names.keys()].filter((each) => each.length > 1),
      );
    if (takesValue(name)) {
      if (token.value === undefined || token.value === '')
        throw new UsageError(`${token.rawName} needs a value: ${token.rawName} ${specs[name]?.value}.`);
      given.set(name, token.value);
    } else {
      if (token.value !== undefined) throw new UsageError(`${token.rawName} takes no value; we found "${token.value}".`);
      given.set(name, true);
    }
  }

  const text = (name: string): string | undefined => {
    const value = given.get(name);
    return value === true ? undefined : value;
  };
  return {
    positionals,
    flag: (name) => given.get(name) === true,
    text,
    number: (name, range) => {
      const value = text(name);
      return value === undefined ? undefined : readNumber(`--${name}`, value, range);
    },
    choice: (name, choices) => {
      const value = text(name);
      const chosen = choices.find((choice) => choice === value);
      if (value !== undefined && chosen === undefined)
        throw new UsageError(`--${name} takes ${listed(choices)}; we found "${value}".`);
      return chosen;
    },
  };
}

/** `--lon -76.45` is how people write it; parseArgs would take the minus for another option. */
function bindNegativeNumbers(args: readonly string[], takesValue: (option: string) => boolean): string[] {
  const bound: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? '';
    const next = args[i + 1];
    if (arg === '--') return [...bound, ...args.slice(i)];
    if (arg.startsWith('--') && takesValue(arg.slice(2)) && next !== undefined && /^-[.\d]/.test(next)) {
      bound.push(`${arg}=${next}`);
      i += 1;
    } else bound.push(arg);
  }
  return bound;
}

function readNumber(option: string, text: string, { min, max, whole = false }: NumberRange): number {
  const value = /^[-+]?(\d+\.?\d*|\.\d+)$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max) || (whole && !Number.isInteger(value))) {
    const range = max === Number.POSITIVE_INFINITY ? `of at least ${min}` : `from ${min} to ${max}`;
    throw new UsageError(`${option} takes a ${whole ? 'whole ' : ''}number ${range}; we found "${text}".`);
  }
  return value;
}

function unknownOption(command: string, found: string, known: readonly string[]): UsageError {
  const wanted = found.replace(/^-+/, '');
  const near = known
    .map((name) => ({ name, distance: editDistance(wanted, name) }))
    .filter(({ name, distance }) => distance <= Math.max(1, Math.floor(name.length / 3)))
    .sort((a, b) => a.distance - b.distance)[0];
  const hint = near ? `Did you mean --${near.name}?` : `${listed(known.map((name) => `--${name}`))} work.`;
  return new UsageError(`${command} does not know ${found}. ${hint}`);
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      next.push(Math.min((next[j - 1] ?? 0) + 1, (row[j] ?? 0) + 1, (row[j - 1] ?? 0) + cost));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** `a, b or c` */
export function listed(words: readonly string[], last: 'or' | 'and' = 'or'): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;
}

/** The options of a command as lines of its help page. */
export function describeOptions(specs: OptionSpecs): string {
  const rows = Object.entries(specs).map(([name, { value, help, aliases = [] }]) => ({
    left: `  ${[name, ...aliases].map((each) => `--${each}`).join(', ')}${value === undefined ? '' : ` ${value}`}`,
    help,
  }));
  const width = Math.min(34, Math.max(...rows.map(({ left }) => left.length))) + 2;
  return rows
    .map(({ left, help }) => (left.length + 2 > width ? `${left}\n${' '.repeat(width)}${help}` : left.padEnd(width) + help))
    .join('\n');
}
