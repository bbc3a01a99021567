/** Something heard from one moment to another. Marks of one `lane` do not overlap. */
export interface Mark {
  readonly id: string;
  /** Marks with the same key share a lane. */
  readonly lane: string;
  readonly label: string;
  /** BCP 47 tag of the label, when it differs from the page's. */
  readonly language: string | undefined;
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** What assistive technology reads after the label: when, how sure. */
  readonly description: string;
}

export interface Lane {
  readonly key: string;
  readonly label: string;
  readonly language: string | undefined;
  readonly marks: readonly Mark[];
}

/** One lane for each key, in the order in which the keys first appear. */
export function lanesOf(marks: readonly Mark[]): readonly Lane[] {
  const byKey = Map.groupBy(marks, ({ lane }) => lane);
  return [...byKey].map(([key, own]) => ({ key, label: own[0]?.label ?? '', language: own[0]?.language, marks: own }));
}

export const isUnder = ({ startSeconds, endSeconds }: Mark, seconds: number): boolean =>
  seconds >= startSeconds && seconds < endSeconds;
