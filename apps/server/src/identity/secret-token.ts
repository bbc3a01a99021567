import { createHash, randomBytes } from 'node:crypto';

/** 256 random bits as URL-safe text. */
export const createSecret = (): string => randomBytes(32).toString('base64url');

/** The hash that is stored instead of a secret. Secrets of 128 or more random bits need neither salt nor a slow hash. */
export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex');
