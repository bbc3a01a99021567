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
  /** Drawn dashed: nothing to rely on. */
  readonly isFaint: boolean;
  /** Why the mark's lane waits behind "more birds", in a word or two; null where it does not. */
  readonly aside: string | null;
}

export interface Lane {
  readonly key: string;
  readonly label: string;
  readonly language: string | undefined;
  readonly aside: string | null;
  readonly marks: readonly Mark[];
}

/** One lane for each key, in the order in which the keys first appear. */
export function lanesOf(marks: readonly Mark[]): readonly Lane[] {
  const byKey = Map.groupBy(marks, ({ lane }) => lane);
  return [...byKey].map(([key, own]) => ({
    key,
    label: own[0]?.label ?? '',
    language: own[0]?.language,
    aside: own[0]?.aside ?? null,
    marks: own,
  }));
}

export const isUnder = ({ startSeconds, endSeconds }: Mark, seconds: number): boolean =>
  seconds >= startSeconds && seconds < endSeconds;
