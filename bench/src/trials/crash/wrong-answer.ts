/** What the server said that it never should; a crash is no excuse. */
export class WrongAnswer extends Error {
  override readonly name = 'WrongAnswer';
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}
