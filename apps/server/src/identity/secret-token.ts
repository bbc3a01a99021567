import { randomBytes, timingSafeEqual } from 'node:crypto';
import { sha256Of } from '@chiffchaff/acquire';

/** 256 random bits as URL-safe text. */
export const createSecret = (): string => randomBytes(32).toString('base64url');

/** The hash that is stored instead of a secret. Secrets of 256 random bits need neither salt nor a slow hash. */
export const hashSecret: (secret: string) => string = sha256Of;

/** Compares hashes: in constant time, whatever the lengths. */
export const isSameSecret = (given: string, expected: string): boolean =>
  timingSafeEqual(Buffer.from(hashSecret(given)), Buffer.from(hashSecret(expected)));
