import type { CardContent } from './card-content.ts';
import { breakLines } from './fit-text.ts';

/** Portrait format, as phones show pictures in messages; pixels. */
const CARD = { width: 1080, height: 1350, margin: 72 } as const;
const INNER = CARD.width - 2 * CARD.margin;
const STRIP = { top: 196, height: 330 } as const;
const FOOT = 1236;

/** The page's light theme (`look.css`), whatever the user has chosen: others see the card elsewhere. */
const COLOURS = {
  paper: '#f7f2e5',
  strip: '#efe8d5',
  ink: '#23261c',
  soft: '#5a5948',
  line: '#ddd3bb',
  accent: '#595b10',
} as const;

const SERIF = '"Fraunces Variable", Georgia, serif';
const SANS = '"Figtree Variable", system-ui, sans-serif';
const fonts = {
  brand: `600 52px ${SERIF}`,
  where: `500 34px ${SANS}`,
  foot: `500 28px ${SANS}`,
  name: (size: number) => `560 ${size}px ${SERIF}`,
  scientific: (size: number) => `italic 400 ${size}px ${SERIF}`,
  facts: (size: number) => `500 ${size}px ${SANS}`,
};

/** Font sizes to try for a bird's name, largest first, down to what is still legible on a phone. */
const NAME_SIZES = [92, 80, 70, 62, 56, 50, 45, 40] as const;

/** The two notes of the wordmark (`ui/wordmark.tsx`), in a box of 40 × 44. */
const NOTES = [
  'M4.6 4.4C4.5.9 10.6.9 10.6 4.4c1.4 12 4 19.6 11.6 25 3.2 2.5.8 6.3-2.7 5.1C9.2 30.7 5.2 20.6 4.6 4.4z',
  'M22.4 13.4c-.1-3.5 6-3.5 6 0 1.2 9.8 3.4 16.2 10 20.8 3.2 2.5.8 6.3-2.7 5.1-8.9-3.2-12.8-12-13.3-25.9z',
];

interface Line {
  readonly text: string;
  readonly font: string;
  readonly colour: string;
  /** pixels from the previous line */
  readonly leading: number;
}

type Context = OffscreenCanvasRenderingContext2D | CanvasRenderingContext2D;

/** Lays out all text with names of this size; `isWhole` says that nothing had to be cut off. */
function layOut(context: Context, { sentence, birds, more }: CardContent, size: number) {
  const lines: Line[] = [];
  let isWhole = true;
  const add = (text: string, font: string, colour: string, fontSize: number, before = 0, most = 2) => {
    context.font = font;
    const broken = breakLines(text, INNER, most, (part) => context.measureText(part).width);
    isWhole &&= broken.isWhole;
    for (const [index, line] of broken.lines.entries())
      lines.push({ text: line, font, colour, leading: fontSize * 1.16 + (index === 0 ? before : 0) });
  };
  const small = Math.max(28, Math.round(size * 0.5));
  if (sentence !== null) add(sentence, fonts.name(size), COLOURS.ink, size, 0, 4);
  for (const [index, { name, scientificName, facts }] of birds.entries()) {
    add(name, fonts.name(size), COLOURS.ink, size, index === 0 && sentence === null ? 0 : size * 0.42);
    add(scientificName, fonts.scientific(small), COLOURS.soft, small, 4);
    add(facts, fonts.facts(small), COLOURS.accent, small, 4);
  }
  if (more !== null) add(more, fonts.facts(small), COLOURS.soft, small, size * 0.42);
  return { lines, isWhole, height: lines.reduce((sum, { leading }) => sum + leading, 0) };
}

/**
 * Draws a result's card.
 *
 * @param strip the spectrogram of the best moment; null if no audio is available
 * @returns a PNG, which may contain more than the image: see `plainPng`
 */
export async function drawCard(content: CardContent, strip: HTMLCanvasElement | null): Promise<Blob> {
  const { width, height, margin } = CARD;
  const everything = JSON.stringify(content);
  const wanted = [fonts.brand, fonts.where, fonts.name(92), fonts.scientific(46), fonts.facts(46)];
  // If they fail to load, the browser's own fonts are used.
  await Promise.all(wanted.map((font) => document.fonts.load(font, everything))).catch(() => {});
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width, height });
  const context = canvas.getContext('2d');
  if (!context) throw new Error('The browser draws no pictures');
  context.fillStyle = COLOURS.paper;
  context.fillRect(0, 0, width, height);
  context.textBaseline = 'alphabetic';

  context.save();
  context.translate(margin, 74);
  context.scale(1.5, 1.5);
  context.fillStyle = COLOURS.accent;
  for (const note of NOTES) context.fill(new Path2D(note));
  context.restore();
  const write = (text: string, font: string, colour: string, x: number, y: number, align: CanvasTextAlign = 'left') => {
    Object.assign(context, { font, fillStyle: colour, textAlign: align });
    context.fillText(text, x, y);
  };
  write('Chiffchaff', fonts.brand, COLOURS.ink, margin + 82, 124);

  let top = STRIP.top;
  if (strip) {
    context.fillStyle = COLOURS.strip;
    context.fillRect(0, top, width, STRIP.height);
    context.drawImage(strip, 0, top, width, STRIP.height);
    context.fillStyle = COLOURS.line;
    for (const y of [top, top + STRIP.height - 2]) context.fillRect(0, y, width, 2);
    top += STRIP.height;
  }
  const room = { from: top + 24, to: FOOT - 100 };
  const most = room.to - room.from;
  const tried = NAME_SIZES.map((size) => layOut(context, content, size));
  const { lines, height: used } =
    tried.find((one) => one.isWhole && one.height <= most) ??
    tried.findLast((one) => one.height <= most) ??
    layOut(context, content, 34);
  let y = room.from + Math.max(0, most - used) / 2;
  for (const { text, font, colour, leading } of lines) {
    y += leading;
    write(text, font, colour, margin, y - leading * 0.2);
  }

  context.fillStyle = COLOURS.line;
  context.fillRect(margin, FOOT - 58, INNER, 2);
  context.font = fonts.where;
  const [where = ''] = breakLines(content.where, INNER, 1, (part) => context.measureText(part).width).lines;
  write(where, fonts.where, COLOURS.ink, margin, FOOT);
  context.font = fonts.foot;
  const credit = breakLines(content.attribution, INNER, 2, (part) => context.measureText(part).width).lines;
  for (const [index, line] of credit.entries())
    write(line, fonts.foot, COLOURS.soft, margin, FOOT + (where === '' ? 0 : 48) + index * 36);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The browser makes no PNG'))), 'image/png'),
  );
}
