import type { ConfidenceEvidence } from '@chiffchaff/contract';
import { shownSplit } from '../evaluate/recordings-table.ts';
import { confidenceFigures, detectionFigures, placeFigures, wordFigures } from './confidence-figures.ts';

/** The evidence as readable text: the tables of the documents, and what is in none of them. */
export function reportCalibration(evidence: ConfidenceEvidence): string {
  const { model, tested, inUse, comparison, coefficients } = evidence;
  return `${[
    `${model.id} (${model.sha256.slice(0, 12)}), coefficients in use: ${inUse.withoutPlace} without a place, ${inUse.withPlace} with one`,
    '',
    confidenceFigures(evidence),
    ...(['withoutPlace', 'withPlace'] as const).flatMap((set) => [
      '',
      `${set}, ${describeSplit(comparison[set].split)}: ${comparison[set].published.recordings} recordings`,
      `  published  ${JSON.stringify(comparison[set].published)}`,
      `  re-fit     ${JSON.stringify(comparison[set].refit)}`,
      `  log loss falls by ${comparison[set].gain} ± ${comparison[set].gainError}: the re-fit is ${comparison[set].better ? '' : 'not clearly '}better`,
      `  re-fit on all recordings: ${JSON.stringify(coefficients.refit[set])}`,
    ]),
    '',
    `Words, on ${describeSplit(tested.split)}, with 90 % intervals`,
    wordFigures(evidence),
    '',
    'Places',
    placeFigures(evidence),
    '',
    'Detections',
    detectionFigures(evidence),
    ...(evidence.detections === null ? [] : [`Coefficients: ${JSON.stringify(evidence.detections.coefficients)}`]),
  ].join('\n')}\n`;
}

const describeSplit = (split: string | null) => (split === null ? 'all recordings' : `split ${shownSplit(split)}`);
