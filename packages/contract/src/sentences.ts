import type { ConfidenceWord, VerdictKind } from './prediction.ts';

/** What a sentence needs to know of a candidate. */
export interface NamedCandidate {
  readonly commonName: string;
  readonly confidenceWord: ConfidenceWord;
  readonly unusualHere: boolean;
}

export interface VerdictInWords {
  readonly kind: VerdictKind;
  /** The first two of `named` are too close to call. */
  readonly tied: boolean;
  /** What the verdict is about: one bird, the tied two, or several in order of first time. Empty when there is none. */
  readonly named: readonly NamedCandidate[];
  /** The genus that is surer than its species, and the names of its two likeliest. */
  readonly genus: { readonly name: string; readonly species: readonly [string, string] } | null;
  /** What it sounds like, though that bird is not expected at the place and week. */
  readonly notExpectedHere: Pick<NamedCandidate, 'commonName'> | null;
  /** of the names; articles and joined names ("Marsh or Willow Tit") are for English ones */
  readonly language: string;
}

/** Longer lists are cut in the sentence; the candidates tell the rest. */
const MAX_NAMES = 6;

/**
 * Says the verdict in one or two English sentences: "Very likely a Common Chiffchaff.", "Marsh or Willow Tit: too close to call.".
 *
 * @example
 * verdictSentence({ kind: 'noBird', tied: false, named: [], genus: null, notExpectedHere: null, language: 'en' }); // "No bird recognised."
 */
export function verdictSentence(verdict: VerdictInWords): string {
  const { kind, notExpectedHere, language } = verdict;
  const here = sentenceOf(verdict);
  if (notExpectedHere === null) return here;
  const elsewhere = `Sounds like ${withArticle(notExpectedHere.commonName, language)}, which is not expected here.`;
  return kind === 'noBird' ? elsewhere : `${elsewhere} Among the birds of this place: ${lowerFirst(here)}`;
}

function sentenceOf({ kind, tied, named, genus, language }: VerdictInWords): string {
  const [first, second] = named;
  if (kind === 'noBird' || first === undefined) return 'No bird recognised.';
  if (tied && second !== undefined) {
    return `${joinAlternatives(first.commonName, second.commonName, language)}: too close to call.`;
  }
  if (kind === 'several') {
    return `Several birds: ${joinAll(named.map((candidate) => candidate.commonName))}.`;
  }
  if (genus !== null) return `${genus.name}: ${joinAlternatives(...genus.species, language)}.`;
  const unusual = first.unusualHere ? ', which is unusual here' : '';
  return `${words[first.confidenceWord]} ${withArticle(first.commonName, language)}${unusual}.`;
}

const words: { readonly [Word in ConfidenceWord]: string } = {
  veryLikely: 'Very likely',
  likely: 'Likely',
  perhaps: 'Perhaps',
  notSure: 'Not sure: perhaps',
  none: 'Not sure: perhaps',
};

/** A name as it stands in a sentence: `a Common Chiffchaff`, `an Azure Tit`, `a Eurasian Wren`; without an article where it is not English. */
export function withArticle(name: string, language = 'en'): string {
  if (!isEnglish(language)) return name;
  return `${startsWithVowelSound(name) ? 'an' : 'a'} ${name}`;
}

/** Spelt with a vowel and spoken with a consonant: Eurasian, European, Unicoloured, Uniform, Uganda, Ural, One-coloured. */
const consonantSound = /^(eu(?!ler)|uni|uganda|ural|one)/i;

function startsWithVowelSound(name: string): boolean {
  return /^[aeiouàáâäåæèéêëìíîïòóôöøùúûü]/i.test(name) && !consonantSound.test(name);
}

/** `Marsh Tit`, `Willow Tit` → `Marsh or Willow Tit`: what both names end with is said once. */
export function joinAlternatives(first: string, second: string, language = 'en'): string {
  if (!isEnglish(language)) return `${first} or ${second}`;
  const firstWords = first.split(' ');
  const secondWords = second.split(' ');
  let shared = 0;
  while (
    shared + 1 < Math.min(firstWords.length, secondWords.length) &&
    firstWords.at(-1 - shared) === secondWords.at(-1 - shared)
  ) {
    shared++;
  }
  return `${firstWords.slice(0, firstWords.length - shared).join(' ')} or ${second}`;
}

function joinAll(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES);
  const rest = names.length - shown.length;
  const parts = rest > 0 ? [...shown, `${rest} more`] : shown;
  const last = parts.at(-1) ?? '';
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`;
}

const isEnglish = (language: string): boolean => /^en($|[-_])/i.test(language);

const lowerFirst = (sentence: string): string =>
  /^(Very|Likely|Perhaps|Not|Several|No)\b/.test(sentence) ? sentence.charAt(0).toLowerCase() + sentence.slice(1) : sentence;
