/** Width of a text in pixels, in the font in use. */
export type Measure = (text: string) => number;

const ELLIPSIS = '…';

/** The longest beginning that fits, with an ellipsis. */
function shorten(text: string, width: number, measure: Measure): string {
  const characters = [...text];
  while (characters.length > 1 && measure(characters.join('') + ELLIPSIS) > width) characters.pop();
  return characters.join('').trimEnd() + ELLIPSIS;
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
