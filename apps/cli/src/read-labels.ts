import { type Label, readLabels } from '@chiffchaff/survey';
import { readGiven } from './files.ts';
import type { Context } from './read-tables.ts';
import { type NamesConfig, openSpeciesFinder } from './species-names.ts';
import { printable, say } from './terminal/terminal.ts';

/**
 * Reads a file of labels that a user gave. The other species that a label names gets its scientific name; the names of the model are only
 * read if there is one.
 *
 * @param leavesOut whether a label that names no species counts as another bird without a name, with a note, instead of being refused
 * @throws InputError when the file cannot be read or has a value that is none, SetUpError when the names are needed and not installed
 */
export async function readLabelsOf(
  file: string,
  { config, terminal }: Pick<Context, 'terminal'> & { readonly config: Context['config'] & NamesConfig },
  { leavesOut }: { readonly leavesOut: boolean },
): Promise<readonly Label[]> {
  const given = { what: 'The labels', file, startFolder: config.startFolder, note: () => {} };
  const labels = await readGiven({ ...given, note: (sentence) => say(terminal, sentence) }, readLabels);
  const named = new Set(labels.map(({ otherSpecies }) => otherSpecies).filter(Boolean));
  if (named.size === 0) return labels;
  const finder = await openSpeciesFinder(config);
  const species = new Map<string, string | null>();
  for (const name of named) species.set(name, await finder.species(name));
  const unknown = labels.filter(({ otherSpecies }) => species.get(otherSpecies) === null);
  if (leavesOut && unknown.length > 0) {
    const names = [...new Set(unknown.map(({ otherSpecies }) => otherSpecies))].join(', ');
    say(terminal, printable(`Left out of the labels, because the model knows no such species: ${names}.`));
  }
  const otherwise = leavesOut ? '' : null;
  return readGiven(given, (bytes, shownAs, note) => readLabels(bytes, shownAs, note, (name) => species.get(name) ?? otherwise));
}
