import type { Evaluation, SplitFigures } from './evaluate.ts';
import type { Figures, Ranking, WrongNames } from './figures.ts';
import type { PassageTrials } from './passage-trials.ts';
import { shownSplit } from './recordings-table.ts';

/** The figures of an evaluation as readable text. */
export function reportEvaluation(evaluation: Evaluation): string {
  const { model, splits, falseAlarms, unreadable, audioSeconds, elapsedSeconds } = evaluation;
  const lines = [
    `${model.id} (${model.sha256.slice(0, 12)})`,
    ...splits.filter(({ withoutPlace, unknown }) => withoutPlace.recordings + unknown.recordings > 0).flatMap(describeSplit),
    '',
    `${falseAlarms.recordings} recordings without birds, ${falseAlarms.hours.toFixed(2)} hours`,
    ...falseAlarms.named.map(
      ({ threshold, birds, perHour }) =>
        `  named at ≥ ${threshold}: ${birds} (${perHour === null ? '–' : perHour.toFixed(1)} per hour)`,
    ),
    '',
    `${Math.round(audioSeconds)} s of audio in ${elapsedSeconds.toFixed(1)} s, ${(audioSeconds / elapsedSeconds).toFixed(0)} × real time`,
  ];
  if (unreadable.length > 0)
    lines.push(`Not read: ${unreadable.length}`, ...unreadable.map(({ file, why }) => `  ${file}: ${why}`));
  return `${lines.join('\n')}\n`;
}

/** The figures of the passage trials as readable text. */
export function reportPassages({ inBackground, oneAfterAnother }: PassageTrials): string {
  return `
${inBackground.trials} birds with ≥ ${inBackground.before} alone, in ${inBackground.backgroundSeconds / 60} minutes of background: ${percent(inBackground.kept)} keep ≥ ${inBackground.after}
${oneAfterAnother.trials} pairs of birds with ≥ ${oneAfterAnother.before} alone, one after the other: ${percent(oneAfterAnother.kept)} both keep ≥ ${oneAfterAnother.after}
`;
}

function describeSplit({ split, withoutPlace, unknown, withPlace }: SplitFigures): string[] {
  const lines = [
    '',
    `Split ${shownSplit(split)}: ${withoutPlace.recordings} recordings of ${withoutPlace.species} known species`,
  ];
  lines.push(...describeFigures(withoutPlace));
  if (unknown.recordings > 0) lines.push(`  ${unknown.recordings} of unknown species, named ${describeWrong(unknown)}`);
  if (withPlace) {
    const { latitude, longitude, week, minOccurrence, local, fromElsewhere } = withPlace;
    lines.push(
      '',
      `Split ${shownSplit(split)} at ${latitude}, ${longitude}, ${week === null ? 'whole year' : `week ${week}`}: ${local.recordings} recordings of birds with occurrence ≥ ${minOccurrence}`,
      ...describeFigures(local),
      `  ${fromElsewhere.recordings} of birds from elsewhere, named wrongly ${describeWrong(fromElsewhere)}`,
    );
  }
  return lines;
}

function describeFigures({ byScore, byConfidence, reliability, calibrationError }: Figures): string[] {
  return [
    `  top 1 / 3 / 5 by score       ${describeTops(byScore)}`,
    `  top 1 / 3 / 5 by confidence  ${describeTops(byConfidence)}`,
    `  named → right at confidence  ${reliability
      .map(({ threshold, named, right }) => `≥ ${threshold}: ${percent(named)} → ${percent(right)}`)
      .join('   ')}`,
    `  calibration error            ${calibrationError === null ? '–' : calibrationError.toFixed(3)}`,
    `  named with 90 % / 95 % right by score ${describeCoverage(byScore)}, by confidence ${describeCoverage(byConfidence)}`,
  ];
}

const describeTops = ({ top1, top3, top5 }: Ranking) => [top1, top3, top5].map(percent).join(' / ');
const describeCoverage = ({ coverageAt90, coverageAt95 }: Ranking) => `${percent(coverageAt90)} / ${percent(coverageAt95)}`;
const describeWrong = ({ named }: WrongNames) =>
  named.map(({ threshold, share }) => `≥ ${threshold}: ${percent(share)}`).join('   ');

/** Percent with one decimal, like the reference figures. */
const percent = (share: number | null) => (share === null ? '–' : (share * 100).toFixed(1));
