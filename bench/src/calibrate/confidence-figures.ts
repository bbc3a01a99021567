import type { ConfidenceCounts, ConfidenceEvidence } from '@chiffchaff/contract';

const WORDS = { veryLikely: 'very likely', likely: 'likely', perhaps: 'perhaps', notSure: 'not sure' } as const;
/** The comment says more: who writes the figures. */
const BEGIN = '<!-- confidence figures:';
const END = '<!-- end of confidence figures -->';

/** Less sound without birds than this says nothing of how often one is named in it. */
const LEAST_HOURS = 0.25;

/** The figures of the confidence as a table for docs/accuracy.md and the model card. */
export function confidenceFigures({ inUse, tested, crossValidated, comparison, species, minNamed }: ConfidenceEvidence): string {
  const sets: readonly (readonly [string, ConfidenceCounts])[] = [
    ...(inUse.withoutPlace === 'refit' ? [] : [[`in use, ${tested.birds} recordings it was not fitted on`, tested] as const]),
    [`cross-validated, ${crossValidated.birds} recordings`, crossValidated],
  ];
  const row = (name: string, cell: (counts: ConfidenceCounts) => string) =>
    `| ${[name, ...sets.map(([, counts]) => cell(counts))].join(' | ')} |`;
  const words = crossValidated.words.map(({ word, fromConfidence }) =>
    row(`right when it says *${WORDS[word]}* (≥ ${fromConfidence})`, (counts) => {
      const { right = 0, of = 0 } = counts.words.find((each) => each.word === word) ?? {};
      return of === 0 ? '–' : `${right} of ${of} (${percent(right / of)})`;
    }),
  );
  const alarms = crossValidated.falseAlarms.map(({ fromConfidence }) =>
    row(`birds named an hour where there is none, at ≥ ${fromConfidence}`, (counts) => {
      const found = counts.falseAlarms.find((each) => each.fromConfidence === fromConfidence);
      return found === undefined || counts.birdFreeHours < LEAST_HOURS
        ? '–'
        : `${found.perHour.toFixed(1)} (${found.birds} in ${counts.birdFreeHours.toFixed(2)} h)`;
    }),
  );
  const { withoutPlace } = comparison;
  return [
    `| | ${sets.map(([name]) => name).join(' | ')} |`,
    `|---|${sets.map(() => '---|').join('')}`,
    ...words,
    row('expected calibration error', ({ figures }) => figures.calibrationError.toFixed(3)),
    row('share named with 95 % right, by confidence / by bare score', ({ figures, scoreCoverage }) =>
      both(figures.coverage.at95, scoreCoverage.at95),
    ),
    row('… with 90 % right', ({ figures, scoreCoverage }) => both(figures.coverage.at90, scoreCoverage.at90)),
    ...alarms,
    '',
    `Recordings of species without a class (${sets.map(([, counts]) => counts.withoutClass).join(' and ')}) count as wrong. ${Object.keys(species).length} species were named in ${minNamed} recordings or more. The re-fit lowers the log loss on the split that the coefficients in use were not fitted on by ${withoutPlace.gain} ± ${withoutPlace.gainError}, which is ${withoutPlace.better ? '' : 'not '}more than twice the error.`,
  ].join('\n');
}

/** @throws RangeError when the page has no place for them */
export function putFigures(page: string, figures: string): string {
  const begin = page.indexOf('\n', page.indexOf(BEGIN)) + 1;
  const end = page.indexOf(END);
  if (!page.includes(BEGIN) || end < begin) throw new RangeError('the page has no place for the figures of the confidence');
  return `${page.slice(0, begin)}${figures}\n${page.slice(end)}`;
}

const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
const both = (confidence: number, score: number) => `${percent(confidence)} / ${percent(score)}`;
