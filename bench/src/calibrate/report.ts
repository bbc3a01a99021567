import type { ConfidenceCounts, ConfidenceEvidence, ConfidenceFigures } from '@chiffchaff/contract';
import { shownSplit } from '../evaluate/recordings-table.ts';
import { detectionFigures, placeFigures, wordFigures } from './confidence-figures.ts';

/** The evidence as readable text. */
export function reportCalibration(evidence: ConfidenceEvidence): string {
  const { model, tested, crossValidated, species, minNamed, inUse, comparison, coefficients } = evidence;
  return `${[
    `${model.id} (${model.sha256.slice(0, 12)}), coefficients in use: ${inUse.withoutPlace} without a place, ${inUse.withPlace} with one`,
    '',
    ...(inUse.withoutPlace === 'refit'
      ? []
      : [`In use, on ${describeSplit(tested.split)}, which they were not fitted on`, ...describeCounts(tested), '']),
    'Re-fit, cross-validated: no recording was judged by a fit that had met its species or its source',
    ...describeCounts(crossValidated),
    `  species named in ${minNamed} recordings or more: ${Object.keys(species).length}`,
    ...(['withoutPlace', 'withPlace'] as const).flatMap((set) => [
      '',
      `${set}, ${describeSplit(comparison[set].split)}: ${comparison[set].published.recordings} recordings`,
      `  published  ${describeFigures(comparison[set].published)}`,
      `  re-fit     ${describeFigures(comparison[set].refit)}`,
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

function describeCounts(counts: ConfidenceCounts): string[] {
  const { birds, species, withoutClass, words, figures, scoreCoverage, birdFree, birdFreeHours, falseAlarms } = counts;
  return [
    `  ${birds} recordings of ${species} species, ${withoutClass} of them without a class`,
    ...words.map(
      ({ word, fromConfidence, right, of }) =>
        `  ${word.padEnd(12)} from ${fromConfidence}: right ${right} of ${of} (${of === 0 ? '–' : percent(right / of)})`,
    ),
    `  ${describeFigures(figures)}`,
    `  named with 90 % / 95 % right by the bare score: ${percent(scoreCoverage.at90)} / ${percent(scoreCoverage.at95)}`,
    `  no bird in ${birdFree} recordings, ${birdFreeHours.toFixed(2)} hours; named ${falseAlarms
      .map(({ fromConfidence, birds, perHour }) => `at ≥ ${fromConfidence}: ${birds} (${perHour.toFixed(1)} an hour)`)
      .join(', ')}`,
  ];
}

const describeFigures = ({ calibrationError, brier, logLoss, right, recordings, coverage }: ConfidenceFigures) =>
  `first right ${percent(right / recordings)}, calibration error ${calibrationError}, Brier ${brier}, log loss ${logLoss}, named with 90 % / 95 % right: ${percent(coverage.at90)} / ${percent(coverage.at95)}`;

const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
