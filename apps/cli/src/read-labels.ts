import { type Label, readLabels } from '@chiffchaff/survey';
import type { CommandContext } from './command-context.ts';
import { readGiven } from './files.ts';
import { openSpeciesFinder } from './species-names.ts';
import { say } from './terminal/terminal.ts';

/**
 * Reads a file of labels that a user gave. The other species that a label names gets its scientific name; the names of the model are only
 * read if there is one.
 *
 * @throws InputError when the file cannot be read or has a value that is none, SetUpError when the names are needed and not installed
 */
export async function readLabelsOf(
  file: string,
  { config, terminal }: Pick<CommandContext, 'config' | 'terminal'>,
): Promise<readonly Label[]> {
  const given = { what: 'The labels', file, startFolder: config.startFolder, note: () => {} };
  const labels = await readGiven({ ...given, note: (sentence) => say(terminal, sentence) }, readLabels);
  const named = new Set(labels.map(({ otherSpecies }) => otherSpecies).filter(Boolean));
  if (named.size === 0) return labels;
  const finder = await openSpeciesFinder(config);
  const species = new Map<string, string | null>();
  for (const name of named) species.set(name, await finder.species(name));
  return readGiven(given, (bytes, shownAs, note) => readLabels(bytes, shownAs, note, (name) => species.get(name) ?? null));
}
