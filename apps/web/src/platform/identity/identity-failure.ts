/**
 * A failed call to the identity service. `message` is the raw `error.message` of the response, or the HTTP client's own (`Network Error`,
 * `Request aborted`, `timeout of N ms exceeded`); people read `identitySentence`.
 */
export class IdentityFailure extends Error {
  override readonly name = 'IdentityFailure';
  /** The service's error code; null if it sent no response that could be read. */
  readonly code: string | null;

  constructor(message: string, code: string | null, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The code in a raw message: everything before the first ` : `. */
export const codeOfMessage = (message: string): string => message.split(' : ', 1)[0] ?? message;

export function toIdentityFailure(thrown: unknown): IdentityFailure {
  if (thrown instanceof IdentityFailure) return thrown;
  return new IdentityFailure(thrown instanceof Error ? thrown.message : String(thrown), null, { cause: thrown });
}

const wrongCredentials: readonly (string | null)[] = ['EMAIL_NOT_FOUND', 'INVALID_PASSWORD', 'INVALID_LOGIN_CREDENTIALS'];

/**
 * For a refused sign-in to a known account: only the password was asked for, so nothing else can be wrong.
 *
 * @throws IdentityFailure always
 */
export function passwordRefused(thrown: unknown): never {
  const failure = toIdentityFailure(thrown);
  if (!wrongCredentials.includes(failure.code)) throw failure;
  throw new IdentityFailure('WRONG_PASSWORD', 'WRONG_PASSWORD', { cause: failure });
}
