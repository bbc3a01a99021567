/** Why an operator's command ends without doing what was asked: what was found, and what works. */
export class AdminError extends Error {
  override readonly name = 'AdminError';
}
