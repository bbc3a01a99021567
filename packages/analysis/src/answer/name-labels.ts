import type { ModelKnowledge } from '@chiffchaff/recognizer';

/** The language of the names in the model's own label file. */
export const DEFAULT_LANGUAGE = 'en';

/** A model's species names in one language, by label. */
export type NameOfLabel = (label: number) => string;

export type SpeciesNames = ReturnType<typeof createSpeciesNames>;

/**
 * A model's species names in all languages that there are tables of.
 *
 * @param codes of the tables
 * @param readText reads a table, once when it is first asked for: `Scientific name_Name`, one a line
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
      if (cut > 0) names.set(line.slice(0, cut), line.slice(cut + 1).trim());
    }
    return species.labels.map(({ scientificName }) => names.get(scientificName) ?? '');
  };

  return {
    /** Codes of the tables there are, the ones that `en` may mean first. */
    languages,
    /**
     * Names in the language: of its own table where that has one, else English, else scientific. `de-AT` means `de` where there is no
     * Austrian table; a language that is not there at all gives English.
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
        // The label of a sound (Engine, Noise …) is shown as it is.
        if (kind === 'nonEvent') return labelName;
        const name = names[label] ?? '';
        return name !== '' && name !== scientificName ? name : labelName || scientificName;
      };
    },
  };
}

/** American English first: the label file and other BirdNET programs have those names. */
const rankOf = (code: string): number => (code === 'en_us' ? 0 : code.startsWith('en') ? 1 : 2);

/** @returns undefined for English, whose names are the label file's own, and for languages that are not there */
function findLanguage(language: string, languages: readonly string[]): string | undefined {
  const asked = language
    .toLowerCase()
    .replaceAll('-', '_')
    .replace(/^en_gb$/, 'en_uk');
  if (languages.includes(asked)) return asked;
  const main = asked.split('_', 1)[0] ?? asked;
  return languages.includes(main) ? main : undefined;
}
