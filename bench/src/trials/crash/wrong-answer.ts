/** A response that the server must never give, not even around a crash. */
export class WrongAnswer extends Error {
  override readonly name = 'WrongAnswer';
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}
