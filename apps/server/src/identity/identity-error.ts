import type { IdentityErrorCode } from '@chiffchaff/contract';

/**
 * Why something about an account was refused. Knows no HTTP.
 *
 * `detail` is a sentence for people that travels behind the code; most codes need none.
 */
export class IdentityError extends Error {
  override readonly name = 'IdentityError';
  readonly code: IdentityErrorCode;
  readonly detail: string | null;

  constructor(code: IdentityErrorCode, detail: string | null = null, options?: ErrorOptions) {
    super(detail === null ? code : `${code} : ${detail}`, options);
    this.code = code;
    this.detail = detail;
  }
}

/** Whether an error is the refusal with this code. */
export const isRefusal = (error: unknown, ...codes: readonly IdentityErrorCode[]): error is IdentityError =>
  error instanceof IdentityError && codes.includes(error.code);
