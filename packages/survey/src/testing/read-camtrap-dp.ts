import { numberIn, readWhole } from '../exports/read-tables.ts';

/** A detection in a package that we wrote. */
interface PackagedDetection {
  readonly file: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly scientificName: string;
  readonly model: string | null;
  readonly score: number | null;
  readonly confidence: number | null;
  /** its start, milliseconds since 1970 */
  readonly epochMs: number;
  readonly site: string;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly confirmedBy: readonly string[] | null;
}

/**
 * Reads the detections of a package that `camtrapDp` wrote. Positions within recordings come from tags, because the standard's times are
 * whole seconds.
 *
 * @throws TableError
 */
export function readCamtrapDp(files: ReadonlyMap<string, string>): readonly PackagedDetection[] {
  const rows = <Row>(name: string, wanted: readonly string[], rowOf: (cells: Readonly<Record<string, string>>) => Row) =>
    readWhole(files.get(name) ?? '', { shownAs: name, wanted, such: 'A table that export --format camtrap-dp writes' }, rowOf);
  const deployments = new Map(
    rows('deployments.csv', ['deploymentID', 'latitude', 'longitude'], (cells) => [cells['deploymentID'], cells] as const),
  );
  return rows('observations.csv', ['mediaID', 'eventStart', 'observationTags', 'scientificName'], (cells) => {
    const tags = new Map((cells['observationTags'] ?? '').split(' | ').map((tag) => [tag.split(':')[0], tag.split(':')[1]]));
    const deployment = deployments.get(cells['deploymentID']);
    return {
      file: cells['mediaID'] ?? '',
      scientificName: cells['scientificName'] ?? '',
      startSeconds: numberIn(tags.get('startSeconds')) ?? Number.NaN,
      endSeconds: numberIn(tags.get('endSeconds')) ?? Number.NaN,
      model: tags.get('model') ?? null,
      score: numberIn(tags.get('score')),
      confidence: numberIn(tags.get('confidence')),
      epochMs: Date.parse(cells['eventStart'] ?? ''),
      site: deployment?.['locationID'] ?? '',
      latitude: numberIn(deployment?.['latitude']),
      longitude: numberIn(deployment?.['longitude']),
      confirmedBy: cells['classificationMethod'] === 'human' ? (cells['classifiedBy'] ?? '').split(' | ') : null,
    };
  });
}
