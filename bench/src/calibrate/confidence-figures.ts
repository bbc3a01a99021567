import type { ConfidenceCounts, ConfidenceEvidence, WordEvidence } from '@chiffchaff/contract';
import { reachesRange } from './count-evidence.ts';

const WORDS = { veryLikely: 'very likely', likely: 'likely', perhaps: 'perhaps', notSure: 'not sure' } as const;

/** With less bird-free audio than this, the rate of false alarms means nothing and is not shown. */
const LEAST_HOURS = 0.25;

/** The confidence figures as a table for docs/accuracy.md and the model card. */
export function confidenceFigures({ tested, crossValidated, species, minNamed }: ConfidenceEvidence): string {
  const sets: readonly (readonly [string, ConfidenceCounts])[] = [
    [`in use, ${tested.birds} recordings it was not fitted on`, tested],
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
    `Recordings of species without a class (${sets.map(([, counts]) => counts.withoutClass).join(' and ')}) count as wrong. ${Object.keys(species).length} species were named in ${minNamed} recordings or more.`,
  ].join('\n');
}

/** The places of `places` that a prediction distinguishes, by the words for them. */
const KNOWN_PLACES = {
  town: 'a place',
  zoneAssumed: 'an assumed place',
  wrongZoneAssumed: 'a wrong assumed place',
} as const;

/** How often each word was right, by what is known of the place, with the interval and whether it reaches the word's range; as a table. */
export function wordFigures({ tested, places }: ConfidenceEvidence): string {
  const columns: readonly (readonly [string, readonly WordEvidence[]])[] = [
    ['no place', tested.words],
    ...(places?.rows ?? []).flatMap(({ place, words }) =>
      place in KNOWN_PLACES ? [[KNOWN_PLACES[place as keyof typeof KNOWN_PLACES], words] as const] : [],
    ),
  ];
  return [
    `| right when it says | ${columns.map(([name]) => name).join(' | ')} |`,
    `|---|${columns.map(() => '---|').join('')}`,
    ...tested.words.map(({ word, fromConfidence, toConfidence = 1 }, i) => {
      const range = `${(fromConfidence * 100).toFixed(0)} to ${(toConfidence * 100).toFixed(0)} %`;
      return `| *${WORDS[word]}*, ${range} | ${columns.map(([, words]) => shareCell(words[i])).join(' | ')} |`;
    }),
  ].join('\n');
}

function shareCell(counted: WordEvidence | undefined): string {
  if (!counted?.share) return '–';
  const { right, of, share } = counted;
  const missed = reachesRange(counted) ? '' : ', outside';
  return `${right} of ${of}: ${percent(right / of)} (${(share.low * 100).toFixed(1)}–${(share.high * 100).toFixed(1)})${missed}`;
}

const PLACES = {
  none: 'no place',
  town: 'the town',
  zoneStated: 'the zone alone, as if stated',
  zoneAssumed: 'the zone, as assumed',
  wrongZoneStated: 'a wrong zone, as if stated',
  wrongZoneAssumed: 'a wrong zone, as assumed',
} as const;

/** How much knowing the place improves the answers, as a table. */
export function placeFigures({ places }: ConfidenceEvidence): string {
  if (places === null) return 'Not counted.';
  return [
    '| simulated | first bird right | ≥ 0.9: share → right | ≥ 0.5 and does not live there, its region unsaid / said |',
    '|---|---|---|---|',
    ...places.rows.map(({ place, answers, firstRight, words: [surest], elsewhereUnsaid, elsewhereSaid }) => {
      const { right = 0, of = 0 } = surest ?? {};
      const sure = of === 0 ? '–' : `${percent(of / answers)} → ${percent(right / of)}`;
      return `| ${PLACES[place]} | ${percent(firstRight / answers)} | ${sure} | ${elsewhereUnsaid} / ${elsewhereSaid} |`;
    }),
    '',
    `Of ${places.rows[0]?.answers ?? 0} answers: the recordings of split ${places.split ?? 'all'}, each at ${places.seeds.length} places drawn by chance.`,
  ].join('\n');
}

/** @param name of the figures in the comments that mark their place: `<!-- NAME: …` and `<!-- end of NAME -->` */
export function putFigures(page: string, name: string, figures: string): string {
  const begin = page.indexOf('\n', page.indexOf(`<!-- ${name}:`)) + 1;
  const end = page.indexOf(`<!-- end of ${name} -->`);
  if (!page.includes(`<!-- ${name}:`) || end < begin) throw new RangeError(`the page has no place for the ${name}`);
  return `${page.slice(0, begin)}${figures}\n${page.slice(end)}`;
}

const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
const both = (confidence: number, score: number) => `${percent(confidence)} / ${percent(score)}`;
