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
  const byEnd = observations.toSorted((a, b) => a.endSeconds - b.endSeconds);
  const lastHeard = new Map(byEnd.map((observation) => [observation.recording.file, observation]));
  const groups = new Map<
    string,
    { recording: SurveyRecording; place: WrittenPlace; files: string[]; spans: Span[]; recorders: Set<string> }
  >();
  for (const recording of recordings) {
    const { place, site, file, recorder } = recording;
    const last = lastHeard.get(file);
    // If the length is unknown, the recording ends with the last detection.
    const began = spanOfRecording({ ...recording, seconds: recording.seconds ?? last?.endSeconds ?? 0 });
    if (place === null || began === null) continue;
    // Clocks may change within a recording; its detections know.
    const span = { ...began, endOffsetMinutes: last?.moment.offsetMinutes ?? began.offsetMinutes };
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

/** From the first start to the last end, each by its own clock. */
function over(spans: readonly Span[]): Span {
  return spans.reduce((all, span) => ({
    ...all,
    ...(span.startMs < all.startMs ? { startMs: span.startMs, offsetMinutes: span.offsetMinutes } : {}),
    ...(span.endMs > all.endMs ? { endMs: span.endMs, endOffsetMinutes: span.endOffsetMinutes ?? span.offsetMinutes } : {}),
  }));
}
