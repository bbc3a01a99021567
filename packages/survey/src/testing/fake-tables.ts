import { gatherRecords, type SurveyRecording, type SurveyRecords } from '../exports/survey-records.ts';
import { readLabels } from '../labels.ts';
import type { LocatedDetection, LocatedFile } from '../read/listed-detection.ts';
import { readTable } from '../read/read-table.ts';
import { openTable } from '../read/tables-of-ours.ts';

/** All rows of one of our tables, and the notes about it. */
export function readOurs(content: string | Uint8Array, shownAs = 'birds.csv') {
  const [detections, files, notes]: [LocatedDetection[], LocatedFile[], string[]] = [[], [], []];
  const open = openTable(shownAs, { detection: (each) => detections.push(each), file: (each) => files.push(each) });
  readTable(content, open, { shownAs, note: (sentence) => notes.push(sentence) });
  return { detections, files, notes };
}

const columns =
  'Start (s),End (s),Scientific name,Common name,Score,Confidence,Hidden,File,Latitude,Longitude,Date,Model,Site,Time,UTC,Recorder';

/**
 * Tables as `identify` writes them: two sites, one with a name that CSV must quote; a recording over midnight, one over the end of daylight
 * saving, one without birds and one that could not be read.
 */
export const detectionsCsv = `${columns}
1.5,4.5,Erithacus rubecula,European Robin,0.8123,0.9311,false,./cards/A/a.wav,50.8357,12.9292,2026-05-01,birdnet-v2.4,"Pond, north",05:12:01,2026-05-01T03:12:01Z,SM4
6,9,Turdus merula,Eurasian Blackbird,0.5,0.61,false,./cards/A/a.wav,50.8357,12.9292,2026-05-01,birdnet-v2.4,"Pond, north",05:12:06,2026-05-01T03:12:06Z,SM4
9,12,Turdus merula,Eurasian Blackbird,0.4,0.51,false,./cards/A/a.wav,50.8357,12.9292,2026-05-01,birdnet-v2.4,"Pond, north",05:12:09,2026-05-01T03:12:09Z,SM4
30,33,Strix aluco,Tawny Owl,0.9,0.97,false,../B/night.flac,-33.8,151.2,2026-05-02,birdnet-v2.4,Meadow,00:00:10,2026-05-01T14:00:10Z,AM1
3,6,Strix aluco,Tawny Owl,0.7,0.8,false,./cards/A/autumn.wav,50.8357,12.9292,2026-10-25,birdnet-v2.4,"Pond, north",02:00:01,2026-10-25T01:00:01Z,SM4
12,15,Corvus corax,Common Raven,0.3,0,true,./cards/A/autumn.wav,50.8357,12.9292,2026-10-25,birdnet-v2.4,"Pond, north",02:00:10,2026-10-25T01:00:10Z,SM4
`;

export const effortCsv = `File,State,Seconds,Detections,Site,Latitude,Longitude,Date,Time,UTC,Problem,Message
./cards/A/a.wav,analysed,60,3,"Pond, north",50.8357,12.9292,2026-05-01,05:12:00,2026-05-01T03:12:00Z,,
../B/night.flac,analysed,3600,1,Meadow,-33.8,151.2,2026-05-01,23:59:40,2026-05-01T13:59:40Z,,
./cards/A/autumn.wav,analysed,30,2,"Pond, north",50.8357,12.9292,2026-10-25,02:59:58,2026-10-25T00:59:58Z,,
./cards/A/silence.wav,analysed,60,0,"Pond, north",50.8357,12.9292,2026-05-01,06:12:00,2026-05-01T04:12:00Z,,
./cards/A/broken.wav,failed,,,,,,,,,not_audio,It is no audio.
`;

const labelColumns =
  'Label id,Labelled (UTC),By,File,Start,End,Scientific name,Confidence,Score,Label,Other species,Call type,Shown because,Undoes';

export type FakeLabel =
  | readonly [by: string, file: string, start: number, name: string, label: string, other?: string]
  | { undoes: number };

/** The labels of a review, one per line; `undoes` replaces everything else. */
export const labelsCsv = (...labels: readonly FakeLabel[]): string =>
  `${labelColumns}\n${labels
    .map((label, index) => {
      const at = `l${index},${new Date(Date.UTC(2026, 5, 1, 10, 0, index)).toISOString().replace('.000', '')}`;
      if ('undoes' in label) return `${at},Ada,,,,,,,,,,,l${label.undoes}\n`;
      const [by, file, start, name, verdict, other = ''] = label;
      return `${at},${by},${file},${start},${start + 3},${name},,,${verdict},${other},,,\n`;
    })
    .join('')}`;

export const fakeRecords = (labels = labelsCsv()): SurveyRecords =>
  gatherRecords(
    [{ detections: readOurs(detectionsCsv).detections, effort: readOurs(effortCsv).files }],
    readLabels(labels, 'labels.csv'),
  );

/** The records with other names of their recordings. */
export function renamed({ recordings, observations, ...rest }: SurveyRecords, nameOf: (file: string) => string): SurveyRecords {
  const rename = (recording: SurveyRecording) => ({ ...recording, file: nameOf(recording.file) });
  return {
    ...rest,
    recordings: recordings.map(rename),
    observations: observations.map((each) => ({ ...each, recording: rename(each.recording) })),
  };
}
