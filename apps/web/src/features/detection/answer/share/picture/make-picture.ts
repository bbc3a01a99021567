import { openPassage, type Recording } from '../../../../../ui/timeline/spectrogram/use-spectrogram-source.ts';
import { NOTES } from '../../../../../ui/wordmark.tsx';
import type { CardContent } from './card-content.ts';

/* A result as a picture to share, drawn on this device: the card, the text that fits into it, and the PNG without metadata. Loaded by *Share*. */

/** The strip: seconds before and after the best moment, and the size of its image. */
const AROUND_SECONDS = 1.5;
const IMAGE = { maxHz: 12_000, columns: 1080, rows: 330 } as const;
const LONGEST_WAIT_MS = 8000;

/** Creates a result's card as a file, on this device. @throws Error when the browser cannot draw it */
export async function makePicture(
  content: CardContent,
  durationSeconds: number,
  sound: Omit<Recording, 'durationSeconds'>,
): Promise<File> {
  const { best } = content;
  const window = best && {
    startSeconds: Math.max(0, best.startSeconds - AROUND_SECONDS),
    endSeconds: Math.min(durationSeconds, best.endSeconds + AROUND_SECONDS),
    ...IMAGE,
  };
  // A card without a spectrogram is better than none.
  const waiting = AbortSignal.timeout(LONGEST_WAIT_MS);
  const strip = window && (await openPassage({ ...sound, durationSeconds }, window, waiting).catch(() => null));
  const drawn = await drawCard(content, strip);
  return new File([...plainPng(new Uint8Array(await drawn.arrayBuffer()))], 'chiffchaff.png', { type: 'image/png' });
}

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

interface Line {
  readonly text: string;
  readonly font: string;
  readonly colour: string;
  /** pixels from the previous line */
  readonly leading: number;
}

/** Breaks a text into at most so many lines of the card. */
function fit(context: CanvasRenderingContext2D, text: string, font: string, most: number) {
  context.font = font;
  return breakLines(text, INNER, most, (part) => context.measureText(part).width);
}

/** Lays out all text with names of this size; `isWhole` says that nothing had to be cut off. */
function layOut(context: CanvasRenderingContext2D, { sentence, birds, more }: CardContent, size: number) {
  const lines: Line[] = [];
  let isWhole = true;
  const add = (text: string, font: string, colour: string, fontSize: number, before = 0, most = 2) => {
    const broken = fit(context, text, font, most);
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

/** @param strip the spectrogram of the best moment; null if no audio is available. @returns a PNG, which may contain more than the image */
async function drawCard(content: CardContent, strip: HTMLCanvasElement | null): Promise<Blob> {
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
  const [where = ''] = fit(context, content.where, fonts.where, 1).lines;
  write(where, fonts.where, COLOURS.ink, margin, FOOT);
  for (const [index, line] of fit(context, content.attribution, fonts.foot, 2).lines.entries())
    write(line, fonts.foot, COLOURS.soft, margin, FOOT + (where === '' ? 0 : 48) + index * 36);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The browser makes no PNG'))), 'image/png'),
  );
}

/** Width of a text in pixels, in the font in use. */
type Measure = (text: string) => number;

/** The longest beginning that fits, with an ellipsis. */
function shorten(text: string, width: number, measure: Measure): string {
  const characters = [...text];
  while (characters.length > 1 && measure(`${characters.join('')}…`) > width) characters.pop();
  return `${characters.join('').trimEnd()}…`;
}

/**
 * Breaks a text into lines, after spaces and hyphens. Text that does not fit into the last line is cut off; `isWhole` says that nothing
 * was.
 *
 * @param width of a line, in pixels
 */
export function breakLines(text: string, width: number, most: number, measure: Measure) {
  const lines: string[] = [];
  let line = '';
  // A hyphen stays on the line that it ends.
  for (const piece of text.match(/[^\s-]+-?\s*|-\s*|\s+/g) ?? []) {
    if (line !== '' && measure((line + piece).trimEnd()) > width) {
      lines.push(line.trimEnd());
      line = piece;
    } else line += piece;
  }
  lines.push(line.trimEnd());
  const rest = lines.splice(most - 1);
  if (rest.length > 0) lines.push(rest.join(' '));
  const isWhole = lines.every((each) => measure(each) <= width);
  return { lines: lines.map((each) => (measure(each) <= width ? each : shorten(each, width, measure))), isWhole };
}

/**
 * Chunks that an image needs. Others that browsers add may reveal something about the device: resolution, times, text, colour profile,
 * EXIF.
 */
const NEEDED = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND']);
const SIGNATURE_BYTES = 8;
/** length, type and checksum of a chunk */
const FRAME_BYTES = 12;

/** The parts of a PNG that are the image. @throws RangeError when it is not a complete PNG */
export function plainPng(png: Uint8Array<ArrayBuffer>): readonly Uint8Array<ArrayBuffer>[] {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  const kept = [png.subarray(0, SIGNATURE_BYTES)];
  for (let at = SIGNATURE_BYTES; at < png.length; ) {
    const end = at + FRAME_BYTES + view.getUint32(at);
    const type = String.fromCharCode(...png.subarray(at + 4, at + 8));
    if (end > png.length) throw new RangeError('The PNG ends within a chunk');
    if (NEEDED.has(type)) kept.push(png.subarray(at, end));
    at = end;
  }
  return kept;
}
