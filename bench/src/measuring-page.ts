import { helpPages } from '@chiffchaff/cli';
import { benchProgram } from './program.ts';

/** The text of `docs/measuring.md`: the help pages as the commands print them. */
export function measuringPage(): string {
  return `# Measuring

<!-- Written by \`node bench/src/write-measuring-page.ts\` from the help pages of the commands; edit those. -->

The package \`bench/\` measures the product but is not part of it. Every figure in these documents names its
command. Measure only on an idle machine.

${helpPages(benchProgram(async () => undefined).commands)}`;
}
