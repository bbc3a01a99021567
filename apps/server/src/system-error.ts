import { codeOf } from '@chiffchaff/acquire';

/** Whether it is a system error with one of these codes, such as `ENOENT`. */
export const hasCode = (error: unknown, ...codes: readonly string[]): boolean => codes.includes(codeOf(error));
