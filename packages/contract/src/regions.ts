import type { Candidate } from './prediction.ts';

/** English names with an article: the United States, the Netherlands, the Americas, the Cook Islands, the Dominican Republic. */
const WITH_ARTICLE =
  /^(United |Netherlands|Philippines|Bahamas|Maldives|Gambia|Comoros|Americas|Caribbean|Isle |Falkland|U\.S\.)|(Islands|Republic|Territor(y|ies)|Emirates|Region)$/;

/** An English name as in the middle of a sentence. */
export const regionInSentence = (name: string): string => (WITH_ARTICLE.test(name) ? `the ${name}` : name);

/** Names of regions, listed as in a sentence: `Southern Africa`, `the Americas and Asia`, `Südliches Afrika und Asien`. */
export function regionsInWords(codes: readonly string[], language: string): string {
  // Languages of species names have codes such as `en_uk`, which are no language tags.
  const [main = 'en'] = language.split(/[-_]/, 1);
  const isEnglish = main === 'en';
  const tag = isEnglish ? 'en-GB' : main;
  const names = new Intl.DisplayNames([tag], { type: 'region' });
  const named = codes.map((code) => names.of(code) ?? code);
  return new Intl.ListFormat(tag, { type: 'conjunction' }).format(isEnglish ? named.map(regionInSentence) : named);
}

/**
 * The regions to show with a bird's name: if no place is known, or if it is not common at the assumed place. Empty otherwise, and where
 * they are unknown.
 */
export function regionsToSay({ regions = [], ...bird }: Pick<Candidate, 'regions' | 'assumed' | 'occurrence' | 'unusualHere'>) {
  const isDoubtful = bird.assumed === 'elsewhere' || (bird.assumed === 'here' && bird.unusualHere);
  return bird.occurrence === null || isDoubtful ? regions : [];
}
