import { genusOf, type SpeciesTable } from '../model/labels.ts';
import { clipCountOf, type Evidence } from './evidence/evidence.ts';
import type { LocationAdjustment } from './occurrence.ts';

/**
 * A genus's share of the softmax of ½·(highest + mean logit) in a passage, over all birds that the place does not hide. Birds left
 * out of the evidence count with the sum of their weights, scaled by the share of birds that are not hidden.
 */
export function genusShareOf(
  evidence: Evidence,
  species: SpeciesTable,
  passage: number,
  genus: string,
  adjustmentOf: (label: number) => LocationAdjustment,
): number {
  const { offsets, labels, means, peaks, restWeights } = evidence.passages;
  const halfUnit = 0.5 * evidence.logitUnit;
  if (clipCountOf(evidence) === 0) return 0;
  let all = (restWeights[passage] ?? 0) * keptShare(species, adjustmentOf);
  let own = 0;
  for (let at = offsets[passage] ?? 0; at < (offsets[passage + 1] ?? 0); at++) {
    const label = labels[at] ?? 0;
    const { hidden, penalty } = adjustmentOf(label);
    if (hidden) continue;
    const weight = Math.exp(halfUnit * ((peaks[at] ?? 0) + (means[at] ?? 0)) + penalty);
    all += weight;
    if (genusOf(species.labels[label]?.scientificName ?? '') === genus) own += weight;
  }
  return all > 0 ? own / all : 0;
}

function keptShare(species: SpeciesTable, adjustmentOf: (label: number) => LocationAdjustment): number {
  const birds = species.labels.filter((label) => label.kind === 'bird');
  return birds.filter((label) => !adjustmentOf(label.index).hidden).length / birds.length;
}
