import { closest, distance } from 'fastest-levenshtein';
import { rows } from './variables.ts';

/** Prefixes that other programs use, too: Node.js, the AWS SDK, and desktops (`SESSION_MANAGER`). */
const SHARED_PREFIXES = ['NODE_', 'AWS_', 'SESSION_'];
/** Shorter names are one edit away from too many others: `PORT`, `SORT`. */
const LEAST_LETTERS = 6;

/** What variables for settings of the operator would begin with: `TERMS_SITE_NAME`, `DEFAULT_LANGUAGE`. */
const OPERATOR_PREFIXES = ['TERMS_', 'DEFAULT_', 'SPECIES_'];

const known = rows.map(({ name }) => name);
const prefixOf = (name: string): string => name.slice(0, name.indexOf('_') + 1);
const ownPrefixes = new Set(known.map(prefixOf).filter((prefix) => prefix !== '' && !SHARED_PREFIXES.includes(prefix)));

/** The settings that a misspelt name may mean. */
function likelyMeant(name: string): string[] {
  const prefix = prefixOf(name);
  if (ownPrefixes.has(prefix)) return known.filter((other) => prefixOf(other) === prefix);
  return known.filter((other) => other.length >= LEAST_LETTERS && distance(name, other) === 1);
}

function explain(name: string): string | null {
  if (OPERATOR_PREFIXES.includes(prefixOf(name)))
    return `${name} is not read from the environment and is ignored; set it at /setup, with "./chiffchaff admin settings" or in SETTINGS_FILE`;
  const likely = likelyMeant(name);
  return likely.length > 0 ? `${name} is not a setting and is ignored; the closest one is ${closest(name, likely)}` : null;
}

/** A sentence for each name in the environment that looks like a setting but is none. Contains no values. */
export const misspeltSettings = (environment: Readonly<Record<string, string | undefined>>): string[] =>
  Object.keys(environment)
    .filter((name) => !known.includes(name))
    .map(explain)
    .filter((sentence) => sentence !== null);
