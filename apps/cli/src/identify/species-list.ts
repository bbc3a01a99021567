import type { ModelNames } from '@chiffchaff/analysis';
import { type Note, readRows } from '@chiffchaff/survey';
import { InputError } from '../command-error.ts';
import { readGiven } from '../files.ts';
import { createSpeciesFinder, type Named, type SpeciesFinder } from '../species-names.ts';
import { printable, shortened } from '../terminal/terminal.ts';

export interface SpeciesListOptions {
  readonly startFolder: string;
  /** whose common names take precedence */
  readonly language?: string;
  readonly analyzer: ModelNames;
  /** Whether a name that is not found is an error; otherwise it is only noted. */
  readonly isStrict: boolean;
  readonly note: Note;
}

/**
 * Reads a list of species, one a line: a scientific name, of the model or of another list; a common name in any language; or both, as
 * `Scientific name_Common name`. A table is read by its column of names. Skips lines that begin with `#`. Notes what is not named as it is
 * written: species that the model does not have apart, sounds that are no birds, and names that it does not find.
 *
 * @returns the model's scientific names, each once
 * @throws InputError when the file cannot be read, names no bird or, if `isStrict`, has a name that is unknown or ambiguous
 */
export async function readSpeciesList(
  file: string,
  { startFolder, language, analyzer, isStrict, note }: SpeciesListOptions,
): Promise<readonly string[]> {
  const lines = await readGiven({ what: 'The list of species', file, startFolder, note }, readLines);
  const finder = await createSpeciesFinder(analyzer, language);
  const found = new Set<string>();
  const faults: string[] = [];
  for (const { line, texts, isTable } of lines) {
    const { text, named } = await findFirst(finder, texts);
    if (named.kind === 'birds') for (const bird of named.birds) found.add(bird);
    const birds = isTable ? [] : await birdsIn(finder, texts);
    if (birds.length > 1) {
      for (const bird of birds.flat()) found.add(bird);
      note(printable(`${file}: line ${line} names several species, and all are taken: ${birds.flat().join(', ')}.`));
    }
    const remark = await remarkOn(text, named, finder);
    if (named.kind === 'unknown' || named.kind === 'ambiguous') faults.push(`line ${line}: ${remark}`);
    else if (remark !== null) note(printable(`${file}: line ${line}: ${remark}`));
  }
  const isFatal = isStrict || found.size === 0;
  if (faults.length > 0) {
    const shown = isFatal ? shortened(faults, 'lines') : faults;
    const what = `${printable(file)} names birds that the model doesn't know:\n${shown.map(printable).join('\n')}`;
    if (isFatal) throw new InputError(what);
    note(`${what}\nThe run goes on without them; --strict-list makes them an error.`);
  }
  if (found.size === 0) throw new InputError(`${printable(file)} names no species. Write one a line, such as Turdus merula.`);
  return [...found];
}

/** A line with the texts that may be its name, the likeliest first. */
interface NamedLine {
  readonly line: number;
  readonly texts: readonly string[];
  /** of a table that says in which columns its names are */
  readonly isTable: boolean;
}

/** The columns of tables that name species, in order of precedence. */
const NAME_COLUMNS = ['scientificname', 'latinname', 'sciname', 'species', 'commonname', 'englishname', 'name'];

function readLines(bytes: Uint8Array, shownAs: string, note: Note): NamedLine[] {
  const rows = readRows(bytes, { shownAs, note, trims: true }).filter(({ cells }) => !cells[0]?.startsWith('#'));
  const header = (rows[0]?.cells ?? []).map((name) => name.toLowerCase().replace(/[\s._-]+/g, ''));
  const columns = NAME_COLUMNS.map((name) => header.indexOf(name)).filter((column) => column >= 0);
  const list = columns.length > 0 ? rows.slice(1) : rows;
  return list
    .map(({ cells, line }) => ({
      line,
      isTable: columns.length > 0,
      texts: (columns.length > 0 ? columns.map((column) => cells[column] ?? '') : [cells.join(', '), ...cells]).filter(Boolean),
    }))
    .filter(({ texts }) => texts.length > 0);
}

/** The species that the cells of a line name, each once: a line may be a list. */
async function birdsIn(finder: SpeciesFinder, texts: readonly string[]): Promise<readonly (readonly string[])[]> {
  const found: (readonly string[])[] = [];
  for (const text of texts) {
    const named = await finder.find(text);
    if (named.kind === 'birds' && !found.flat().some((bird) => named.birds.includes(bird))) found.push(named.birds);
  }
  return found;
}

async function findFirst(finder: SpeciesFinder, texts: readonly string[]): Promise<{ text: string; named: Named }> {
  for (const text of texts) {
    const named = await finder.find(text);
    if (named.kind !== 'unknown') return { text, named };
  }
  return { text: texts[0] ?? '', named: { kind: 'unknown' } };
}

/** What to say of a name; null when it means just what it says. */
async function remarkOn(text: string, named: Named, finder: SpeciesFinder): Promise<string | null> {
  if (named.kind === 'unknown') {
    const near = await finder.nearest(text);
    return `“${text}”; ${near === null ? 'no name of a species is near it' : `the nearest name is “${near}”`}.`;
  }
  if (named.kind === 'noBird') return `“${text}” is no bird, so it is left out.`;
  const birds = named.birds.join(' or ');
  if (named.kind === 'ambiguous') return `“${text}” may be ${birds}; write the scientific name.`;
  if (named.change === 'split') return `“${text}” is part of ${birds} in the model, which can't tell them apart.`;
  return named.change === 'lumped' ? `“${text}” is ${named.birds.join(', ')} in the model.` : null;
}
