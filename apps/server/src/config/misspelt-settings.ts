import { closest, distance } from 'fastest-levenshtein';
import { rows } from './variables.ts';

/** Shorter names are close to too many others: `PORT`, `SORT`. */
const LEAST_LETTERS = 6;
/** Part of a name's letters that may be wrong, missing or too many. */
const MOST_WRONG = 1 / 3;

/** What variables for settings of the operator would begin with: `TERMS_SITE_NAME`, `DEFAULT_LANGUAGE`. */
const OPERATOR_PREFIXES = /^(TERMS|DEFAULT|SPECIES)_/;

const known = rows.map(({ name }) => name);

function explain(name: string): readonly string[] {
  if (known.includes(name)) return [];
  if (OPERATOR_PREFIXES.test(name)) {
    return [
      `${name} is not read from the environment and is ignored; set it at /setup, with "./chiffchaff admin settings" or in SETTINGS_FILE`,
    ];
  }
  const meant = closest(name, known);
  if (name.length < LEAST_LETTERS || distance(name, meant) > name.length * MOST_WRONG) return [];
  return [`${name} is not a setting and is ignored; the closest one is ${meant}`];
}

/** A sentence for each name in the environment that looks like a setting but is none. Contains no values. */
export const misspeltSettings = (environment: Readonly<Record<string, string | undefined>>): string[] =>
  Object.keys(environment).flatMap(explain);
