import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createPalette } from '../apps/web/src/ui/timeline/spectrogram/paint-levels.ts';

const source = join(import.meta.dirname, '../apps/web/src');
const sheets = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.module.css'))
  .map((path) => ({ path, declarations: readFileSync(join(source, path), 'utf8').match(/[a-z-]+: [^;{}]+;/g) ?? [] }));

/** Declarations of the sheets that `isWrong`, with their file. */
const wrong = (isWrong: (name: string, value: string) => boolean) =>
  sheets.flatMap(({ path, declarations }) =>
    declarations
      .filter((declaration) => {
        const [name = '', value = ''] = declaration.slice(0, -1).split(': ');
        return isWrong(name, value);
      })
      .map((declaration) => `${path}: ${declaration}`),
  );

describe('The style sheets', () => {
  it('are found in the source of the page, more than twenty of them', () => {
    expect(sheets.length).toBeGreaterThan(20);
  });

  it('use only the font sizes of look.css', () => {
    // Words drawn in the picture are in its own units; paper has points.
    const isOther = (value: string) =>
      !/^var\(--text-(title|section|body|small|label)\)$/.test(value) && !/^\d+(px|pt)$/.test(value);
    expect(wrong((name, value) => name === 'font-size' && isOther(value))).toEqual([]);
  });

  it('use distances in steps of 8 px, or half a step', () => {
    const isOff = (value: string) =>
      [...value.matchAll(/(?<![\w.])-?([\d.]+)rem/g)].some(([, rem]) => Number(rem) !== 0.25 && (Number(rem) * 2) % 1 !== 0);
    expect(
      wrong(
        (name, value) => /^(row-gap|column-gap|gap|padding.*|margin.*)$/.test(name) && !/clamp|calc/.test(value) && isOff(value),
      ),
    ).toEqual([]);
  });

  it.each([
    ['ink', 1],
    ['darkInk', 2],
  ] as const)('have the background and text colours of the spectrogram’s palette %s', (name, theme) => {
    const look = readFileSync(join(source, 'ui/look.css'), 'utf8');
    const token = (of: string) => new RegExp(`--${of}: light-dark\\((.*), (.*)\\);`).exec(look)?.[theme];
    // Packed as little-endian RGBA.
    const hex = (rgba = 0) => `#${Buffer.from(Uint32Array.of(rgba).buffer).toString('hex', 0, 3)}`;
    const colours = createPalette(name);
    expect([hex(colours[0]), hex(colours[255])]).toEqual([token('paper-sunk'), token('ink')]);
  });
});
