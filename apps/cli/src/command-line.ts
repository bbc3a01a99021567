import { Command, type CommandUnknownOpts, InvalidArgumentError } from '@commander-js/extra-typings';
import { UsageError } from './command-error.ts';

/** The tables that a command reads, and which of their detections count. */
export interface FilteredTables {
  /** tables and folders of tables, as given */
  readonly tables: readonly string[];
  readonly minConfidence: number;
  readonly minScore: number;
  /** Table of thresholds on the confidence of species; null: none. */
  readonly thresholds: string | null;
  /** File of labels; null: none. */
  readonly labels: string | null;
}

/** Width of the help pages in columns; fixed, so that docs/command-line.md does not depend on the terminal. */
const HELP_WIDTH = 110;

/** Carries a help page to the caller, which prints it and copes with a closed pipe. */
export class HelpPage extends Error {
  override readonly name = 'HelpPage';
  readonly page: string;
  /** whether the user asked for help; false: no command was named */
  readonly asked: boolean;
  constructor(page: string, asked: boolean) {
    super(page);
    this.page = page;
    this.asked = asked;
  }
}

/** A command that throws instead of printing and exiting: `UsageError` for invalid arguments, `HelpPage` for help. */
export function createCommand(name: string): Command {
  const command = new Command(name);
  return command
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
    .configureHelp({
      commandUsage: (shown) => `${pathOf({ name: shown.name(), parent: shown.parent })} ${shown.usage()}`,
      // The texts' own line ends, except before a blank line, an indented line and a `term: `, are not for the reader.
      commandDescription: (shown) => shown.description().replaceAll(/(?<!\n)\n(?!\n| |[a-z-]+: )/g, ' '),
      // Arguments are on the command's own page; a line of the list is short.
      subcommandTerm: (listed) => listed.name(),
    })
    .configureOutput({
      writeOut: (page) => {
        throw new HelpPage(page, true);
      },
      writeErr: (page) => {
        throw new HelpPage(page, false);
      },
      outputError: () => undefined,
      getOutHelpWidth: () => HELP_WIDTH,
      getErrHelpWidth: () => HELP_WIDTH,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .exitOverride(({ message }) => {
      const sentence = message.replace(/^error: (.)/, (_, first: string) => first.toUpperCase()).replaceAll('\n', ' ');
      if (/Did you mean|is invalid\. /.test(sentence)) throw new UsageError(sentence);
      throw new UsageError(
        `${sentence.replace(/\.$/, '')}. ${pathOf({ name, parent: command.parent })} --help shows the options.`,
      );
    });
}

/** How a shell calls the command. npm consumes options that are not behind a `--`. */
function pathOf({ name, parent }: { readonly name: string; readonly parent: CommandUnknownOpts | null }): string {
  if (parent === null) return name;
  const path = `${pathOf({ name: parent.name(), parent: parent.parent })} ${name}`;
  return parent.name() === 'npm run' ? `${path} --` : path;
}

interface NumberRange {
  readonly min: number;
  readonly max: number;
  readonly whole?: boolean;
}

/** Parses an option's value as a decimal number within a range. */
export function numberWithin({ min, max, whole = false }: NumberRange): (text: string) => number {
  return (text) => {
    const value = /^[-+]?(\d+\.?\d*|\.\d+)$/.test(text.trim()) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max) || (whole && !Number.isInteger(value))) {
      const range = max === Number.POSITIVE_INFINITY ? `of at least ${min}` : `from ${min} to ${max}`;
      throw new InvalidArgumentError(`It must be a ${whole ? 'whole ' : ''}number ${range}.`);
    }
    return value;
  };
}

/** Parses an option's value as one of several words. */
export function oneOf<Choice extends string>(choices: readonly Choice[]): (text: string) => Choice {
  return (text) => {
    const chosen = choices.find((choice) => choice === text);
    if (chosen === undefined) throw new InvalidArgumentError(`It must be ${listed(choices)}.`);
    return chosen;
  };
}

/** Refuses an empty value, such as that of an unset shell variable. */
export function nonEmptyText(text: string): string {
  if (text === '') throw new InvalidArgumentError('It needs a value.');
  return text;
}

/** `a, b or c` */
export function listed(words: readonly string[], last: 'or' | 'and' = 'or'): string {
  return new Intl.ListFormat('en-GB', { type: last === 'or' ? 'disjunction' : 'conjunction' }).format(words);
}
