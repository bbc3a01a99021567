import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { product } from './cli.ts';
import { whatNumbersMean } from './identify/options.ts';

/** The help pages of commands and their subcommands, as part of a Markdown document. */
export function helpPages(commands: readonly CommandUnknownOpts[], heading = '##'): string {
  const pages = commands.flatMap((command) => [
    `${heading} ${command.name()}\n\n\`\`\`text\n${command.helpInformation().trim()}\n\`\`\`\n`,
    ...(command.commands.length > 0 ? [helpPages(command.commands, `${heading}#`)] : []),
  ]);
  return pages.join('\n');
}

/** `docs/command-line.md`: the help pages as the commands print them. */
export function commandPage(): string {
  return `# Command line

<!-- Written by \`node apps/cli/src/write-command-page.ts\` from the help pages of the commands; edit those. -->

${whatNumbersMean}

\`./chiffchaff\` can be run from any folder, or through a link in a folder on PATH. The first run of a command sets up what it needs.
Paths are relative to the current folder. \`npm run identify -- …\` does the same from within the project. Standard output contains only
the result. \`./chiffchaff --version\` shows the version and the commit.

${helpPages(product(async () => undefined).commands)}`;
}
