/**
 * Finds the model's species by the names that people write: in lists of species (`identify --species`) and as the other species of a label
 * (`review`, `export`).
 */
import { readFile } from 'node:fs/promises';
import { type ModelNames, openNames } from '@chiffchaff/analysis';
import { modelFolderOf } from '@chiffchaff/models';
import { readModelFolder } from '@chiffchaff/recognizer/node';
import { type Cells, readTable } from '@chiffchaff/survey';
import { distance } from 'fastest-levenshtein';
import type { Config } from './config.ts';
import { whenInstalled } from './open-recognizer.ts';

/** A species of today's lists that the model has under another name (`changed-species.tsv`). */
interface ChangedSpecies {
  readonly scientificName: string;
  readonly commonName: string;
  readonly change: 'split' | 'lumped' | 'moved';
  readonly modelName: string;
}

/** What a name means. */
export type Named =
  /** `today` is the name in today's lists; several birds, if it is lumped from them. `change` is null if the model has the name. */
  | {
      readonly kind: 'birds';
      readonly birds: readonly string[];
      readonly today: string;
      readonly change: ChangedSpecies['change'] | null;
    }
  /** A class of the model that is no bird; null for one that is no species either, such as an engine. */
  | { readonly kind: 'noBird'; readonly scientificName: string | null }
  /** Birds that share the name. */
  | { readonly kind: 'ambiguous'; readonly birds: readonly string[] }
  | { readonly kind: 'unknown' };

export type SpeciesFinder = Awaited<ReturnType<typeof createSpeciesFinder>>;

/** The names of the installed model, without the model itself. @throws SetUpError when it is not installed */
export const openSpeciesFinder = (config: Config): Promise<SpeciesFinder> =>
  whenInstalled(config, async () =>
    createSpeciesFinder(await openNames(await readModelFolder(modelFolderOf(config.dataDir, config.modelId)))),
  );

