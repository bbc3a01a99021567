import type { Prediction, Recording } from '../prediction.ts';

/** The part of a prediction that tables are made of; every prediction is one. */
export interface Tabulated extends Pick<Prediction, 'detections'> {
  readonly recording: Pick<Recording, 'fileName' | 'durationSeconds' | 'sampleRate'>;
}

/** Seconds with as many digits as are needed and at most three: `3`, `1.5`, `10.007`. */
export function seconds(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}

/**
 * Text that a spreadsheet shows and never runs. A cell that begins with `=`, `+`, `-` or `@` (or with white space that hides one)
 * is taken for a formula, and file names come from strangers; an apostrophe in front makes it text. Source: OWASP, CSV injection.
 */
export function harmless(text: string): string {
  return /^([\t\r\n]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20])/.test(text) ? `'${text}` : text;
}

/** Text on one line and in one column of a tab-separated table. */
export function onOneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}
