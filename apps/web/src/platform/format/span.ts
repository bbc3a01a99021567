/** A part of a recording, measured from its start. */
export interface Span {
  readonly startSeconds: number;
  readonly endSeconds: number;
}
