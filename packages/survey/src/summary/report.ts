import type { Summary } from './create-summary.ts';
import { escapeHtml } from './heat-map.ts';
import { effortMap, hourMap, MOST_SPECIES, shownSite, shownSpecies, siteMaps } from './report-maps.ts';
import { reportStyle } from './report-style.ts';

export interface ReportOptions {
  readonly title: string;
  /** ISO date */
  readonly madeOn: string;
  /** Limits that rows had to reach to be counted here, in addition to those that the tables state. */
  readonly limits: { readonly minConfidence: number; readonly minScore: number };
  /** detections not counted: labelled as another bird or none, or below the threshold of their species */
  readonly leftOut: { readonly rejected: number; readonly belowThreshold: number };
}

/**
 * One HTML page with the whole summary. It needs no network, no script and no other file; its policy forbids them, whatever the names of
 * species, sites and files contain.
 */
export function summaryReport(summary: Summary, options: ReportOptions): string {
  const title = escapeHtml(options.title);
  const [first, last] = [summary.dates[0], summary.dates.at(-1)];
  const period = first === undefined ? 'No recording has a date' : first === last ? first : `${first} to ${last}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${reportStyle}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p class="soft">${period} · made on ${escapeHtml(options.madeOn)} with Chiffchaff · Powered by BirdNET</p>
${figures(summary)}
${notes(summary)}
${summary.dates.length === 0 ? '' : maps(summary)}
${speciesTable(summary)}
${method(summary, options)}
${ATTRIBUTION}
</main>
</body>
</html>
`;
}

const whole = (value: number): string => new Intl.NumberFormat('en-GB').format(value);
const hours = (seconds: number): string =>
  `${new Intl.NumberFormat('en-GB', { maximumSignificantDigits: seconds < 360_000 ? 3 : 21, maximumFractionDigits: 0 }).format(seconds / 3600)} h`;

function figures({ species, sites, dates, totals, knowsEffort }: Summary): string {
  const pairs: readonly (readonly [string, string])[] = [
    ['Species', whole(species.length)],
    ['Detections', whole(totals.detections)],
    ['Sites', whole(sites.filter((site) => site !== '').length)],
    ['Days', whole(dates.length)],
    ...(knowsEffort
      ? ([
          ['Recordings', whole(totals.recordings)],
          ['Listened', hours(totals.seconds)],
        ] as const)
      : []),
  ];
  return `<dl class="figures">${pairs.map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`).join('')}</dl>`;
}

/** What readers need to know before they read the numbers. */
function notes({ totals, knowsEffort, farOff }: Summary): string {
  const { failed, undatedRecordings, undatedDetections, detectionsWithoutEffort } = totals;
  const sentences = [
    ...farOff.map(escapeHtml),
    ...(knowsEffort
      ? []
      : ['No list of recordings (NAME.files.csv) was given: what is blank may have been silent or not listened to.']),
    ...(failed > 0 ? [`Recordings that could not be analysed: ${whole(failed)}. They count as not listened to.`] : []),
    ...(undatedRecordings + undatedDetections > 0
      ? [
          `The day is not known for ${whole(undatedRecordings)} recordings and ${whole(undatedDetections)} detections. They are not in the tables by hour and day.`,
        ]
      : []),
    ...(knowsEffort && detectionsWithoutEffort > 0
      ? [`No list of recordings has the day of ${whole(detectionsWithoutEffort)} detections; their hours are not known.`]
      : []),
  ];
  return sentences.length === 0 ? '' : `<div class="notes">${sentences.map((sentence) => `<p>${sentence}</p>`).join('')}</div>`;
}

function maps(summary: Summary): string {
  const left = summary.species.length - MOST_SPECIES;
  const more = left > 0 ? `<p>The ${MOST_SPECIES} species with most detections are shown; the tables (CSV) have all.</p>` : '';
  const unit = summary.knowsEffort ? 'detections per hour listened' : 'detections';
  return `<h2>By hour of the day</h2>
