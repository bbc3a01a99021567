import { z } from 'zod';

/** One environment variable: how its text is read, what holds without it, and what a person is told about it. */
export interface Variable<Value> {
  readonly name: string;
  readonly schema: z.ZodType<Value, string>;
  readonly fallback: Value;
  /** How the fallback reads in the documentation. */
  readonly fallbackText: string;
  /** Completes the sentence "NAME must be …". */
  readonly rule: string;
  readonly example: string;
  readonly about: string;
}

export const variable = <Value>(row: Variable<Value>): Variable<Value> => row;

export const text = z.string().min(1);
export const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .pipe(z.int().min(min).max(max));
export const flag = z.enum(['true', 'false']).transform((value) => value === 'true');

/** `https://birds.example.org`: what browsers send as `Origin`, and nothing after it. */
export const origin = z
  .string()
  .refine((value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol) && new URL(value).origin === value);

export const listOf = <Item>(item: z.ZodType<Item, string>) =>
  z
    .string()
    .transform((value) => value.split(',').map((part) => part.trim()))
    .pipe(z.array(item));
