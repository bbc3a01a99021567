import type { Candidate, ConfidenceWord, VerdictKind } from './prediction.ts';
import { regionsInWords, regionsToSay } from './regions.ts';

/** What a sentence needs from a candidate. */
export type NamedCandidate = Readonly<
  Pick<Candidate, 'commonName' | 'confidenceWord' | 'unusualHere' | 'regions' | 'assumed' | 'occurrence' | 'occurrenceWord'>
>;

export interface VerdictInWords {
  readonly kind: VerdictKind;
  /** The first two of `named` are too close to call. */
  readonly tied: boolean;
  /** The birds that the verdict is about: one, the tied two, or several in the order first heard. Empty when there is none. */
  readonly named: readonly NamedCandidate[];
  /** The genus that is surer than its species, and the names of its two likeliest species. */
  readonly genus: { readonly name: string; readonly species: readonly [string, string] } | null;
  /** The bird it sounds like, if that is not expected at the place and week. */
  readonly notExpectedHere: Pick<NamedCandidate, 'commonName'> | null;
  /** of the names; only English ones get articles */
  readonly language: string;
}

/** Longer lists are cut in the sentence; the candidates have the rest. */
const MAX_NAMES = 6;

/**
 * Words the verdict in a few English sentences: "Very likely a Common Chiffchaff.", "Marsh Tit or Willow Tit: too close to call.". A bird that
 * may be from elsewhere is named with where it lives.
 *
 * @example
 * verdictSentence({ kind: 'noBird', tied: false, named: [], genus: null, notExpectedHere: null, language: 'en' }); // "No bird found."
 */
export function verdictSentence(verdict: VerdictInWords): string {
  const { kind, notExpectedHere, language } = verdict;
  const here = sentenceOf(verdict);
  if (notExpectedHere === null) return here;
  const elsewhere = `Sounds like ${withArticle(notExpectedHere.commonName, language)}, which is not expected here.`;
  return kind === 'noBird' ? elsewhere : `${elsewhere} Among the birds expected here: ${lowerFirst(here)}`;
}

function sentenceOf({ kind, tied, named, genus, language }: VerdictInWords): string {
  const [first, second] = named;
  if (kind === 'noBird' || first === undefined) return 'No bird found.';
  if (tied && second !== undefined) {
    return `${first.commonName} or ${second.commonName}: too close to call.${livesIn([first, second])}`;
  }
  if (kind === 'several') {
    return `Several birds: ${joinAll(named.map(withRegions))}.`;
  }
  if (genus !== null) return `${genus.name}: ${genus.species.join(' or ')}.${livesIn([first])}`;
  return `${words[first.confidenceWord]} ${withArticle(first.commonName, language)}${remark(first)}`;
}

/** What follows the name of a single bird: where it lives, if that has to be shown, or how seldom it is reported at the place. */
function remark(bird: NamedCandidate): string {
  const regions = regionsToSay(bird);
  const occurrence = occurrenceRemark(bird);
  if (regions.length === 0) return occurrence === null ? '.' : `, which is ${occurrenceInWords[occurrence]}.`;
  const where = regionsInWords(regions, 'en');
  return bird.assumed === 'elsewhere' ? `, which lives in ${where}. Was it recorded there?` : `, a bird of ${where}.`;
}

/** The remarks in English, as they follow a bird's name. */
export const occurrenceInWords = { seldomReported: 'seldom reported here', notKnown: 'not known from here' } as const;

/**
 * What has to be said of a bird beside its name: that it is seldom reported at the place, or not known from there. Without a word, as at
 * an assumed place or on a device that does not know the surroundings, an unusual bird is called seldom reported.
 *
 * @returns null when nothing has to be said
 */
export function occurrenceRemark({
  occurrenceWord,
  unusualHere,
}: Pick<Candidate, 'occurrenceWord' | 'unusualHere'>): 'seldomReported' | 'notKnown' | null {
  const word = occurrenceWord ?? (unusualHere ? 'seldomReported' : 'expected');
  return word === 'expected' ? null : word;
}

/** ` Carrion Crow lives in Europe and Asia.`; empty if no bird has to be shown with its regions. */
function livesIn(birds: readonly NamedCandidate[]): string {
  return birds
    .filter((bird) => regionsToSay(bird).length > 0)
    .map((bird) => ` ${bird.commonName} lives in ${regionsInWords(regionsToSay(bird), 'en')}.`)
    .join('');
}

/** `Killdeer (the Americas)` */
function withRegions(bird: NamedCandidate): string {
  const regions = regionsToSay(bird);
  return regions.length === 0 ? bird.commonName : `${bird.commonName} (${regionsInWords(regions, 'en')})`;
}

const words: { readonly [Word in ConfidenceWord]: string } = {
  veryLikely: 'Very likely',
  likely: 'Likely',
  perhaps: 'Perhaps',
  notSure: 'Not sure, but it could be',
  none: 'Not sure, but it could be',
};

/** A name as in a sentence: `a Common Chiffchaff`, `an Azure Tit`, `a Eurasian Wren`; no article for other languages. */
export function withArticle(name: string, language = 'en'): string {
  if (!isEnglish(language)) return name;
  return `${startsWithVowelSound(name) ? 'an' : 'a'} ${name}`;
}

/** Spelt with a vowel but pronounced with a consonant: Eurasian, European, Unicoloured, Uniform, Uganda, Ural, One-coloured. */
const consonantSound = /^(eu(?!ler)|uni|uganda|ural|one)/i;

function startsWithVowelSound(name: string): boolean {
  return /^[aeiouàáâäåæèéêëìíîïòóôöøùúûü]/i.test(name) && !consonantSound.test(name);
}

function joinAll(names: readonly string[]): string {
  const rest = names.length - MAX_NAMES;
  return new Intl.ListFormat('en-GB').format(rest > 0 ? [...names.slice(0, MAX_NAMES), `${rest} more`] : names);
}

const isEnglish = (language: string): boolean => /^en($|[-_])/i.test(language);

const lowerFirst = (sentence: string): string =>
  /^(Very|Likely|Perhaps|Not|Several|No)\b/.test(sentence) ? sentence.charAt(0).toLowerCase() + sentence.slice(1) : sentence;