/** Case, blanks, hyphens and apostrophes do not matter, nor does the spelling of grey. */
const folded = (name: string): string =>
  name
    .normalize('NFC')
    .replace(/[’‘`']/g, '')
    .replace(/[\s\u2010-\u2015-]+/g, ' ')
    .trim()
    .toLowerCase()
    .replace(/\bgrey\b/g, 'gray');

/** Adjectives agree with the genus, and lists differ in it: `ignicapilla` is `ignicapillus`. */
const ENDINGS = [
  ['us', 'a', 'um'],
  ['is', 'e'],
] as const;

/** @param language whose common names take precedence; default: English */
export async function createSpeciesFinder(names: ModelNames, language?: string) {
  const scientific = [...(await names.namesIn(language ?? 'en')).keys()];
  const byScientific = new Map(scientific.map((name) => [folded(name), name]));
  /** Common name → scientific names that share it; one map per language, in order of precedence. */
  const byCommon: Map<string, Set<string>>[] = [];
  for (const code of new Set([...(language === undefined ? [] : [language]), 'en', ...names.languages])) {
    const own = new Map<string, Set<string>>();
    for (const [name, common] of await names.namesIn(code))
      own.set(folded(common), (own.get(folded(common)) ?? new Set()).add(name));
    byCommon.push(own);
  }
  const changed = (await readChangedSpecies()).filter(({ modelName }) => byScientific.has(folded(modelName)));
  const birds = (today: string, of: readonly string[], change: ChangedSpecies['change'] | null = null): Named => ({
    ...{ kind: 'birds', birds: of, today, change },
  });
  const findChanged = (key: 'scientificName' | 'commonName', name: string): Named | null => {
    const found = changed.filter((each) => folded(each[key]) === name);
    const [first] = found;
    const models = [...new Set(found.map(({ modelName }) => modelName))];
    return first ? birds(first.change === 'moved' ? first.modelName : first.scientificName, models, first.change) : null;
  };

  async function findScientific(name: string): Promise<string | null> {
    for (const spelt of spellings(name)) {
      const known = byScientific.get(spelt) ?? (await names.birdCalled(spelt));
      if (known) return known;
    }
    return null;
  }

  async function findOne(text: string): Promise<Named> {
    const name = folded(text);
    const known = await findScientific(name);
    const byName = known === null ? findChanged('scientificName', name) : birds(known, [known]);
    if (byName) return byName;
    for (const own of byCommon) {
      const of = [...(own.get(name) ?? [])];
      if (of.length > 1) return { kind: 'ambiguous', birds: of };
      if (of[0] !== undefined) return birds(of[0], of);
    }
    const other = names.otherSounds.find((each) => [each.scientificName, each.labelName].some((own) => folded(own) === name));
    if (other) return { kind: 'noBird', scientificName: other.kind === 'nonBird' ? other.scientificName : null };
    return findChanged('commonName', name) ?? { kind: 'unknown' };
  }

  /** @param text a scientific or common name, or both as `Scientific name_Common name` */
  async function find(text: string): Promise<Named> {
    const whole = await findOne(text);
    if (whole.kind !== 'unknown' || !text.includes('_')) return whole;
    const first = await findOne(text.slice(0, text.indexOf('_')));
    return first.kind === 'unknown' ? findOne(text.slice(text.indexOf('_') + 1)) : first;
  }

  return {
    find,
    /** The scientific name of the species that a name means: the model's, or today's where that is split since; null for anything else. */
    async species(text: string): Promise<string | null> {
      const named = await find(text);
      if (named.kind === 'noBird') return named.scientificName;
      return named.kind === 'birds' ? named.today : null;
    },
    /** The nearest name of the same kind, scientific or common. */
    nearest(text: string): string {
      const name = folded(text.split('_', 1)[0] ?? text);
      const genera = new Set([...byScientific.keys()].map((each) => each.split(' ', 1)[0]));
      const isScientific = genera.has(name.split(' ', 1)[0]);
      const near = nearestOf(name, isScientific ? [...byScientific.keys()] : [...(byCommon[0]?.keys() ?? [])]);
      return byScientific.get(near) ?? near;
    },
  };
}

async function readChangedSpecies(): Promise<ChangedSpecies[]> {
  const found: ChangedSpecies[] = [];
  const table = await readFile(new URL('changed-species.tsv', import.meta.url), 'utf8');
  const open = () => (cells: Cells) =>
    found.push({
      scientificName: cells.filled('Scientific name'),
      commonName: cells.filled('Common name'),
      change: cells.oneOf('Change', ['split', 'lumped', 'moved']),
      modelName: cells.filled('Model name'),
    });
  readTable(table.replace(/^#.*$/gm, ''), open, { shownAs: 'changed-species.tsv', note: () => {} });
  return found;
}

/** By words in common, about: the Barn Owl is nearer to an American Barn Owl than the American Crow. Then by letters. */
function nearestOf(name: string, all: readonly string[]): string {
  const words = name.split(' ');
  let best = { text: '', shared: -1, letters: 0 };
  for (const text of all) {
    const own = text.split(' ');
    const alike = own.map((word) => Math.max(...words.map((each) => likeness(each, word))));
    const shared = (2 * alike.reduce((sum, each) => sum + each, 0)) / (own.length + words.length);
    if (shared < best.shared) continue;
    const letters = distance(name, text);
    if (shared > best.shared || letters < best.letters) best = { text, shared, letters };
  }
  return best.text;
}

/** 1 for the same word, 0 for another. */
function likeness(one: string, other: string): number {
  const share = 1 - distance(one, other) / Math.max(one.length, other.length);
  return share >= 0.6 ? share : 0;
}

function* spellings(name: string): Generator<string> {
  yield name;
  for (const endings of ENDINGS) {
    const found = endings.find((ending) => name.includes(' ') && name.endsWith(ending));
    if (found) for (const ending of endings) yield name.slice(0, -found.length) + ending;
  }
}
