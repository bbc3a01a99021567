/**
 * A call of the identity service that failed. `message` is the answer's `error.message` as it came, or the HTTP client's own (`Network Error`,
 * `Request aborted`, `timeout of N ms exceeded`); people read `identitySentence`.
 */
export class IdentityFailure extends Error {
  override readonly name = 'IdentityFailure';
  /** What the service refused with; null when it gave no answer that could be understood. */
  readonly code: string | null;

  constructor(message: string, code: string | null, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The code of a raw message: what stands before the first ` : `. */
export const codeOfMessage = (message: string): string => message.split(' : ', 1)[0] ?? message;

export function toIdentityFailure(thrown: unknown): IdentityFailure {
  if (thrown instanceof IdentityFailure) return thrown;
  return new IdentityFailure(thrown instanceof Error ? thrown.message : String(thrown), null, { cause: thrown });
}

const wrongCredentials: readonly (string | null)[] = ['EMAIL_NOT_FOUND', 'INVALID_PASSWORD', 'INVALID_LOGIN_CREDENTIALS'];

/** Rejects for a refused sign-in to a known account, where only the password was asked for: nothing else can be wrong. */
export function passwordRefused(thrown: unknown): never {
  const failure = toIdentityFailure(thrown);
  if (!wrongCredentials.includes(failure.code)) throw failure;
  throw new IdentityFailure('WRONG_PASSWORD', 'WRONG_PASSWORD', { cause: failure });
}
