/**
 * Rules of the generic field check: required, length of the trimmed text, range of a number. The sentences are in the language files under
 * `field`.
 */
export interface FieldRules {
  readonly required?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly numeric?: boolean;
  /** Checks the text without trimming it: spaces at the ends are part of a password. */
  readonly untrimmed?: boolean;
  /** Bounds of a numeric field, both inclusive. */
  readonly min?: number;
  readonly max?: number;
}

export type FieldFault =
  | { readonly rule: 'required' | 'numeric' }
  | { readonly rule: 'minLength' | 'maxLength'; readonly limit: number }
  | { readonly rule: 'range'; readonly min: number; readonly max: number };

/** Accepts a comma or a point as decimal separator: 50,8 or 50.8. */
export const readNumber = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text.trim().replace(',', '.')));

/** A number as text for a numeric field, with the language's decimal separator and no thousands separators. */
export function writeNumber(value: number, language: string): string {
  const parts = new Intl.NumberFormat(language).formatToParts(0.5);
  const isComma = parts.some(({ type, value: separator }) => type === 'decimal' && separator === ',');
  return isComma ? String(value).replace('.', ',') : String(value);
}

/** The first rule that the text breaks, or null. An empty optional field breaks none. */
export function checkField(text: string, rules: FieldRules): FieldFault | null {
  const trimmed = rules.untrimmed ? text : text.trim();
  if (trimmed === '') return rules.required ? { rule: 'required' } : null;
  if (rules.minLength !== undefined && trimmed.length < rules.minLength) return { rule: 'minLength', limit: rules.minLength };
  if (rules.maxLength !== undefined && trimmed.length > rules.maxLength) return { rule: 'maxLength', limit: rules.maxLength };
  if (rules.numeric) {
    const number = readNumber(trimmed);
    const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = rules;
    if (!Number.isFinite(number)) return { rule: 'numeric' };
    if (number < min || number > max) return { rule: 'range', min, max };
  }
  return null;
}
