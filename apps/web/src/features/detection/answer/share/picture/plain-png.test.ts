import { expect, it } from 'vitest';
import { plainPng } from './plain-png.ts';

const chunk = (type: string, data: string): string => `${String.fromCharCode(0, 0, 0, data.length)}${type}${data}crc!`;
const bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
const png = (...chunks: readonly string[]) => bytes(`\x89PNG\r\n\x1a\n${chunks.join('')}`);

it('The PNG of a shared result (`plainPng`) loses everything that is not the image', () => {
  const [head, image, end] = [chunk('IHDR', 'thirteen byte'), chunk('IDAT', 'pixels'), chunk('IEND', '')];
  const told = ['tEXt', 'iTXt', 'zTXt', 'eXIf', 'tIME', 'pHYs', 'iCCP', 'iDOT', 'gAMA', 'spRv'].map((type) =>
    chunk(type, 'Chemnitz'),
  );
  expect(plainPng(png(head, ...told, image, image, chunk('tEXt', 'more'), end))).toEqual(png(head, image, image, end));
  expect(plainPng(png(head, image, end))).toEqual(png(head, image, end));
});

it('The PNG of a shared result (`plainPng`) is refused if it ends within a chunk', () => {
  expect(() => plainPng(png(chunk('IHDR', 'thirteen byte')).subarray(0, 20))).toThrow(RangeError);
});
