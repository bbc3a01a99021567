/** The data cannot be moved, or a comparison failed; the message says what to do. */
export class MoveError extends Error {
  override readonly name = 'MoveError';
}
