import { evaluateHelp } from './evaluate/options.ts';
import { identifyHelp, whatNumbersMean } from './identify/options.ts';
import { modelHelp } from './model/options.ts';

const pages = { identify: identifyHelp, evaluate: evaluateHelp, model: modelHelp };

/** `docs/command-line.md`: the help pages as the commands print them. */
export function commandPage(): string {
  const sections = Object.entries(pages).map(([name, help]) => `## ${name}\n\n\`\`\`text\n${help.trim()}\n\`\`\`\n`);
  return `# Command line

<!-- Written by \`node apps/cli/src/write-command-page.ts\` from the help pages of the commands; edit those. -->

${whatNumbersMean}

\`./chiffchaff\` can be called from any folder, or be linked to from a folder on PATH; each command sets up what it needs the first time.
Paths are relative to where you stand. \`npm run identify -- …\` is the same from within the project. Standard output has the answer and
nothing else.

${sections.join('\n')}`;
}
