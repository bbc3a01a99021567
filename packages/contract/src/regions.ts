import type { Candidate } from './prediction.ts';

/** English names that have an article: the United States, the Netherlands, the Americas, the Cook Islands, the Dominican Republic. */
const WITH_ARTICLE =
  /^(United |Netherlands|Philippines|Bahamas|Maldives|Gambia|Comoros|Americas|Caribbean|Isle |Falkland|U\.S\.)|(Islands|Republic|Territor(y|ies)|Emirates|Region)$/;

/** Names of regions as a sentence lists them: `Southern Africa`, `the Americas and Asia`, `Südliches Afrika und Asien`. */
export function regionsInWords(codes: readonly string[], language: string): string {
  // Species names have codes such as `en_uk`, which are no language tags.
  const [main = 'en'] = language.split(/[-_]/, 1);
  const isEnglish = main === 'en';
  const tag = isEnglish ? 'en-GB' : main;
  const names = new Intl.DisplayNames([tag], { type: 'region' });
  const named = codes.map((code) => names.of(code) ?? code);
  return new Intl.ListFormat(tag, { type: 'conjunction' }).format(
    named.map((name) => (isEnglish && WITH_ARTICLE.test(name) ? `the ${name}` : name)),
  );
}

/**
 * Where a bird lives, when it is not to be named without: no place was told, or it does not live at the assumed one. Else empty, as in answers
 * of before regions were told.
 */
export function regionsToSay({ regions = [], assumed, occurrence }: Pick<Candidate, 'regions' | 'assumed' | 'occurrence'>) {
  return occurrence === null || assumed === 'elsewhere' ? regions : [];
}
