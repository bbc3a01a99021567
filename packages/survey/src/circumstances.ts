import { weekOf } from '@chiffchaff/recognizer';
import type { RecordingMetadata } from './metadata/index.ts';
import type { WrittenPlace } from './metadata/written-values.ts';
import { type RecordingTime, recordingTime } from './recording-time.ts';
import { findSite, type Site } from './sites.ts';

/** Where, when and by what a recording was made, as far as the recording, the list of sites and the user say. */
export interface Circumstances {
  /** empty without a list of sites or a matching row */
  readonly site: string;
  /** of that row; null without one */
  readonly siteLine: number | null;
  readonly place: WrittenPlace | null;
  /** Source of the place; null when there is none. */
  readonly placeFrom: 'sites' | 'stated' | 'file' | null;
  readonly began: RecordingTime | null;
  /** 1–48, of the day that the recording began; null when unknown */
  readonly week: number | null;
  /** °C */
  readonly temperature: number | null;
  readonly recorder: string;
  /** What the user should know about these values, as sentences; the same for all recordings of a kind. */
  readonly notes?: readonly string[];
}

/** A row of the list of sites wins over what the user stated for all recordings, and that over the recording's own metadata. */
export function circumstancesOf(
  path: string,
  metadata: RecordingMetadata,
  { sites = [], stated = null }: { readonly sites?: readonly Site[]; readonly stated?: WrittenPlace | null },
): Circumstances {
  const site = findSite(sites, path, metadata.recorders);
  const [place, placeFrom] = site?.place
    ? ([site.place, 'sites'] as const)
    : stated
      ? ([stated, 'stated'] as const)
      : ([metadata.place, metadata.place && ('file' as const)] as const);
  const began = recordingTime(metadata, { timeZone: site?.timeZone ?? undefined, clock: site?.clock ?? undefined });
  const isAssumed = metadata.time !== null && metadata.offsetMinutes === null && site?.timeZone != null && site.clock === null;
  const [, month = 0, day = 0] = began?.date.split('-').map(Number) ?? [];
  return {
    site: site?.site ?? '',
    siteLine: site?.line ?? null,
    place,
    placeFrom,
    began,
    week: began && weekOf(month, day),
    temperature: metadata.temperature,
    recorder: metadata.recorders[0] ?? '',
    notes: [...(metadata.isTimeOfFile ? [TIME_OF_FILE] : []), ...(isAssumed ? [assumedClock(site.timeZone)] : [])],
  };
}

const TIME_OF_FILE = 'Its time is that at which the file was made. Some phones write when the recording ended.';
const assumedClock = (timeZone: string): string =>
  `It does not say which clock its time is by. That of ${timeZone} was assumed; the column clock of the list of sites can name another, such as UTC.`;
