/** Why nothing can be moved, or what is not as it was; the message says what to do. */
export class MoveError extends Error {
  override readonly name = 'MoveError';
}
