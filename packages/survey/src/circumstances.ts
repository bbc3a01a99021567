import { weekOf } from '@chiffchaff/recognizer';
import type { RecordingMetadata } from './metadata/index.ts';
import type { WrittenPlace } from './metadata/written-values.ts';
import { findSite, type Site } from './sites/sites.ts';
import { type RecordingTime, recordingTime } from './when/recording-time.ts';

/** Where, when and by what a recording was made, as far as it, the list of sites and the person say. */
export interface Circumstances {
  /** empty where there is no list of sites or none of its rows fits */
  readonly site: string;
  readonly place: WrittenPlace | null;
  /** Where the place comes from; null where there is none. */
  readonly placeFrom: 'sites' | 'stated' | 'file' | null;
  readonly began: RecordingTime | null;
  /** 1–48, of the day that it began; null where that is not known */
  readonly week: number | null;
  /** °C */
  readonly temperature: number | null;
  readonly recorder: string;
}

/** A row of the list of sites wins over what the person said for all recordings, and that over what the recording says of itself. */
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
  const [, month = 0, day = 0] = began?.date.split('-').map(Number) ?? [];
  return {
    site: site?.site ?? '',
    place,
    placeFrom,
    began,
    week: began && weekOf(month, day),
    temperature: metadata.temperature,
    recorder: metadata.recorders[0] ?? '',
  };
}
