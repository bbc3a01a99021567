import { rows } from './config-variables.ts';

/** Generates `docs/configuration.md` and `.env.example` from the table that the server reads. */

const COMMAND = 'node apps/server/src/write-pages.ts';

const cell = (text: string): string => text.replaceAll('|', '\\|');

export function configurationPage(): string {
  return `# Configuration

<!-- Written by \`${COMMAND}\` from apps/server/src/config-variables.ts; edit that. -->

Settings are read from environment variables at start. All are optional, and an empty one counts as not set. If a variable is not
valid, the server does not start and lists every such variable.

| Variable | Default | Must be | Example | Meaning |
|---|---|---|---|---|
${rows.map(({ name, fallbackText, rule, example, about }) => `| \`${name}\` | ${cell(fallbackText)} | ${cell(rule)} | \`${cell(example)}\` | ${cell(about)} |`).join('\n')}
`;
}

export function environmentExample(): string {
  return `# Written by \`${COMMAND}\`. Copy what you need; everything is optional.
${rows.map(({ name, fallbackText, rule, example, about }) => `\n# ${about}\n# Must be ${rule}. Default: ${fallbackText}.\n#${name}=${example}`).join('\n')}
`;
}
