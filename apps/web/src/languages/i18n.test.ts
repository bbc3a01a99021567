import { describe, expect, it } from 'vitest';
import de from './de.json';
import en from './en.json';
import { chooseLanguage, loadLaterTexts, speak, spoken } from './i18n.ts';
import laterDe from './later/de.json';
import laterEn from './later/en.json';

/** Every text by its path. */
function textsOf(strings: object, path = ''): Map<string, string> {
  return new Map(
    Object.entries(strings).flatMap(([name, value]: [string, unknown]) =>
      typeof value === 'object' && value !== null
        ? [...textsOf(value, `${path}${name}.`)]
        : [[`${path}${name}`, String(value)] as const],
    ),
  );
}
const placeholders = (text: string) => (text.match(/\{\{\w+\}\}|<\/?\w+>/g) ?? []).toSorted();

describe.each([
  ['come with the page', en, de],
  ['come later', laterEn, laterDe],
])('The German texts of the page that %s', (_, englishStrings, germanStrings) => {
  const english = textsOf(englishStrings);
  const german = textsOf(germanStrings);

  it('have exactly the keys of the English texts', () => {
    expect([...german.keys()].toSorted()).toEqual([...english.keys()].toSorted());
  });

  it('have the same placeholders as the English texts', () => {
    for (const [path, text] of english)
      if (text !== '') expect(placeholders(german.get(path) ?? ''), path).toEqual(placeholders(text));
  });

  it('are never empty, unlike English texts, some of which leave the sentence to the server', () => {
    expect([...german].filter(([, text]) => text === '')).toEqual([]);
  });
});

describe('Texts of the page that are loaded later', () => {
  it('share no key with the texts that come with the page', () => {
    const keys = [...textsOf(laterEn).keys()];
    expect(keys.length).toBeGreaterThan(0);
    expect(keys.filter((key) => textsOf(en).has(key))).toEqual([]);
  });

  it('are shown in the language of the page as soon as they have loaded', async () => {
    await loadLaterTexts();
    expect(spoken.snapshot().t('local.onServer')).toBe('On the server');
    await speak('de');
    expect(spoken.snapshot().t('local.onServer')).toBe('Auf dem Server');
    expect(spoken.snapshot().t('action.cancel')).toBe(de.action.cancel);
    await speak('en');
    expect(spoken.snapshot().t('local.onServer')).toBe('On the server');
  });
});

describe('A text with a count', () => {
  const { t } = spoken.snapshot();

  it.each([
    [0, 'No bird was confirmed.'],
    [1, 'You confirmed 1 bird.'],
    [2, 'You confirmed 2 birds.'],
  ])('has the form of its language: %i', (count, text) => {
    expect(t('confirmPlayed.confirmed', { count })).toBe(text);
  });

  it.each([
    [1, '1st'],
    [2, '2nd'],
    [3, '3rd'],
    [11, '11th'],
  ])('has the form of a place in an order: %i', (count, text) => {
    expect(t('heardBefore.times', { count, ordinal: true })).toContain(`${text} time`);
  });

  it('has one form for all counts if the language needs no others', () => {
    expect(t('listen.perhapsAlso', { count: 1 })).toBe('Perhaps also · 1');
  });
});

describe('The gaps of a text', () => {
  const { t } = spoken.snapshot();

  it('are filled with values as they are, even with one that looks like a gap', () => {
    expect(t('answer.certainty', { name: '{{name}} $& <b>' })).toContain('{{name}} $& <b>');
  });
});

describe('A key without a text', () => {
  it('is shown itself, or what is given instead', () => {
    const unknown = 'checkUp.sound.Whale' as 'checkUp.sound.Dog';
    const { t } = spoken.snapshot();
    expect(t(unknown)).toBe(unknown);
    expect(t(unknown, { defaultValue: 'Whale' })).toBe('Whale');
  });
});

describe('The language of the page', () => {
  it('is the language chosen by the user, else the first of the browser’s languages that the page has, else English', () => {
    expect(chooseLanguage('de', ['en-GB'])).toBe('de');
    expect(chooseLanguage(null, ['fr', 'de-AT', 'en'])).toBe('de');
    expect(chooseLanguage('xx', ['fr'])).toBe('en');
    expect(chooseLanguage(null, [])).toBe('en');
    expect(chooseLanguage(null, ['constructor'])).toBe('en');
  });

  it('is set on the document when it changes', async () => {
    await speak('de');
    expect(document.documentElement.lang).toBe('de');
    await speak('en');
    expect(document.documentElement.lang).toBe('en');
  });
});
