import type { Analyzer } from '@chiffchaff/analysis';
import { type Note, readRows } from '@chiffchaff/survey';
import { closest } from 'fastest-levenshtein';
import { InputError } from '../command-error.ts';
import { readGiven } from '../files.ts';

/** Faults that are listed; further ones are only counted. */
const MAX_FAULTS_LISTED = 5;

type Birds = Pick<Analyzer, 'languages' | 'namesIn' | 'species'>;

const folded = (name: string): string => name.trim().replaceAll(/\s+/g, ' ').toLowerCase();

/**
 * Reads a list of species, one a line: a scientific name, of the model or of another list; a common name in any language; or both, as
 * `Scientific name_Common name`. Skips empty lines and lines that begin with `#`.
 *
 * @param language whose common names take precedence
 * @returns the model's scientific names, each once
 * @throws InputError when the file cannot be read, names no bird, or has a name that is unknown or ambiguous
 */
export async function readSpeciesList(
  file: string,
  { startFolder, language, analyzer, note }: { startFolder: string; language?: string; analyzer: Birds; note: Note },
): Promise<readonly string[]> {
  const rows = await readGiven({ what: 'The list of species', file, startFolder, note }, (bytes, shownAs) =>
    readRows(bytes, { shownAs, note, trims: true }),
  );
  const birds = await createNames(analyzer, language);
  const found = new Set<string>();
  const faults: string[] = [];
  for (const { cells, line: number } of rows) {
    const line = cells.join(', ');
    if (line.startsWith('#')) continue;
    const bird = await birds.find(line);
    if (bird !== null) found.add(bird);
    else faults.push(`line ${number}: ${await birds.whyNot(line)}`);
  }
  if (faults.length > 0) {
    const more = faults.length > MAX_FAULTS_LISTED ? `\n… and ${faults.length - MAX_FAULTS_LISTED} more lines` : '';
    throw new InputError(
      `${file} names birds that the model doesn't know:\n${faults.slice(0, MAX_FAULTS_LISTED).join('\n')}${more}`,
    );
  }
  if (found.size === 0) throw new InputError(`${file} names no species. Write one a line, such as Turdus merula.`);
  return [...found];
}

async function createNames(analyzer: Birds, language: string | undefined) {
  const scientific = await analyzer.namesIn(language ?? 'en');
  const byScientific = new Map([...scientific.keys()].map((name) => [folded(name), name]));
  /** Common name → scientific names that share it; one map per language, in order of precedence. */
  const byCommon: Map<string, Set<string>>[] = [];
  for (const code of new Set([...(language === undefined ? [] : [language]), 'en', ...analyzer.languages])) {
    const names = new Map<string, Set<string>>();
    for (const [name, common] of await analyzer.namesIn(code)) {
      const key = folded(common);
      names.set(key, (names.get(key) ?? new Set()).add(name));
    }
    byCommon.push(names);
  }

  async function findOne(name: string): Promise<readonly string[]> {
    const known = byScientific.get(folded(name)) ?? (await analyzer.species.profile(name))?.scientificName;
    if (known !== undefined) return [known];
    for (const names of byCommon) {
      const birds = names.get(folded(name));
      if (birds) return [...birds];
    }
    return [];
  }

  return {
    /** The bird on a line; null when it is unknown or ambiguous. */
    async find(line: string): Promise<string | null> {
      const whole = await findOne(line);
      const birds = whole.length > 0 || !line.includes('_') ? whole : await findOne(line.slice(0, line.indexOf('_')));
      return birds.length === 1 ? (birds[0] ?? null) : null;
    },
    async whyNot(line: string): Promise<string> {
      const several = await findOne(line);
      if (several.length > 1) return `“${line}” may be ${several.join(' or ')}; write the scientific name.`;
      const all = [...byScientific.keys(), ...(byCommon[0]?.keys() ?? [])];
      const near = closest(folded(line), all);
      return `“${line}”; the nearest name is “${byScientific.get(near) ?? near}”.`;
    },
  };
}
