import type { IdentityErrorCode } from '@chiffchaff/contract';

/**
 * A refused account operation. Independent of HTTP.
 *
 * `detail` is a sentence for people that follows the code in the message; most codes need none.
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

/** Whether an error is an IdentityError with one of these codes. */
export const isRefusal = (error: unknown, ...codes: readonly IdentityErrorCode[]): error is IdentityError =>
  error instanceof IdentityError && codes.includes(error.code);
