import { expect, it } from 'vitest';
import { breakLines } from './fit-text.ts';

const measure = (text: string) => text.length;

it.each([
  ['Common Chiffchaff', 20, 2, ['Common Chiffchaff'], true],
  ['Common Chiffchaff', 12, 2, ['Common', 'Chiffchaff'], true],
  ['Gelbbrauen-Laubsänger', 12, 2, ['Gelbbrauen-', 'Laubsänger'], true],
  ['Langschwanzschwirrvogel', 12, 2, ['Langschwanz…'], false],
  ['one two three four', 8, 2, ['one two', 'three f…'], false],
  ['', 8, 2, [''], true],
])(
  'The text in the picture of a shared result (`fitText`) breaks %s at a width of %i into at most %i lines',
  (text, width, most, lines, isWhole) => {
    expect(breakLines(text, width, most, measure)).toEqual({ lines, isWhole });
  },
);