<p>The numbers are detections. The colour is ${unit}, for each species against its own maximum. Hours are those of the clocks at each site.</p>
<p class="legend"><span><span class="box"></span> none</span><span><span class="box s1"></span><span class="box s2"></span><span class="box s3"></span><span class="box s4"></span><span class="box s5"></span> few to most</span><span><span class="box none"></span> not listened</span></p>
${more}
${hourMap(summary)}
<h2>By day and site</h2>
${siteMaps(summary)}
${summary.knowsEffort ? `<h2>Effort</h2>\n${effortMap(summary)}` : ''}`;
}

function speciesTable({ species }: Summary): string {
  const rows = species.map((each) => {
    const { name, note } = { note: '', ...shownSpecies(each) };
    const dates = [...each.bySite.values()].flatMap((days) => [...days.keys()]).sort();
    const cells = [
      whole(each.detections),
      whole(new Set(dates).size),
      escapeHtml(
        [...each.bySite.keys()]
          .filter((site) => site !== '')
          .map(shownSite)
          .sort()
          .join(', '),
      ) || '–',
      ...[dates[0] ?? '–', dates.at(-1) ?? '–'],
      each.bestConfidence === 0 ? '–' : `${Math.floor(each.bestConfidence * 100)} %`,
    ];
    return `<tr><th scope="row">${escapeHtml(name)} <i>${escapeHtml(note)}</i></th>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
  });
  const head = ['Species', 'Detections', 'Days', 'Sites', 'First', 'Last', 'Best confidence'];
  return `<h2 id="species">Species</h2>
<div class="scroll" role="region" aria-labelledby="species" tabindex="0"><table class="plain">
<thead><tr>${head.map((name) => `<th scope="col">${name}</th>`).join('')}</tr></thead>
<tbody>
${rows.join('\n')}
</tbody></table></div>`;
}

function method({ settings }: Summary, { limits, leftOut }: ReportOptions): string {
  const said = (values: readonly string[]) => escapeHtml(values.join(', ')) || 'not known';
  const pairs: readonly (readonly [string, string])[] = [
    ['Model', said(settings.Model)],
    ['Minimum score', said(settings['Min score'])],
    ['Minimum confidence', said(settings['Min confidence'])],
    ['Overlap of clips', settings['Overlap (s)'].length === 0 ? 'not known' : `${said(settings['Overlap (s)'])} s`],
    ...(limits.minConfidence > 0 ? ([['Counted from a confidence of', String(limits.minConfidence)]] as const) : []),
    ...(limits.minScore > 0 ? ([['Counted from a score of', String(limits.minScore)]] as const) : []),
    ...(leftOut.belowThreshold > 0 ? ([['Below the threshold of their species', whole(leftOut.belowThreshold)]] as const) : []),
    ...(leftOut.rejected > 0 ? ([['Another bird or none, a person said', whole(leftOut.rejected)]] as const) : []),
  ];
  return `<h2>Method</h2>
<p>A program listened to the recordings in short clips and named the birds it heard. Neighbouring clips with the same species are one detection.
Detections are neither individual birds nor, unless they were checked, certain. Detections hidden by location are not counted.</p>
<p>Days and hours are those of the clocks at each site, with daylight saving. A detection counts where it begins; a recording counts in each hour and
day that it lasts. A zero means that it was listened and nothing was detected; a hatched field (in the tables, a blank), that it was not listened. Recordings that could not be analysed
count as not listened to.</p>
<dl class="pairs">${pairs.map(([name, value]) => `<dt class="soft">${name}</dt><dd>${value}</dd>`).join('')}</dl>`;
}

const ATTRIBUTION = `<h2>Attribution and licence</h2>
<p>Powered by BirdNET. The model is by the K. Lisa Yang Center for Conservation Bioacoustics, Cornell Lab of Ornithology, and Chemnitz University of
Technology, under CC BY-NC-SA 4.0 (https://creativecommons.org/licenses/by-nc-sa/4.0/): non-commercial use, with attribution, shared alike.</p>
<p>Please cite: Kahl S., Wood C. M., Eibl M., Klinck H. (2021). BirdNET: A deep learning solution for avian diversity monitoring.
<i>Ecological Informatics</i> 61:101236.</p>`;
