import { describe, expect, it } from 'vitest';
import { hasHiddenCharacters } from './hidden-characters.ts';

describe('The search for hidden characters in names (`hasHiddenCharacters`)', () => {
  it.each([
    ['direction marks', ['\u200E', '\u200F', '\u061C']],
    ['embeddings and overrides of direction', ['\u202A', '\u202B', '\u202C', '\u202D', '\u202E']],
    ['isolates of direction', ['\u2066', '\u2067', '\u2068', '\u2069']],
    ['what has no width', ['\u200B', '\u2060', '\uFEFF', '\u00AD', '\u034F', '\u115F', '\u3164', '\uFFA0']],
    ['annotations, tags and old format characters', ['\uFFF9', '\u206A', '\u2062', '\u{E0041}', '\u{E007F}']],
    ['controls and line ends', ['\0', '\n', '\r', '\t', '\u001B', '\u0085', '\u2028', '\u2029']],
    ['joiners and form selectors where nothing joins', ['\u200C', '\u200D', '\uFE00', '\u{E0100}', '\u180B']],
  ])('finds %s in a name', (_kind, characters) => {
    for (const character of characters) {
      for (const name of [`Ada${character}Wren`, `Ada ${character}`, `${character}Ada`, `Анна${character}`, `林${character}a`]) {
        // Variation selectors are allowed after a Chinese character.
        if (name.startsWith('林') && /[\uFE00\u{E0100}]/u.test(character)) continue;
        expect(hasHiddenCharacters(name), JSON.stringify(name)).toBe(true);
      }
    }
  });

  it.each([
    'Ada Löwenherz-O’Neil, Jr.',
    'Đặng Thị Hà',
    '渡邉\u{E0100} 陽子',
    'עדה לב',
    'آدا',
    // Persian between two parts of a word, Malayalam at a word's end, Sinhala and Hindi within a cluster
    'سفره\u200Cماهی',
    'സുധാകരന്\u200D',
    'ශ්\u200Dරී',
    'क्\u200Dष',
    '🐦 Ada 🐦‍⬛',
    '👩🏽‍🔬',
    '🏳️‍🌈',
    '👨‍👩‍👧‍👦',
    '❤️',
    '1️⃣',
    '🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}',
  ])('finds none in the name %j', (name) => expect(hasHiddenCharacters(name)).toBe(false));

  it('finds two joiners in a row, and a joiner that is attached to an emoji', () => {
    for (const name of ['سفره\u200C\u200Cماهی', '🐦\u200D', '🐦\u200DAda']) {
      expect(hasHiddenCharacters(name), JSON.stringify(name)).toBe(true);
    }
  });
});
