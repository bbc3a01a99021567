import { createDetectionFilter, type DetectionFilter } from '../detection-filter.ts';
import { detectionKey, type Judgement, judge, type Label, plainPath } from '../labels.ts';
import type { WrittenPlace } from '../metadata/written-values.ts';
import type { LocatedDetection, LocatedFile } from '../read/listed-detection.ts';
import { utcText } from '../recording-time.ts';
import type { Thresholds } from '../thresholds/threshold-table.ts';
import { momentOf, type TableMoment } from './table-moment.ts';

/** An analysed recording. */
export interface SurveyRecording {
  /** as in the table */
  readonly file: string;
  /** empty when unknown */
  readonly site: string;
  readonly place: WrittenPlace | null;
  /** when it began */
  readonly moment: TableMoment;
  /** length; null when unknown */
  readonly seconds: number | null;
  /** Whether part of it was missing. */
  readonly endedEarly: boolean;
  readonly recorder: string;
}

/** A bird in a recording: one that the model named and nobody rejected, or that a person named. */
export interface Observation {
  readonly recording: SurveyRecording;
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly scientificName: string;
  readonly commonName: string;
  /** The taxonomy that the name is from, when known, and what that species was split into since, if it was. */
  readonly nameAccordingTo?: string | null;
  readonly splitInto?: readonly string[];
  /** when it was heard, as in the table */
  readonly moment: TableMoment;
  /** The model's result; null for a bird that only a person named. */
  readonly machine: { readonly model: string; readonly score: number | null; readonly confidence: number | null } | null;
  /** Who confirmed it and when; null when nobody did. */
  readonly confirmed: { readonly by: readonly string[]; readonly at: string | null } | null;
}

/** The records to export, and counts of those left out. */
export interface SurveyRecords {
  readonly recordings: readonly SurveyRecording[];
  readonly observations: readonly Observation[];
  /** How many recordings have clips of different overlaps, so that detections count twice. */
  readonly doubled: number;
  readonly leftOut: Readonly<ReturnType<DetectionFilter['leftOut']>> & {
    /** recordings that could not be analysed */
    readonly failed: number;
  };
}

export interface ReadTable {
  readonly detections: readonly LocatedDetection[];
  /** null without an effort table */
  readonly effort: readonly LocatedFile[] | null;
}

/** Why tables cannot be exported together or in a format; the message is for the user. */
export class ExportError extends Error {
  override readonly name = 'ExportError';
}

/** Combines tables and labels. A detection in two tables counts once. @throws ExportError */
export function gatherRecords(
  tables: readonly ReadTable[],
  labels: readonly Label[] = [],
  thresholds: Thresholds = new Map(),
): SurveyRecords {
  const judgements = judge(labels);
  const recordings = new Map<string, SurveyRecording>();
  const observations = new Map<string, Observation>();
  const failed = new Set<string>();
  const overlaps = new Map<string, Set<string>>();
  const filter = createDetectionFilter({ thresholds, labels });
  const nameOf = commonNames(tables);
  for (const { detections, effort } of tables) {
    const recorders = new Map(detections.map(({ file, recorder }) => [file, recorder]));
    for (const { file, isAnalyzed } of effort ?? []) if (!isAnalyzed) failed.add(plainPath(file));
    for (const recording of effort ? effort.filter(({ isAnalyzed }) => isAnalyzed).map(recordingOf) : recordingsOf(detections))
      add(recordings, { ...recording, recorder: recorders.get(recording.file) ?? '' });
    for (const detection of detections) {
      const path = plainPath(detection.file);
      const recording = recordings.get(path);
      const overlap = detection.settings['Overlap (s)'];
      if (overlap !== '') overlaps.set(path, (overlaps.get(path) ?? new Set()).add(overlap));
      if (recording === undefined)
        throw new ExportError(
          `${detection.file} has detections, but its table of effort does not list it as analysed: they are of two runs.`,
        );
      const key = detectionKey(detection);
      const judgement = judgements.get(key);
      if (filter.keeps(detection) && !observations.has(key)) observations.set(key, observed(detection, recording, judgement));
      if (judgement?.verdict !== 'other') continue;
      const scientificName = judgement.otherSpecies;
      const other = { scientificName, commonName: nameOf.get(scientificName) ?? '' };
      const given = { ...observed(detection, recording, undefined), ...other, machine: null, confirmed: confirmedBy(judgement) };
      observations.set(detectionKey(detection, scientificName), given);
    }
  }
  return {
    recordings: [...recordings.values()],
    observations: [...observations.values()],
    doubled: [...overlaps.values()].filter(({ size }) => size > 1).length,
    leftOut: {
      failed: [...failed].filter((file) => !recordings.has(file)).length,
      ...filter.leftOut(),
    },
  };
}

