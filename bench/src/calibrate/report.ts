import type { ConfidenceEvidence } from '@chiffchaff/contract';
import { shownSplit } from '../evaluate/recordings-table.ts';
import type { Calibrated } from './calibrate.ts';
import { confidenceFigures, placeFigures, wordFigures } from './confidence-figures.ts';

/** The counts as readable text: the tables of the documents, and the coefficients that are fitted. */
export function reportCalibration({ evidence, fitted }: Calibrated): string {
  const { model, tested } = evidence;
  return `${[
    `${model.id} (${model.sha256.slice(0, 12)})`,
    '',
    confidenceFigures(evidence),
    '',
    `Words, on ${describeSplit(tested)}, with 90 % intervals`,
    wordFigures(evidence),
    '',
    'Places',
    placeFigures(evidence),
    '',
    `Coefficients that fit the other recordings: ${JSON.stringify(fitted)}`,
  ].join('\n')}\n`;
}

const describeSplit = ({ split }: ConfidenceEvidence['tested']) =>
  split === null ? 'all recordings' : `split ${shownSplit(split)}`;
