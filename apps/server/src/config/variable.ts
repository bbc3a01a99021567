import { resolve } from 'node:path';
import { z } from 'zod';
import type { RateLimit } from '../http/limits/limiters.ts';

/** How the text of an environment variable is parsed. */
export interface Kind<Value> {
  readonly schema: z.ZodType<Value, string>;
  /** Completes the sentence "NAME must be …". */
  readonly rule: string;
}

/** An environment variable: how it is parsed, its default, and its documentation. */
export interface Variable<Value> extends Kind<Value> {
  readonly name: string;
  readonly fallback: Value;
  /** How the fallback reads in the documentation. */
  readonly fallbackText: string;
  readonly example: string;
  readonly about: string;
}

/** Something invalid in the configuration. */
export interface ConfigFault {
  /** of a variable, or of a setting in the settings file */
  readonly name: string;
  /** Completes the sentence "NAME must be …". */
  readonly rule: string;
  /** null if the rule itself says what to write */
  readonly example: string | null;
}

interface Row<Fallback> {
  /** null if absent */
  readonly fallback?: Fallback;
  /** the fallback itself if absent */
  readonly fallbackText?: string;
  /** the fallback itself if absent */
  readonly example?: string;
  readonly about: string;
}

export function variable<Value, const Fallback = null>(name: string, kind: Kind<Value>, row: Row<Fallback>) {
  const { fallback = null, fallbackText = String(fallback), example = String(fallback), about } = row;
  return { ...kind, name, fallback, fallbackText, example, about } as Variable<Value | Fallback>;
}

export const text = (rule: string, pattern = /./s): Kind<string> => ({ schema: z.string().regex(pattern), rule });

export const PROJECT_FOLDER = resolve(import.meta.dirname, '../../../..');

/** A path; a relative one starts at the project folder, whatever the working folder is. */
export const path = (rule: string): Kind<string> => ({
  schema: z.string().transform((value) => resolve(PROJECT_FOLDER, value)),
  rule,
});

export const wholeNumber = (min: number, max: number, rule = `a whole number from ${min} to ${max}`): Kind<number> => ({
  schema: z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .pipe(z.int().min(min).max(max)),
  rule,
});

export const oneOf = <const Value extends string>(...values: readonly Value[]): Kind<Value> => ({
  schema: z.enum(values),
  rule: new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(values),
});

export const flag: Kind<boolean> = {
  schema: z.enum(['true', 'false']).transform((value) => value === 'true'),
  rule: 'true or false',
};

/** An origin as browsers send it, such as `https://birds.example.org`, with nothing after it. */
export const origin: Kind<string> = {
  schema: z.url({ protocol: /^https?$/, abort: true }).refine((value) => new URL(value).origin === value),
  rule: 'an http or https origin without a path',
};

/** Base URL of another service; paths are added to it. */
export const serviceAddress: Kind<string> = {
  schema: z.url({ protocol: /^https?$/ }).regex(/[^/?#]$/),
  rule: 'an http or https address without a trailing slash',
};

export const emailAddress: Kind<string> = { schema: z.email().max(320), rule: 'an email address' };

export const databaseAddress: Kind<string> = {
  schema: z.url({ protocol: /^postgres(ql)?$/ }),
  rule: 'a postgres address',
};

/** A bucket and a prefix for the names in it, which may be empty. */
export interface BucketAddress {
  readonly bucket: string;
  readonly prefix: string;
}

export const bucketAddress: Kind<BucketAddress> = {
  schema: z
    .string()
    .regex(/^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[\w-][\w.-]*)*\/?$/)
    .transform((value) => {
      const [bucket = '', ...folders] = value.slice('s3://'.length).split('/').filter(Boolean);
      return { bucket, prefix: folders.join('/') };
    }),
  rule: 's3://, a bucket and, optionally, a slash and a prefix',
};

const listOf = <Item>(item: z.ZodType<Item, string>): z.ZodType<Item[], string> =>
  z
    .string()
    .transform((value) => value.split(',').map((part) => part.trim()))
    .pipe(z.array(item));

export const origins: Kind<readonly string[]> = {
  schema: listOf(origin.schema),
  rule: 'http or https origins without a path, separated by commas',
};

const attemptLimit: Kind<RateLimit> = {
  schema: z
    .string()
    .regex(/^[1-9]\d{0,6}\/[1-9]\d{0,6}$/)
    .transform((value) => {
      const [points = 0, windowSeconds = 0] = value.split('/').map(Number);
      return { points, windowSeconds };
    }),
  rule: 'a number of attempts, a slash, and a number of seconds',
};

/** @param example the fallback as it is written: `100/900` for 100 attempts in a quarter of an hour */
export const limit = (name: string, example: string, about: string): Variable<RateLimit> =>
  variable(name, attemptLimit, { fallback: attemptLimit.schema.parse(example), fallbackText: example, example, about });

const addressOrNetwork = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);

/** Which proxies are trusted for a client's address: none, all, a number of them, or certain addresses. */
export const trustProxy: Kind<boolean | number | readonly string[]> = {
  schema: z.union([flag.schema, wholeNumber(1, 16).schema, listOf(addressOrNetwork)]),
  rule: 'true, false, a number of proxies, or addresses and networks separated by commas',
};
