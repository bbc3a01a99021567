import type { SpeciesSummary, Summary } from './create-summary.ts';
import { escapeHtml, type Field, type HeatMapColumn, heatMap } from './heat-map.ts';
import { detectionsOrNull, listenedAt } from './summary-tables.ts';

/** Most rows of a heat map; the tables have all species. */
export const MOST_SPECIES = 40;
/** Up to this many days have a column each; in a longer season, weeks have. */
const MOST_DAYS = 62;
const MOST_SITES_OPEN = 3;
const DAY_MS = 24 * 3600 * 1000;

interface Period {
  readonly column: HeatMapColumn;
  readonly dates: readonly string[];
}

export const shownSite = (site: string): string => site || 'Without a site';
export const shownSpecies = ({ commonName, scientificName }: SpeciesSummary) =>
  commonName === '' || commonName === scientificName ? { name: scientificName } : { name: commonName, note: scientificName };

const field = (detections: number, seconds: number): Field => ({
  shown: detectionsOrNull(detections, seconds),
  // Without effort there is no rate; see `withoutEffort`.
  strength: seconds > 0 ? detections / seconds : 0,
});

export function hourMap(summary: Summary): string {
  const columns = Array.from({ length: 24 }, (_, hour) => ({ shown: String(hour), told: `${hour}:00 to ${hour + 1}:00` }));
  return heatMap({
    id: 'map-hours',
    caption: 'Detections by hour of the day, at all sites',
    corner: 'Species',
    columns,
    rows: summary.species.slice(0, MOST_SPECIES).map((species) => ({
      ...shownSpecies(species),
      fields: withoutEffort(
        summary,
        species.byHour.map((detections, hour) => field(detections, summary.secondsByHour[hour] ?? 0)),
      ),
    })),
  });
}

/** A heat map for each site: species by day or week. */
export function siteMaps(summary: Summary): string {
  const periods = periodsOf(summary.dates);
  return summary.sites
    .map((site, index) => {
      const heard = summary.species.filter(({ bySite }) => bySite.has(site)).slice(0, MOST_SPECIES);
      const map = heatMap({
        id: `map-site-${index}`,
        caption: `${shownSite(site)}: detections by ${unitOf(summary)}`,
        corner: 'Species',
        columns: periods.map(({ column }) => column),
        rows: heard.map((species) => ({
          ...shownSpecies(species),
          fields: withoutEffort(
            summary,
            periods.map(({ dates }) => {
              const sum = (of: (date: string) => number) => dates.reduce((total, date) => total + of(date), 0);
              return field(
                sum((date) => species.bySite.get(site)?.get(date) ?? 0),
                sum((date) => listenedAt(summary, site, date).seconds),
              );
            }),
          ),
        })),
      });
      const isOpen = index < MOST_SITES_OPEN ? ' open' : '';
      const content = heard.length === 0 ? '<p>Nothing was detected here.</p>' : map;
      return `<details${isOpen}><summary>${htmlSite(site)}</summary>${content}</details>`;
    })
    .join('\n');
}

/** Hours of effort: site by day or week. */
export function effortMap(summary: Summary): string {
  const periods = periodsOf(summary.dates);
  return heatMap({
    id: 'map-effort',
    caption: `Hours listened to by ${unitOf(summary)}`,
    corner: 'Site',
    columns: periods.map(({ column }) => column),
    rows: summary.sites.map((site) => ({
      name: shownSite(site),
      fields: periods.map(({ dates }) => {
        const seconds = dates.reduce((sum, date) => sum + listenedAt(summary, site, date).seconds, 0);
        return { shown: seconds === 0 ? null : shownHours(seconds), strength: seconds };
      }),
    })),
  });
}

/** Short enough for a field: 12, 1.5 or 0.03. */
const shownHours = (seconds: number): number => Number((seconds / 3600).toPrecision(seconds < 36_000 ? 2 : 3));

/** If effort is unknown, the colour shows the number of detections. */
const withoutEffort = ({ knowsEffort }: Summary, fields: readonly Field[]): readonly Field[] =>
  knowsEffort ? fields : fields.map(({ shown }) => ({ shown, strength: shown ?? 0 }));

const unitOf = ({ dates }: Summary): string => (dates.length > MOST_DAYS ? 'week' : 'day');

function periodsOf(dates: readonly string[]): readonly Period[] {
  const month = (date: string) =>
    new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric', timeZone: 'UTC' }).format(new Date(date));
  const day = (date: string) => String(Number(date.slice(8)));
  if (dates.length <= MOST_DAYS)
    return dates.map((date) => ({ column: { shown: day(date), told: date, group: month(date) }, dates: [date] }));
  const weeks = new Map<string, string[]>();
  for (const date of dates) {
    const monday = mondayOf(date);
    weeks.set(monday, [...(weeks.get(monday) ?? []), date]);
  }
  return [...weeks].map(([monday, within]) => ({
    column: { shown: day(monday), told: `week from ${monday}`, group: month(monday) },
    dates: within,
  }));
}

function mondayOf(date: string): string {
  const at = new Date(date);
  return new Date(at.getTime() - ((at.getUTCDay() + 6) % 7) * DAY_MS).toISOString().slice(0, 10);
}

const htmlSite = (site: string): string => escapeHtml(shownSite(site));
