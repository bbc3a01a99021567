import type { Analysis } from '@chiffchaff/analysis';
import type { Prediction, PredictionSummary } from '@chiffchaff/contract';
import { foldName } from '../../places/fold-name.ts';

/** What a list shows of a prediction besides its row and its sound. */
export type Summary = Pick<PredictionSummary, 'durationSeconds' | 'verdict' | 'species'>;

/** What a row holds for lists, which never open the answer. */
export function listed({ recording, verdict }: Prediction, species: Analysis['species']) {
  const { kind, tied, sentence, named } = verdict;
  const summary: Summary = {
    durationSeconds: recording.durationSeconds,
    verdict: { kind, tied, sentence, named },
    species,
  };
  const names = species.flatMap(({ scientificName, commonName }) => [scientificName, commonName]);
  const searchText = ` ${[recording.fileName ?? '', ...names].map(foldName).join(' ')}`;
  return { summary: JSON.stringify(summary), searchText };
}
