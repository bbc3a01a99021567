import type { Observation, SurveyRecords } from './survey-records.ts';

/** By the name in BirdNET V2.4, which follows eBird of 2021: the names in eBird of 2025, where they are others; several if it was split. */
type ChangedNames = ReadonlyMap<string, readonly string[]>;
type Names = ReadonlyMap<string, string>;

/** What is to be said of a species that was split since; null of any other. */
export const splitRemark = ({ scientificName, splitInto = [] }: Partial<Observation>): string | null =>
  splitInto.length === 0 ? null : `${scientificName} is now several species in eBird: choose ${splitInto.join(', ')}`;

/**
 * The records with the names of a taxonomy. A species that was split since 2021 keeps its name, marked with what it may be; species that
 * were lumped are one. Common names stay, unless others are given, by the model's scientific names.
 */
export function nameBy(records: SurveyRecords, changed: ChangedNames, year: '2021' | '2025', common?: Names): SurveyRecords {
  const observations = new Map<string, Observation>();
  for (const each of records.observations) {
    const names = changed.get(each.scientificName) ?? [each.scientificName];
    const isToday = year === '2025' && names.length === 1;
    const scientificName = isToday ? (names[0] ?? '') : each.scientificName;
    // What only a person named may be of any list.
    const isOurs = each.machine !== null || changed.has(each.scientificName);
    const nameAccordingTo = isOurs ? `eBird/Clements v${isToday ? '2025' : '2021'}` : null;
    const commonName = common ? (common.get(each.scientificName) ?? '') : each.commonName;
    const splitInto = year === '2025' && names.length > 1 ? names : [];
    const key = JSON.stringify([each.recording.file, each.startSeconds, each.endSeconds, scientificName || each.commonName]);
    const earlier = observations.get(key);
    if (!earlier || (!earlier.confirmed && each.confirmed))
      observations.set(key, { ...each, scientificName, commonName, nameAccordingTo, splitInto });
  }
  return { ...records, observations: [...observations.values()] };
}
