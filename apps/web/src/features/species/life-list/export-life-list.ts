import type { ConfirmedBirds, LifeList } from '@chiffchaff/contract';
import { csvLine } from '@chiffchaff/survey';
import { ebirdRecords, nameBy } from '@chiffchaff/survey/exports';
import { saveFile } from '../../../platform/browser/save-file.ts';

type Bird = LifeList['species'][number];

/** By this mark, Excel knows UTF-8. */
const BYTE_ORDER_MARK = '\ufeff';

export function saveCsv(species: readonly Bird[]): void {
  const header = ['Scientific name', 'Common name', 'First date', 'Latitude', 'Longitude', 'Confirmed', 'Imported', 'Results'];
  const rows = species.map(({ scientificName, commonName, first, predictions }) =>
    csvLine([
      ...[scientificName, commonName, first.on, first.place?.latitude ?? null, first.place?.longitude ?? null],
      ...[first.confirmed, first.predictionId === null, predictions],
    ]),
  );
  saveFile('life-list.csv', BYTE_ORDER_MARK + csvLine(header) + rows.join(''));
}

/** Birds with their days and places, in eBird's record format and under its names: a list for each day at a place. */
export function saveEbird(birds: ConfirmedBirds['birds']): void {
  const observations = birds.map(({ scientificName, commonName, on, place, predictionId }) => {
    const moment = { date: on, time: null, epochMs: null, offsetMinutes: null };
    return {
      recording: { file: predictionId, site: '', place, moment, seconds: null, endedEarly: false, recorder: '' },
      ...{ startSeconds: 0, endSeconds: 0, scientificName, commonName, moment, machine: null },
      confirmed: { by: [], at: null },
    };
  });
  const leftOut = { failed: 0, rejected: 0, hidden: 0, belowThreshold: 0, unmatchedLabels: 0, unheardSpecies: [] };
  const changed = new Map(birds.flatMap(({ scientificName, ebirdNames }) => (ebirdNames ? [[scientificName, ebirdNames]] : [])));
  const records = nameBy({ recordings: [], observations, doubled: 0, leftOut }, changed, '2025');
  const form = { protocol: 'Incidental', observers: null, complete: false, country: '', state: '', names: 'scientific' } as const;
  for (const [index, file] of ebirdRecords(records, form).entries())
    saveFile(index === 0 ? 'ebird.csv' : `ebird-${index + 1}.csv`, file);
}
