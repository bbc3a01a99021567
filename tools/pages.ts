/** `node tools/pages.ts` writes the pages that come from code: those in `pages`. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { product } from '../apps/cli/src/cli.ts';
import { whatNumbersMean } from '../apps/cli/src/identify/options.ts';
import { adminProgram } from '../apps/server/src/admin/admin-program.ts';
import { rows } from '../apps/server/src/config/variables.ts';
import { operatorSettings } from '../apps/server/src/settings/operator-settings.ts';
import { problems } from '../packages/contract/src/problems.ts';
import { root } from './process.ts';

const COMMAND = 'node tools/pages.ts';

const cell = (text: string): string => text.replaceAll('|', '\\|');

interface Command {
  name(): string;
  helpInformation(): string;
  readonly commands: readonly Command[];
}

/** The help pages of commands and their subcommands as they print them. */
function helpPages(commands: readonly Command[], heading = '##'): string {
  const pages = commands.flatMap((command) => [
    `${heading} ${command.name()}\n\n\`\`\`text\n${command.helpInformation().trim()}\n\`\`\`\n`,
    ...(command.commands.length > 0 ? [helpPages(command.commands, `${heading}#`)] : []),
  ]);
  return pages.join('\n');
}

const adminPage = (): string => `# Commands for operators

<!-- Written by \`${COMMAND}\` from the help pages in apps/server/src/admin/; edit those. -->

\`./chiffchaff admin\` manages a server from the machine it runs on, while it is running or not, with SQLite or PostgreSQL. Run it as
the user the server runs as, with the same settings: \`DATA_DIR\`, or \`DATABASE_URL\` and \`STORAGE_URL\`. In a container:
\`docker exec CONTAINER node apps/server/src/admin/main.ts …\`. Exit status: 0 success, 1 it could not be done, 2 invalid arguments or
settings. \`./chiffchaff admin --version\` shows the version and the commit.

${helpPages(adminProgram(async () => undefined).commands)}`;

const commandPage = (): string => `# Command line

<!-- Written by \`${COMMAND}\` from the help pages of the commands; edit those. -->

${whatNumbersMean}

\`./chiffchaff\` can be run from any folder, or through a link in a folder on PATH. The first run of a command sets up what it needs.
Paths are relative to the current folder. \`npm run identify -- …\` does the same from within the project. Standard output contains only
the result. \`./chiffchaff --version\` shows the version and the commit.

${helpPages(product(async () => undefined).commands)}`;

const configurationPage = (): string => `# Configuration

<!-- Written by \`${COMMAND}\` from apps/server/src/config/variables.ts and settings/operator-settings.ts; edit those. -->

Variables are read from the environment at start. All are optional, and an empty one counts as not set. If a variable is not
valid, the server does not start and lists every such variable.

| Variable | Default | Must be | Example | Meaning |
|---|---|---|---|---|
${rows.map(({ name, fallbackText, rule, example, about }) => `| \`${name}\` | ${cell(fallbackText)} | ${cell(rule)} | \`${cell(example)}\` | ${cell(about)} |`).join('\n')}

## Settings of the operator

These are not read from the environment. Set them on the page /setup ([first start](operations.md#first-start)) or with
\`./chiffchaff admin settings set NAME VALUE\` ([admin.md](admin.md)); a running server uses them within a second, and the other machines
do, too. Or write them to a file and name it in \`SETTINGS_FILE\`:

\`\`\`json
{ "siteName": "birds.example.org", "disputeYears": 3, "defaultPlace": "52.2, 0.12, Cambridge" }
\`\`\`

| Setting | Must be | Example | Meaning |
|---|---|---|---|
${Object.entries(operatorSettings)
  .map(([name, { rule, example, about }]) => `| \`${name}\` | ${cell(rule)} | \`${cell(example)}\` | ${cell(about)} |`)
  .join('\n')}
`;

const environmentExample = (): string => `# Written by \`${COMMAND}\`. Copy what you need; everything is optional.
${rows.map(({ name, fallbackText, rule, example, about }) => `\n# ${about}\n# Must be ${rule}. Default: ${fallbackText}.\n#${name}=${example}`).join('\n')}
`;

const problemsPage = (): string => `# Problems

<!-- Written by \`${COMMAND}\` from packages/contract/src/problems.ts; edit that. -->

Every answer that is not 200 is \`application/problem+json\` (RFC 9457) with \`type\`, \`title\`, \`status\`, \`detail\`, \`instance\` (the
id of the request, which the log has too), and our \`code\`, \`retryable\` and, where single fields are wrong, \`errors\`
(\`[{field, message}]\`). Branch on \`code\`; \`detail\` is a sentence for people and may change. \`retryable\` says whether the same
request may succeed later.

| Code | Status | Title | Retryable |
|---|---|---|---|
${Object.entries(problems)
  .map(([code, { status, title, retryable }]) => `| \`${code}\` | ${status} | ${title} | ${retryable ? 'yes' : 'no'} |`)
  .join('\n')}
`;

/** What writes each page. */
export const pages: Readonly<Record<string, () => string>> = {
  'docs/admin.md': adminPage,
  'docs/command-line.md': commandPage,
  'docs/configuration.md': configurationPage,
  'docs/problems.md': problemsPage,
  '.env.example': environmentExample,
};

if (import.meta.main) for (const [file, write] of Object.entries(pages)) await writeFile(join(root, file), write());
