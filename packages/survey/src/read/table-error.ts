/** Why a table or list cannot be used; the message is for the user who gave it and names the file. */
export class TableError extends Error {
  override readonly name = 'TableError';
}

/** Receives a sentence about what was read in another way than it was written. */
export type Note = (sentence: string) => void;

/** How a table is read. */
export interface ReadOptions {
  /** its name in messages */
  readonly shownAs: string;
  readonly note: Note;
  /** Whether the last row may be incomplete, as a killed program leaves it; it is then left out with a note. */
  readonly mayBeTorn?: boolean;
  /** Whether blanks around cells and quotation marks within them mean nothing: people write such lists. */
  readonly trims?: boolean;
}
