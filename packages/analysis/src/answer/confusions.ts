import type { Confusion } from '@chiffchaff/contract';
import type { SpeciesTable } from '@chiffchaff/recognizer';

/** Confusions in fewer recordings may be chance. */
const FEWEST_RECORDINGS = 3;

/** A bird that another was confused with in tests. */
export interface ConfusedBird {
  readonly label: number;
  readonly recordings: number;
}

/** By label: the birds it was confused with in three test recordings or more, whichever of the two was heard. */
export type Confusions = ReadonlyMap<number, readonly ConfusedBird[]>;

export function confusionsOf({ labels }: SpeciesTable, confusions: readonly Confusion[]): Confusions {
  const labelOf = new Map(labels.map(({ scientificName, index }) => [scientificName, index]));
  const counts = new Map<number, Map<number, number>>();
  const count = (label: number, other: number, recordings: number): void => {
    const ofLabel = counts.get(label) ?? new Map<number, number>();
    counts.set(label, ofLabel.set(other, (ofLabel.get(other) ?? 0) + recordings));
  };
  for (const { named, heard, recordings } of confusions) {
    const [label, other] = [labelOf.get(named), labelOf.get(heard)];
    // The model may not know the species that was heard.
    if (label === undefined || other === undefined) continue;
    count(label, other, recordings);
    count(other, label, recordings);
  }
  return new Map(
    [...counts].map(([label, others]) => [
      label,
      [...others]
        .filter(([, recordings]) => recordings >= FEWEST_RECORDINGS)
        .map(([other, recordings]) => ({ label: other, recordings })),
    ]),
  );
}
