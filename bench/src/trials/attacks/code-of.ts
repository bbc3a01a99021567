import type { Answer } from '../../harness/api.ts';

/** An answer as figures show it: its status, and the code of what is wrong. */
export function codeOf({ status, body }: Answer): string {
  const identityCode = body.error?.message?.split(' : ')[0];
  return [status, body.code ?? identityCode].filter((part) => part !== undefined).join(' ');
}
