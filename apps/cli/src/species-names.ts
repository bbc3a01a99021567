/**
 * Finds the model's species by the names that people write: in lists of species (`identify --species`) and as the other species of a label
 * (`review`, `export`).
 */
import { readFile } from 'node:fs/promises';
import { type ModelNames, openNames } from '@chiffchaff/analysis';
import { modelFolderOf, readChangedNames } from '@chiffchaff/models';
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

/** Where the names are. */
export type NamesConfig = Pick<Config, 'dataDir' | 'modelId'>;

/** The names of the installed model, without the model itself. @throws SetUpError when it is not installed */
export const openSpeciesFinder = (config: NamesConfig): Promise<SpeciesFinder> =>
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
  const commonNames = await names.namesIn(language ?? 'en');
  const scientific = [...commonNames.keys()];
  const byScientific = new Map(scientific.map((name) => [folded(name), name]));
  const genera = new Set([...byScientific.keys()].map((name) => name.split(' ', 1)[0]));
  /** Common name → scientific names that share it; one map per language, in order of precedence. */
  const byCommon: Map<string, Set<string>>[] = [];
  for (const code of new Set([...(language === undefined ? [] : [language]), 'en', ...names.languages])) {
    const own = new Map<string, Set<string>>();
    for (const [name, common] of await names.namesIn(code))
      own.set(folded(common), (own.get(folded(common)) ?? new Set()).add(name));
    byCommon.push(own);
  }
  const changed = (await readChangedSpecies()).filter(({ modelName }) => byScientific.has(folded(modelName)));
  const split = [...(await readChangedNames()).values()].filter(({ length }) => length > 1).flat();
  // A part that kept the name of all cannot be told from the species that BirdNET means by it.
  const parts = new Map(split.filter((name) => !byScientific.has(folded(name))).map((name) => [folded(name), name]));
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
    /** In the language, by scientific name of the birds. */
    commonNames,
    /** The scientific name of the species that a name means: the model's, or today's where that is split since; null for anything else. */
    async species(text: string): Promise<string | null> {
      const part = parts.get(folded(text.split('_', 1)[0] ?? text));
      if (part !== undefined) return part;
      const named = await find(text);
      if (named.kind === 'noBird') return named.scientificName;
      return named.kind === 'birds' ? named.today : null;
    },
    /**
     * The nearest name of the same kind, scientific or common; of a subspecies, its species. Null when none is near, or when it is no name of
     * one species.
     */
    async nearest(text: string): Promise<string | null> {
      const name = folded(text.split('_', 1)[0] ?? text);
      const [genus = '', epithet, ...more] = name.split(' ');
      if (SEVERAL.test(name) || (epithet === undefined && genera.has(genus))) return null;
      const species = more.length > 0 ? await findScientific(`${genus} ${epithet}`) : null;
      if (species !== null) return species;
      const isScientific = genera.has(genus);
      const near = nearestOf(name, [...byScientific.keys(), ...(isScientific ? [] : (byCommon[0]?.keys() ?? []))], likeness);
      if (near !== null) return byScientific.get(near) ?? near;
      return isScientific ? null : nearestOf(name, new Set(byCommon.flatMap((own) => [...own.keys()])), letterLikeness);
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

/** A genus, family or order, a hybrid or a pair, as lists of sightings have them. */
const SEVERAL = /\b(sp|spp|ssp|species|indet)\.?$|×| x |\bhybrid\b|\/|^\S+(idae|inae|iformes)$/;

/** The most alike, if that is near and only one is: many birds are a tit. */
function nearestOf(name: string, all: Iterable<string>, alike: (name: string, other: string) => number): string | null {
  let best = { text: '', share: 0 };
  let isTied = false;
  for (const text of all) {
    const share = alike(name, text);
    if (share < best.share) continue;
    isTied = share === best.share;
    best = { text, share };
  }
  return best.share < NEAR || isTied ? null : best.text;
}

/** The least likeness of a name that is suggested, of a word in it that counts, and of all letters where words differ. */
const NEAR = 0.7;
const NEAR_WORD = 0.6;
const NEAR_LETTERS = 0.75;

/** By words in common, about: the Barn Owl is nearer to an American Barn Owl than the American Crow. Or by letters. */
function likeness(name: string, other: string): number {
  const [words, others] = [name.split(' '), other.split(' ')];
  const best = (word: string, among: readonly string[]) =>
    Math.max(...among.map((each) => letterLikeness(each, word, NEAR_WORD)));
  const shared = (some: readonly string[], among: readonly string[]) => some.reduce((sum, word) => sum + best(word, among), 0);
  const inWords = (2 * Math.min(shared(words, others), shared(others, words))) / (words.length + others.length);
  return Math.max(inWords, letterLikeness(name, other));
}

/** 1 for the same text, 0 for one that is not near. */
function letterLikeness(one: string, other: string, least = NEAR_LETTERS): number {
  const [short, long] = one.length < other.length ? [one.length, other.length] : [other.length, one.length];
  const share = short < least * long ? 0 : 1 - distance(one, other) / long;
  return share >= least ? share : 0;
}

function* spellings(name: string): Generator<string> {
  yield name;
  for (const endings of ENDINGS) {
    const found = endings.find((ending) => name.includes(' ') && name.endsWith(ending));
    if (found) for (const ending of endings) yield name.slice(0, -found.length) + ending;
  }
}
