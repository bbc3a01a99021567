/** An operator's command could not do what was asked. The message says what was found, and what works. */
export class AdminError extends Error {
  override readonly name = 'AdminError';
}
