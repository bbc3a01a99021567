import type { Correction } from '@chiffchaff/contract';
import type { TFunction } from 'i18next';
import { formatList } from '../../platform/format/format.ts';

const kinds = ['confirmed', 'corrected', 'rejected'] as const;

/** The owner's corrections of an answer, one sentence for each kind; empty when there are none. */
export function reviewInWords(corrections: readonly Correction[] | undefined, t: TFunction, language: string): string {
  const sentences = kinds.flatMap((kind) => {
    const birds = (corrections ?? []).filter((correction) => correction.kind === kind);
    if (birds.length === 0) return [];
    const names = birds.map(({ commonName, correctedTo, correctedToCommonName }) =>
      kind === 'corrected' ? (correctedToCommonName ?? correctedTo ?? commonName) : commonName,
    );
    return [t(`reviewed.${kind}`, { names: formatList([...new Set(names)], language) })];
  });
  return sentences.join(' ');
}
