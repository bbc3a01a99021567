import { expect, it } from 'vitest';
import { breakLines, plainPng } from './make-picture.ts';

const measure = (text: string) => text.length;

it.each([
  ['Common Chiffchaff', 20, 2, ['Common Chiffchaff'], true],
  ['Common Chiffchaff', 12, 2, ['Common', 'Chiffchaff'], true],
  ['Gelbbrauen-Laubsänger', 12, 2, ['Gelbbrauen-', 'Laubsänger'], true],
  ['Langschwanzschwirrvogel', 12, 2, ['Langschwanz…'], false],
  ['one two three four', 8, 2, ['one two', 'three f…'], false],
  ['', 8, 2, [''], true],
])(
  'The text in the picture of a shared result breaks %s at a width of %i into at most %i lines',
  (text, width, most, lines, isWhole) => {
    expect(breakLines(text, width, most, measure)).toEqual({ lines, isWhole });
  },
);

const chunk = (type: string, data: string): string => `${String.fromCharCode(0, 0, 0, data.length)}${type}${data}crc!`;
const bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
const png = (...chunks: readonly string[]) => bytes(`\x89PNG\r\n\x1a\n${chunks.join('')}`);
const imageOf = (whole: Uint8Array<ArrayBuffer>) => Uint8Array.from(plainPng(whole).flatMap((part) => [...part]));

it('The PNG of a shared result (`plainPng`) loses everything that is not the image', () => {
  const [head, image, end] = [chunk('IHDR', 'thirteen byte'), chunk('IDAT', 'pixels'), chunk('IEND', '')];
  const told = ['tEXt', 'iTXt', 'zTXt', 'eXIf', 'tIME', 'pHYs', 'iCCP', 'iDOT', 'gAMA', 'spRv'].map((type) =>
    chunk(type, 'Chemnitz'),
  );
  expect(imageOf(png(head, ...told, image, image, chunk('tEXt', 'more'), end))).toEqual(png(head, image, image, end));
  expect(imageOf(png(head, image, end))).toEqual(png(head, image, end));
});

it('The PNG of a shared result (`plainPng`) is refused if it ends within a chunk', () => {
  expect(() => plainPng(png(chunk('IHDR', 'thirteen byte')).subarray(0, 20))).toThrow(RangeError);
});
