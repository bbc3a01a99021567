import type { WrittenPlace } from '../metadata/written-values.ts';
import type { SurveyRecording, SurveyRecords } from './survey-records.ts';
import { type Span, spanOfRecording } from './times.ts';

/** A recorder at one place, from its first recording to the end of its last. */
export interface Deployment {
  readonly id: string;
  readonly site: string;
  readonly place: WrittenPlace;
  /** serial number or similar; empty when the recordings have none or several */
  readonly recorder: string;
  readonly span: Span;
  readonly files: readonly string[];
}

/** One for each site and place. A site with one place is named by the site; a place without a site, by its coordinates. */
export function deploymentsOf({ recordings, observations }: SurveyRecords): readonly Deployment[] {
  const heardUntil = lastHeard(observations);
  const groups = new Map<
    string,
    { recording: SurveyRecording; place: WrittenPlace; files: string[]; spans: Span[]; recorders: Set<string> }
  >();
  for (const recording of recordings) {
    const { place, site, file, recorder } = recording;
    // If the length is unknown, the recording ends with the last detection.
    const span = spanOfRecording({ ...recording, seconds: recording.seconds ?? heardUntil.get(file) ?? 0 });
    if (place === null || span === null) continue;
    const key = JSON.stringify([site, place.latitude, place.longitude]);
    const group = groups.get(key) ?? { recording, place, files: [], spans: [], recorders: new Set() };
    groups.set(key, group);
    group.files.push(file);
    group.spans.push(span);
    if (recorder !== '') group.recorders.add(recorder);
  }
  const placesOf = Map.groupBy(groups.values(), ({ recording }) => recording.site);
  return [...groups.values()].map(({ recording: { site }, place, files, spans, recorders }) => {
    const coordinates = `${place.latitude},${place.longitude}`;
    const isAlone = placesOf.get(site)?.length === 1;
    const [recorder = ''] = recorders.size === 1 ? recorders : [];
    return {
      id: site === '' ? coordinates : isAlone ? site : `${site} ${coordinates}`,
      site,
      place,
      recorder,
      span: over(spans),
      files,
    };
  });
}

function lastHeard(observations: SurveyRecords['observations']): ReadonlyMap<string, number> {
  const until = new Map<string, number>();
  for (const { recording, endSeconds } of observations)
    until.set(recording.file, Math.max(until.get(recording.file) ?? 0, endSeconds));
  return until;
}

/** From the first start to the last end, by the clock of the first. */
function over(spans: readonly Span[]): Span {
  return spans.reduce((all, span) => ({
    startMs: Math.min(all.startMs, span.startMs),
    endMs: Math.max(all.endMs, span.endMs),
    offsetMinutes: span.startMs < all.startMs ? span.offsetMinutes : all.offsetMinutes,
  }));
}
