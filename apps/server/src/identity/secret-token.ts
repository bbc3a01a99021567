import { createHash, randomBytes } from 'node:crypto';

/** 256 random bits as text that fits into an address. */
export const createSecret = (): string => randomBytes(32).toString('base64url');

/** What is stored in a secret's place. Secrets of 256 random bits need neither salt nor a slow hash. */
export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex');
