import { operatorSettings } from '../settings/operator-settings.ts';
import { rows } from './variables.ts';

/** Generates `docs/configuration.md` and `.env.example` from the table that the server reads. */

const COMMAND = 'node apps/server/src/write-pages.ts';

const cell = (text: string): string => text.replaceAll('|', '\\|');

export function configurationPage(): string {
  return `# Configuration

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
}

export function environmentExample(): string {
  return `# Written by \`${COMMAND}\`. Copy what you need; everything is optional.
${rows.map(({ name, fallbackText, rule, example, about }) => `\n# ${about}\n# Must be ${rule}. Default: ${fallbackText}.\n#${name}=${example}`).join('\n')}
`;
}
