import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  EXPECTED_FROM,
  monthOfWeek,
  monthsOf,
  type RangePeriod,
  rangeGrid,
  type SpeciesAround,
  type SpeciesProfile,
  type SpeciesRange,
  type SpeciesSeason,
} from '@chiffchaff/contract';
import { genusOf } from '@chiffchaff/recognizer';
import type { ModelFolder } from '@chiffchaff/recognizer/node';
import { DEFAULT_LANGUAGE, type SpeciesNames } from '../answer/name-labels.ts';
import type { AskOccurrences, StartPool } from '../made-file.ts';
import type { Zones } from '../zones/open-zones.ts';
import { readAliases } from './aliases.ts';
import { openRanges } from './open-ranges.ts';
import { openSeasons, type SeasonPlace } from './open-seasons.ts';

export interface SpeciesOptions {
  readonly model: ModelFolder;
  readonly names: SpeciesNames;
  readonly zones: Pick<Zones, 'townsOf'>;
  readonly ask: AskOccurrences;
  readonly startPool?: StartPool;
}

/** How many birds are listed around a place, besides those that begin or end. */
const MOST_AROUND = 60;

/** Facts about birds, from the model's tables and its occurrence model. Reads nothing before it is needed. */
export function openSpecies({ model, names, zones, ask, startPool }: SpeciesOptions) {
  const birds = model.species.labels.filter(({ kind }) => kind === 'bird');
  const ranges = openRanges({ model, startPool });
  const seasons = openSeasons({ model, ask, zones });
  let index: ReturnType<typeof readSpeciesIndex> | null = null;

  function getIndex() {
    index ??= readSpeciesIndex(model);
    return index;
  }

  const labelOf = async (name: string): Promise<number | null> => (await getIndex()).find(name);

  /** The other birds of its genus. */
  function relativesOf(label: number) {
    const genus = genusOf(model.species.labels[label]?.scientificName ?? '');
    return birds.filter(({ index, scientificName }) => index !== label && genusOf(scientificName) === genus);
  }

  return {
    /** Every name of each bird in any language, one a line, by its scientific name. */
    async speciesNames(): Promise<ReadonlyMap<string, string>> {
      const inLanguages = await Promise.all(names.languages.map(names.namesIn));
      const namesOf = (label: number): string => [...new Set(inLanguages.map((nameOf) => nameOf(label)))].join('\n');
      return new Map(birds.map(({ index: label, scientificName }) => [scientificName, namesOf(label)]));
    },
    /**
     * @param name scientific, as in the model or another list, in any spacing and case
     * @param language of the common names
     * @returns null if the model has no such bird
     */
    async speciesProfile(name: string, language = DEFAULT_LANGUAGE): Promise<SpeciesProfile | null> {
      const { find, otherNamesOf } = await getIndex();
      const label = find(name);
      if (label === null) return null;
      const { scientificName = '' } = model.species.labels[label] ?? {};
      const nameOf = await names.namesIn(language);
      const english = (await names.namesIn(DEFAULT_LANGUAGE))(label);
      const inLanguages = await Promise.all(
        names.languages.map(async (code) => ({ language: code, name: (await names.namesIn(code))(label) })),
      );
      return {
        scientificName,
        commonName: nameOf(label),
        // English stands in for a missing name.
        names: inLanguages.filter((one) => one.language.startsWith('en') || one.name !== english),
        otherNames: otherNamesOf(scientificName),
        genus: relativesOf(label)
          .map((bird) => ({ scientificName: bird.scientificName, commonName: nameOf(bird.index) }))
          .sort((one, other) => one.scientificName.localeCompare(other.scientificName)),
      };
    },
    /** @returns null if the model has no such bird, or no ranges */
    async speciesRange(name: string, period: RangePeriod): Promise<Omit<SpeciesRange, 'sparse' | 'regions'> | null> {
      const label = await labelOf(name);
      const found = label === null ? null : await ranges.read(label, period);
      return found && { week: found.week, ...rangeGrid, cells: Buffer.from(found.cells).toString('base64') };
    },
    /** @returns null if the model has no such bird, or nothing is known about the place */
    async speciesSeason(name: string, where: SeasonPlace): Promise<Omit<SpeciesSeason, 'sparse'> | null> {
      const label = await labelOf(name);
      const season = label === null ? null : await seasons.read(where);
      if (label === null || season === null) return null;
      const relatives = relativesOf(label)
        .map(({ index, scientificName }) => ({ scientificName, best: Math.max(...season.weeksOf(index)) }))
        .filter(({ best }) => best >= EXPECTED_FROM)
        .sort((one, other) => other.best - one.best)
        .map(({ scientificName }) => scientificName);
      return { timeZone: season.timeZone, weeks: season.weeksOf(label), relatives };
    },
    /**
     * The birds expected at a place in a week, and which of them are not there in the months before and after.
     *
     * @returns null if nothing is known about the place
     */
    async speciesAround(
      where: SeasonPlace,
      week: number,
      language = DEFAULT_LANGUAGE,
    ): Promise<Omit<SpeciesAround, 'sparse'> | null> {
      const season = await seasons.read(where);
      if (season === null) return null;
      const nameOf = await names.namesIn(language);
      const month = monthOfWeek(week - 1);
      const species = birds
        .map((bird) => ({ ...bird, occurrence: season.at(bird.index, week) }))
        .filter(({ occurrence }) => occurrence >= EXPECTED_FROM)
        .map(({ index, scientificName, occurrence }) => {
          const { isThere, isResident } = monthsOf(season.weeksOf(index));
          const [before, now, after] = [month + 11, month, month + 1].map((one) => isThere[one % isThere.length]);
          const isPassing = now === true && !isResident;
          return {
            scientificName,
            commonName: nameOf(index),
            occurrence,
            begins: isPassing && !before,
            ends: isPassing && !after,
          };
        })
        .sort((a, b) => b.occurrence - a.occurrence || a.scientificName.localeCompare(b.scientificName))
        .filter(({ begins, ends }, rank) => rank < MOST_AROUND || begins || ends);
      return { timeZone: season.timeZone, week, species };
    },
    close: ranges.close,
  };
}

export type Species = ReturnType<typeof openSpecies>;

/** Finds birds by their scientific names in the model and in other lists (`aliases.tsv`). */
export async function readSpeciesIndex(model: ModelFolder) {
  const { aliasesFile } = model.manifest.labels;
  const aliases = aliasesFile === undefined ? '' : await readFile(join(model.path, aliasesFile), 'utf8').catch(() => '');
  return createIndex(
    model.species.labels.filter(({ kind }) => kind === 'bird'),
    readAliases(aliases),
  );
}

/** `Turdus_merula`, `turdus  merula` and `Turdus+merula` are the same name. */
const folded = (name: string): string =>
  name
    .replaceAll(/[\s_+]+/g, ' ')
    .trim()
    .toLowerCase();

function createIndex(birds: ModelFolder['species']['labels'], aliases: ReadonlyMap<string, string>) {
  const labels = new Map(birds.map(({ scientificName, index }) => [folded(scientificName), index]));
  const otherNames = new Map<string, string[]>();
  for (const [other, name] of aliases) {
    const label = labels.get(folded(name));
    if (label === undefined || labels.has(folded(other))) continue;
    labels.set(folded(other), label);
    otherNames.set(name, [...(otherNames.get(name) ?? []), other]);
  }
  return {
    find: (name: string): number | null => labels.get(folded(name)) ?? null,
    otherNamesOf: (scientificName: string): string[] => otherNames.get(scientificName) ?? [],
  };
}
