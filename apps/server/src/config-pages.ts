import { rows } from './config-variables.ts';

/** `docs/configuration.md` and `.env.example`, written from the table that the server reads. */

const COMMAND = 'node apps/server/src/write-pages.ts';

const cell = (text: string): string => text.replaceAll('|', '\\|');

export function configurationPage(): string {
  return `# Configuration

<!-- Written by \`${COMMAND}\` from apps/server/src/config-variables.ts; edit that. -->

Everything is read from environment variables, at start. None has to be set; an empty one counts as not set. A variable that
cannot be understood stops the start, and all such variables are named at once.

| Variable | Without it | Must be | For example | Says |
|---|---|---|---|---|
${rows.map(({ name, fallbackText, rule, example, about }) => `| \`${name}\` | ${cell(fallbackText)} | ${cell(rule)} | \`${cell(example)}\` | ${cell(about)} |`).join('\n')}
`;
}

export function environmentExample(): string {
  return `# Written by \`${COMMAND}\`. Copy what you need; nothing here has to be set.
${rows.map(({ name, fallbackText, rule, example, about }) => `\n# ${about}\n# Must be ${rule}. Without it: ${fallbackText}.\n#${name}=${example}`).join('\n')}
`;
}
