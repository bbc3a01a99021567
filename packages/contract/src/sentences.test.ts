import { describe, expect, it } from 'vitest';
import { regionsInWords } from './regions.ts';
import { type NamedCandidate, type VerdictInWords, verdictSentence, withArticle } from './sentences.ts';

const bird = (commonName: string, confidenceWord: NamedCandidate['confidenceWord'] = 'veryLikely') => ({
  commonName,
  confidenceWord,
  unusualHere: false,
  occurrence: 0.5,
});

const say = (verdict: Partial<VerdictInWords>): string =>
  verdictSentence({
    kind: 'identified',
    tied: false,
    named: [],
    genus: null,
    notExpectedHere: null,
    language: 'en',
    ...verdict,
  });

describe('The sentence of a verdict', () => {
  it.each([
    ['veryLikely', 'Very likely a Common Chiffchaff.'],
    ['likely', 'Likely a Common Chiffchaff.'],
    ['perhaps', 'Perhaps a Common Chiffchaff.'],
    ['notSure', 'Not sure, but it could be a Common Chiffchaff.'],
  ] as const)('puts the confidence into words: %s', (word, sentence) => {
    expect(say({ named: [bird('Common Chiffchaff', word)] })).toBe(sentence);
  });

  it.each([
    [{ unusualHere: true }, 'Likely a Hoopoe, which is seldom reported here.'],
    [{ unusualHere: true, occurrenceWord: 'seldomReported' }, 'Likely a Hoopoe, which is seldom reported here.'],
    [{ unusualHere: true, occurrenceWord: 'notKnown' }, 'Likely a Hoopoe, which is not known from here.'],
    [{ occurrenceWord: 'expected' }, 'Likely a Hoopoe.'],
    [{ unusualHere: true, assumed: 'here' }, 'Likely a Hoopoe, which is seldom reported here.'],
  ] as const)('says how seldom a bird is reported at the place: %o', (at, sentence) => {
    expect(say({ named: [{ ...bird('Hoopoe', 'likely'), ...at }] })).toBe(sentence);
  });

  describe('for a bird that may be from elsewhere', () => {
    const crombec = { ...bird('Cape Crombec', 'likely'), regions: ['018'] };
    const nowhere = { ...crombec, occurrence: null };
    const elsewhere = { ...crombec, occurrence: 0.0001, assumed: 'elsewhere' as const };
    const robin = { ...bird('Robin'), regions: ['150', '142'], assumed: 'here' as const };

    it('names the region where it lives', () => {
      expect(say({ named: [nowhere] })).toBe('Likely a Cape Crombec, a bird of Southern Africa.');
      expect(say({ named: [elsewhere] })).toBe('Likely a Cape Crombec, which lives in Southern Africa. Was it recorded there?');
    });

    it('names no region if the bird lives at the place, or if its regions or occurrence are unknown', () => {
      expect(say({ named: [robin] })).toBe('Very likely a Robin.');
      expect(say({ named: [crombec] })).toBe('Likely a Cape Crombec.');
      expect(say({ named: [{ ...bird('Robin'), occurrence: null }] })).toBe('Very likely a Robin.');
    });

    it('names the region also among several birds', () => {
      expect(say({ kind: 'several', named: [robin, elsewhere] })).toBe(
        'Several birds: Robin and Cape Crombec (Southern Africa).',
      );
      expect(say({ kind: 'unsure', tied: true, named: [robin, elsewhere] })).toBe(
        'Robin or Cape Crombec: too close to call. Cape Crombec lives in Southern Africa.',
      );
      const genus = { name: 'Sylvietta', species: ['Cape Crombec', 'Red-faced Crombec'] } as const;
      expect(say({ kind: 'unsure', named: [nowhere], genus })).toBe(
        'Sylvietta: Cape Crombec or Red-faced Crombec. Cape Crombec lives in Southern Africa.',
      );
    });
  });

  it.each([
    [['019', '142'], 'en', 'the Americas and Asia'],
    [['US', 'CA', 'MX'], 'en_uk', 'the United States, Canada and Mexico'],
    [['NL'], 'en-GB', 'the Netherlands'],
    [['CK', 'JP'], 'en', 'the Cook Islands and Japan'],
    [['018', '150'], 'de', 'Südliches Afrika und Europa'],
    [[], 'en', ''],
  ])('names the regions %j in the language %s', (codes, language, words) => {
    expect(regionsInWords(codes, language)).toBe(words);
  });

  it('says that a tie is too close to call', () => {
    const named = [bird('Marsh Tit', 'perhaps'), bird('Willow Tit', 'perhaps')];
    expect(say({ kind: 'unsure', tied: true, named })).toBe('Marsh Tit or Willow Tit: too close to call.');
  });

  it('names several birds in the given order', () => {
    const named = [bird('Robin'), bird('Great Tit'), bird('Wren')];
    expect(say({ kind: 'several', named })).toBe('Several birds: Robin, Great Tit and Wren.');
    expect(say({ kind: 'several', named: named.slice(0, 2) })).toBe('Several birds: Robin and Great Tit.');
  });

  it('names six birds and counts the others', () => {
    const named = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'].map((name) => bird(name));
    expect(say({ kind: 'several', named })).toBe('Several birds: A, B, C, D, E, F and 2 more.');
  });

  it('names the genus if that is surer than its species', () => {
    const genus = { name: 'Corvus', species: ['Carrion Crow', 'Hooded Crow'] } as const;
    expect(say({ kind: 'unsure', named: [bird('Carrion Crow', 'perhaps')], genus })).toBe('Corvus: Carrion Crow or Hooded Crow.');
  });

  it('says “No bird found.” when no bird is recognised', () => {
    expect(say({ kind: 'noBird' })).toBe('No bird found.');
  });

  it('names both the bird that is not expected at the place and the bird that is', () => {
    const notExpectedHere = { commonName: 'Superb Lyrebird' };
    expect(say({ kind: 'noBird', notExpectedHere })).toBe('Sounds like a Superb Lyrebird, which is not expected here.');
    expect(say({ named: [bird('European Starling', 'likely')], notExpectedHere })).toBe(
      'Sounds like a Superb Lyrebird, which is not expected here. Among the birds expected here: likely a European Starling.',
    );
    expect(
      say({
        kind: 'unsure',
        notExpectedHere,
        genus: { name: 'Corvus', species: ['Carrion Crow', 'Hooded Crow'] },
        named: [bird('Carrion Crow')],
      }),
    ).toMatch(/ Among the birds expected here: Corvus: Carrion Crow or Hooded Crow\.$/);
  });

  it('puts no English article before names in other languages', () => {
    expect(say({ named: [bird('Zilpzalp')], language: 'de' })).toBe('Very likely Zilpzalp.');
  });
});

describe('The English article before a bird’s name (`withArticle`)', () => {
  it.each([
    ['Azure Tit', 'an'],
    ['Óbó Thrush', 'an'],
    ['Upland Sandpiper', 'an'],
    ['Undulated Tinamou', 'an'],
    ['Ultramarine Lorikeet', 'an'],
    ["Euler's Flycatcher", 'an'],
    ['Eurasian Wren', 'a'],
    ['European Robin', 'a'],
    ['Unicolored Jay', 'a'],
    ['Uniform Crake', 'a'],
    ['Ural Owl', 'a'],
    ['One-colored Becard', 'a'],
    ['House Sparrow', 'a'],
    ['Yellowhammer', 'a'],
  ])('chooses the article before “%s”: %s', (name, article) => {
    expect(withArticle(name)).toBe(`${article} ${name}`);
  });
});
