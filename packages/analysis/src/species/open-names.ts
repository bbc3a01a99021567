import type { Label } from '@chiffchaff/recognizer';
import type { ModelFolder } from '@chiffchaff/recognizer/node';
import type { SpeciesNames } from '../answer/name-labels.ts';
import { openSpeciesNames } from '../open-answerer.ts';
import { readSpeciesIndex } from './open-species.ts';

/** The names of a model's birds and other sounds; needs its folder, not the model. */
export interface ModelNames {
  /** Codes of the languages that have species names. */
  readonly languages: SpeciesNames['languages'];
  /** Common names in a language, by scientific name of the birds; English where the language has none. */
  namesIn(language: string): Promise<ReadonlyMap<string, string>>;
  /** The model's name of a bird that it or another list calls so; null if it has no such bird. */
  birdCalled(scientificName: string): Promise<string | null>;
  /** What is no bird. */
  readonly otherSounds: readonly Label[];
}

export async function openNames(model: ModelFolder, opened?: SpeciesNames): Promise<ModelNames> {
  const { labels } = model.species;
  const names = opened ?? (await openSpeciesNames(model));
  let index: ReturnType<typeof readSpeciesIndex> | null = null;
  return {
    languages: names.languages,
    async namesIn(language) {
      const nameOf = await names.namesIn(language);
      const birds = labels.filter(({ kind }) => kind === 'bird');
      return new Map(birds.map(({ index: label, scientificName }) => [scientificName, nameOf(label)]));
    },
    async birdCalled(scientificName) {
      index ??= readSpeciesIndex(model);
      const label = (await index).find(scientificName);
      return label === null ? null : (labels[label]?.scientificName ?? null);
    },
    otherSounds: labels.filter(({ kind }) => kind !== 'bird'),
  };
}
