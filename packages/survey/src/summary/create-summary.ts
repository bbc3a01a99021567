import { detectionKey, plainPath } from '../labels.ts';
import { type ListedDetection, type ListedFile, type SettingName, settingNames } from '../read/listed-detection.ts';
import { TableError } from '../read/table-error.ts';
import { offsetText, type RecordingTime } from '../recording-time.ts';
import { hoursListened } from './hours-listened.ts';

/** The counts of one species. */
export interface SpeciesSummary {
  readonly scientificName: string;
  readonly commonName: string;
  readonly detections: number;
  /** calibrated, 0–1 */
  readonly bestConfidence: number;
  /** detections by hour of the day, 24 values */
  readonly byHour: readonly number[];
  /** site → ISO date → detections */
  readonly bySite: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

/** Effort: how much was analysed. */
export interface Listened {
  readonly recordings: number;
  readonly seconds: number;
}

/** What was heard and analysed in a season, by the clocks of each site. */
export interface Summary {
  /** by number of detections, most first */
  readonly species: readonly SpeciesSummary[];
  /** by name; the empty name stands for recordings without a site */
  readonly sites: readonly string[];
  /** ISO dates from the first with effort or a detection to the last, without gaps but those of more than half a year */
  readonly dates: readonly string[];
  /** Sentences about few recordings that are far from all others: a clock may have been wrong. */
  readonly farOff: readonly string[];
  /** site → ISO date → effort; a missing day had none */
  readonly effort: ReadonlyMap<string, ReadonlyMap<string, Listened>>;
  /** seconds analysed in each hour of the day at all sites, 24 values */
  readonly secondsByHour: readonly number[];
  /** Whether there was a list of recordings; without one, silence cannot be told from missing recordings. */
  readonly knowsEffort: boolean;
  readonly totals: {
    readonly detections: number;
    readonly recordings: number;
    readonly failed: number;
    readonly seconds: number;
    /** recordings whose day is unknown; they are in no table */
    readonly undatedRecordings: number;
    readonly undatedDetections: number;
    /** detections on days for which no list of recordings states any effort */
    readonly detectionsWithoutEffort: number;
  };
  /** Settings that the tables state, each value once. */
  readonly settings: Readonly<Record<SettingName, readonly string[]>>;
}

/** Days; a longer gap is between seasons or due to a wrong clock, and would fill the tables with blanks. */
const LONGEST_GAP_DAYS = 183;
/** Share of the recordings of the largest season; a season with fewer is far off. */
const FEW = 0.1;
const DAY_MS = 24 * 3600 * 1000;

interface Counting {
  commonName: string;
  detections: number;
  bestConfidence: number;
  readonly byHour: number[];
  readonly bySite: Map<string, Map<string, number>>;
}

/**
 * Counts detections and effort as rows arrive.
 *
 * @param zones time zones of sites, as far as known; only they tell when clocks change within a recording
 */
export function createSummary(zones: ReadonlyMap<string, string> = new Map()) {
  const species = new Map<string, Counting>();
  const effort = new Map<string, Map<string, { recordings: number; seconds: number }>>();
  const settings = Object.fromEntries(settingNames.map((name) => [name, new Set<string>()])) as Record<SettingName, Set<string>>;
  const secondsByHour = Array.from({ length: 24 }, () => 0);
  const totals = { detections: 0, recordings: 0, failed: 0, seconds: 0, undatedRecordings: 0, undatedDetections: 0 };
  const seen = new Set<string>();
  const heard = new Set<string>();
  const sites = new Set<string>();
  /** by ISO date */
  const filesOn = new Map<string, Files>();
  let knowsEffort = false;

  return {
    /** A detection in several tables counts once. */
    addDetection(detection: ListedDetection): void {
      const { scientificName, commonName, confidence, site, date, time } = detection;
      // Recordings without a time may share a name, but hardly a score.
      const key = [detectionKey(detection), site, date, time || detection.score].join('\0');
      if (heard.has(key)) return;
      heard.add(key);
      const counting = species.get(scientificName) ?? start();
      species.set(scientificName, counting);
      counting.commonName ||= commonName;
      counting.detections += 1;
      counting.bestConfidence = Math.max(counting.bestConfidence, confidence);
      totals.detections += 1;
      for (const name of settingNames) if (detection.settings[name] !== '') settings[name].add(detection.settings[name]);
      if (date === '') {
        totals.undatedDetections += 1;
        return;
      }
      sites.add(site);
      const days = counting.bySite.get(site) ?? new Map<string, number>();
      counting.bySite.set(site, days.set(date, (days.get(date) ?? 0) + 1));
      const hour = Number(time.slice(0, 2));
      if (time !== '') counting.byHour[hour] = (counting.byHour[hour] ?? 0) + 1;
    },

    /** @throws TableError when the same recording is listed twice */
    addFile(file: ListedFile): void {
      knowsEffort = true;
      const { site, seconds } = file;
      if (!file.isAnalyzed) {
        totals.failed += 1;
        return;
      }
      const key = [plainPath(file.file), site, file.date, file.time].join('\0');
      if (file.time !== '' && seen.has(key))
        throw new TableError(
          `The recording ${file.file} is listed twice. Give each table once, and each recording in one table.`,
        );
      seen.add(key);
      totals.recordings += 1;
      totals.seconds += seconds;
      const began = beganAt(file, zones.get(site));
      if (began === null) {
        totals.undatedRecordings += 1;
        return;
      }
      sites.add(site);
      const days = effort.get(site) ?? new Map<string, { recordings: number; seconds: number }>();
      effort.set(site, days);
      // Its hours may be on two days, but it counts as a recording on the day that it began.
      const first = days.get(began.date) ?? { recordings: 0, seconds: 0 };
      first.recordings += 1;
      days.set(began.date, first);
      const files = filesOn.get(began.date) ?? { first: file.file, count: 0 };
      filesOn.set(began.date, { ...files, count: files.count + 1 });
      for (const { date, hour, seconds: part } of hoursListened(began, seconds)) {
        const day = days.get(date) ?? { recordings: 0, seconds: 0 };
        day.seconds += part;
        days.set(date, day);
        if (hour !== null) secondsByHour[hour] = (secondsByHour[hour] ?? 0) + part;
      }
    },

    result(): Summary {
      const counted = [...species].map(([scientificName, counting]) => ({ scientificName, ...counting }));
      const heardOn = counted.flatMap(({ bySite }) =>
        [...bySite].flatMap(([site, days]) => [...days].map(([date, count]) => ({ site, date, count }))),
      );
      const days = new Set([...heardOn.map(({ date }) => date), ...[...effort.values()].flatMap((of) => [...of.keys()])]);
      const seasons = seasonsOf([...days].sort(), filesOn);
      const named = settingNames.map((name) => [name, [...settings[name]].sort()] as const);
      const unlisted = heardOn.filter(({ site, date }) => !effort.get(site)?.has(date));
      return {
        species: counted.sort((a, b) => b.detections - a.detections || (a.scientificName < b.scientificName ? -1 : 1)),
        sites: [...sites].sort((a, b) => a.localeCompare(b, 'en', { numeric: true })),
        dates: seasons.flatMap(({ dates }) => dates),
        farOff: farOff(seasons),
        effort,
        secondsByHour,
        knowsEffort,
        totals: { ...totals, detectionsWithoutEffort: unlisted.reduce((sum, { count }) => sum + count, 0) },
        settings: Object.fromEntries(named) as Record<SettingName, string[]>,
      };
    },
  };
}

const start = (): Counting => ({
  commonName: '',
  detections: 0,
  bestConfidence: 0,
  byHour: Array.from({ length: 24 }, () => 0),
  bySite: new Map(),
});

/** Without a time zone, the UTC offset at the start of a recording applies to all of it. */
function beganAt({ date, time, epochMs }: ListedFile, zone: string | undefined): RecordingTime | null {
  if (date === '') return null;
  if (time === '') return { date, time: null, epochMs: null, timeZone: null };
  if (epochMs === null) return { date, time, epochMs, timeZone: null };
  return { date, time, epochMs, timeZone: zone ?? zoneAhead((Date.parse(`${date}T${time}Z`) - epochMs) / 60_000) };
}

/** Null for an offset that no place has. */
const zoneAhead = (minutes: number): string | null =>
  Number.isInteger(minutes) && Math.abs(minutes) <= 14 * 60 ? offsetText(minutes) : null;

interface Files {
  /** empty without a list of recordings */
  readonly first: string;
  count: number;
}
interface Season extends Files {
  /** ISO dates without gaps */
  readonly dates: string[];
}

/** Cuts sorted dates at long gaps, and fills the others. */
function seasonsOf(sorted: readonly string[], filesOn: ReadonlyMap<string, Files>): Season[] {
  const seasons: Season[] = [];
  for (const date of sorted) {
    const { first, count } = filesOn.get(date) ?? { first: '', count: 0 };
    const season = seasons.at(-1);
    const lastMs = Date.parse(season?.dates.at(-1) ?? '');
    const gapDays = (Date.parse(date) - lastMs) / DAY_MS;
    if (season && gapDays <= LONGEST_GAP_DAYS) {
      for (let day = 1; day <= gapDays; day++) season.dates.push(new Date(lastMs + day * DAY_MS).toISOString().slice(0, 10));
      season.count += count;
    } else seasons.push({ dates: [date], count, first });
  }
  return seasons;
}

function farOff(seasons: readonly Season[]): string[] {
  const most = Math.max(...seasons.map(({ count }) => count));
  return seasons
    .filter(({ count }) => count < FEW * most)
    .map(({ dates: [date], count, first }) => {
      const others = count > 1 ? ` and ${count - 1} more` : '';
      return `Far from all other days, on ${date}: ${first || 'detections without a recording'}${others}. The clock of the recorder may have been wrong.`;
    });
}
