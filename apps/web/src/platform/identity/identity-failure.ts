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
