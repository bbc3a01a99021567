import { type Cells, readTable } from '../read/read-table.ts';

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
  const rows = <Row>(name: string, wanted: readonly string[], rowOf: (cells: Cells) => Row): Row[] => {
    const found: Row[] = [];
    const such = 'A table that export --format camtrap-dp writes';
    const options = { shownAs: name, note: () => {} };
    readTable(
      files.get(name) ?? '',
      (columns) => {
        columns.need(wanted, such);
        return (cells) => found.push(rowOf(cells));
      },
      options,
    );
    return found;
  };
  const deployments = new Map(
    rows('deployments.csv', ['deploymentID', 'latitude', 'longitude'], (cells) => [
      cells.text('deploymentID'),
      {
        site: cells.text('locationID'),
        latitude: cells.numberOrNull('latitude', -90, 90),
        longitude: cells.numberOrNull('longitude', -180, 180),
      },
    ]),
  );
  return rows('observations.csv', ['mediaID', 'eventStart', 'observationTags', 'scientificName'], (cells) => {
    const tags = new Map(
      cells
        .text('observationTags')
        .split(' | ')
        .map((tag) => [tag.split(':')[0], tag.split(':')[1]]),
    );
    const numberOf = (tag: string): number | null => (tags.has(tag) ? Number(tags.get(tag)) : null);
    const deployment = deployments.get(cells.text('deploymentID'));
    return {
      file: cells.text('mediaID'),
      scientificName: cells.text('scientificName'),
      startSeconds: numberOf('startSeconds') ?? Number.NaN,
      endSeconds: numberOf('endSeconds') ?? Number.NaN,
      model: tags.get('model') ?? null,
      score: numberOf('score'),
      confidence: numberOf('confidence'),
      epochMs: Date.parse(cells.text('eventStart')),
      site: deployment?.site ?? '',
      latitude: deployment?.latitude ?? null,
      longitude: deployment?.longitude ?? null,
      confirmedBy: cells.text('classificationMethod') === 'human' ? cells.text('classifiedBy').split(' | ') : null,
    };
  });
}