/** Refuses two different recordings of the same name, which no later step could distinguish. */
function add(recordings: Map<string, SurveyRecording>, recording: SurveyRecording): void {
  const { file, seconds, moment } = recording;
  const path = plainPath(file);
  const there = recordings.get(path);
  const differs = there && (there.moment.epochMs !== moment.epochMs || (there.seconds ?? seconds) !== (seconds ?? there.seconds));
  if (differs)
    throw new ExportError(
      `Two recordings are called ${file}. Run identify from a folder above both, so that the tables have their folders too.`,
    );
  if (there === undefined || (there.seconds === null && seconds !== null)) recordings.set(path, recording);
}

function observed(detection: LocatedDetection, recording: SurveyRecording, judgement: Judgement | undefined): Observation {
  const { startSeconds, endSeconds, scientificName, commonName, settings, score, confidence } = detection;
  return {
    recording,
    startSeconds,
    endSeconds,
    scientificName,
    commonName,
    moment: momentOf(detection),
    machine: { model: settings.Model, score, confidence },
    confirmed: judgement?.verdict === 'yes' ? confirmedBy(judgement) : null,
  };
}

const confirmedBy = ({ by, labelled }: Judgement): Observation['confirmed'] => ({
  by,
  at: Number.isNaN(Date.parse(labelled)) ? null : utcText({ epochMs: Date.parse(labelled) }),
});

const commonNames = (tables: readonly ReadTable[]): ReadonlyMap<string, string> =>
  new Map(tables.flatMap(({ detections }) => detections.map(({ commonName, scientificName }) => [scientificName, commonName])));

/** How much was listened to, in words; null when unknown. */
export const effortInWords = ({ seconds, endedEarly }: SurveyRecording): string | null =>
  seconds === null ? null : `${seconds} s of sound, all of it analysed${endedEarly ? '; the recording ended early' : ''}`;

type KnownRecording = Omit<SurveyRecording, 'recorder'>;

const recordingOf = ({ file, site, place, seconds, endedEarly, ...at }: LocatedFile): KnownRecording => ({
  ...{ file, site, place, seconds, endedEarly, moment: momentOf(at) },
});

/** Without an effort table, recordings are known only from their detections, and their length is unknown. */
const recordingsOf = (detections: readonly LocatedDetection[]): readonly KnownRecording[] =>
  [...new Map(detections.map((detection) => [detection.file, detection])).values()].map(
    ({ file, site, place, startSeconds, ...at }) => ({
      ...{ file, site, place, seconds: null, endedEarly: false, moment: began(momentOf(at), startSeconds) },
    }),
  );

function began({ date, epochMs, offsetMinutes }: TableMoment, seconds: number): TableMoment {
  if (epochMs === null || offsetMinutes === null) return { date, time: null, epochMs: null, offsetMinutes: null };
  // Tables have whole seconds: a detection at 1.5 s in a recording of 05:00:00 was written as 05:00:01.
  const start = epochMs - Math.floor(seconds) * 1000;
  const [day = null, time = null] = new Date(start + offsetMinutes * 60_000).toISOString().slice(0, 19).split('T');
  return { date: day, time, epochMs: start, offsetMinutes };
}
