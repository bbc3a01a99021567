import type { ModelKnowledge } from '@chiffchaff/recognizer';

/** The language of the names in the model's own label file. */
export const DEFAULT_LANGUAGE = 'en';

/** Gives the name of a label in one language. */
export type NameOfLabel = (label: number) => string;

export type SpeciesNames = ReturnType<typeof createSpeciesNames>;

/**
 * A model's species names, in every language that has a table.
 *
 * @param codes of the tables
 * @param readText reads a table, once, when it is first needed: `Scientific name_Name`, one a line
 */
export function createSpeciesNames(
  { species }: Pick<ModelKnowledge, 'species'>,
  codes: readonly string[],
  readText: (code: string) => Promise<string>,
) {
  const languages = codes.toSorted((a, b) => rankOf(a) - rankOf(b) || a.localeCompare(b));
  const tables = new Map<string, Promise<readonly string[]>>();

  const readTable = async (language: string): Promise<readonly string[]> => {
    const names = new Map<string, string>();
    for (const line of (await readText(language)).split(/\r?\n/)) {
      const cut = line.indexOf('_');
      if (cut > 0) names.set(line.slice(0, cut), spelt(line.slice(cut + 1).trim(), language));
    }
    return species.labels.map(({ scientificName }) => names.get(scientificName) ?? '');
  };

  return {
    /** Codes of the tables, those that `en` may refer to first. */
    languages,
    /**
     * Names in the language: from its table where that has one, else English, else scientific. `de-AT` falls back to `de`, a language
     * without a table to English.
     */
    async namesIn(language: string): Promise<NameOfLabel> {
      const code = findLanguage(language, languages);
      let names: readonly string[] = [];
      if (code !== undefined) {
        const table = tables.get(code) ?? readTable(code);
        tables.set(code, table);
        names = await table;
      }
      return (label) => {
        const { scientificName = '', labelName = '', kind = 'bird' } = species.labels[label] ?? {};
        // Labels of sounds (Engine, Noise …) are not translated.
        if (kind === 'nonEvent') return labelName;
        const name = names[label] ?? '';
        return name !== '' && name !== scientificName ? name : labelName || scientificName;
      };
    },
  };
}

/** The British list has some names with the American *Gray*. Gray’s birds are named after people. */
const spelt = (name: string, language: string): string =>
  language === 'en_uk' ? name.replaceAll(/\bGray\b(?!['’])/g, 'Grey') : name;

/** American English first: the label file and other BirdNET programs use those names. */
const rankOf = (code: string): number => (code === 'en_us' ? 0 : code.startsWith('en') ? 1 : 2);

/** @returns undefined for English, whose names are in the label file, and for languages without a table */
function findLanguage(language: string, languages: readonly string[]): string | undefined {
  const asked = language
    .toLowerCase()
    .replaceAll('-', '_')
    .replace(/^en_gb$/, 'en_uk');
  if (languages.includes(asked)) return asked;
  const main = asked.split('_', 1)[0] ?? asked;
  return languages.includes(main) ? main : undefined;
}
