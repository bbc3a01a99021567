import type { Correction, EarlyDetection, Prediction, TableOptions } from '@chiffchaff/contract';
import type { AnalysisRequest, AnalyzeOptions, Analyzer } from '../analyzer.ts';
import type { Reconsideration } from '../answer/question.ts';
import type { CopyTask } from '../copy/copy-sound.ts';
import type { ClipTask } from '../copy/cut-clip.ts';
import type { TileTask } from '../spectrum/draw-tile.ts';
import type { OverviewTask } from '../spectrum/write-overview.ts';
import type { Analysis, AnswerHead } from '../stored/pack-analysis.ts';
import type { TableName } from '../stored/table-formats.ts';

/** What can be absent from an installation, and what an operator can do about it. */
export interface MissingPart {
  readonly code: 'MODEL_NOT_INSTALLED' | 'DECODER_NOT_INSTALLED';
  readonly advice: string;
}

/** What is known of the model that analyses. */
export type LoadedModel = Pick<Analyzer, 'model' | 'languages' | 'words'>;

/** How far an analysis is, as plain data. */
export interface ProgressReport {
  readonly fraction: number | null;
  readonly detections: readonly EarlyDetection[];
}

export interface ServiceRequest extends AnalysisRequest {
  /** of the prediction */
  readonly id: string;
  /** when the prediction was asked for, as ISO 8601 */
  readonly createdAt: string;
  /** Whose recording it is, in words that mean nothing here: owners take turns at the model. */
  readonly owner?: string | undefined;
}

export interface ServiceAnalyzeOptions extends Pick<AnalyzeOptions, 'signal' | 'checkpoint'> {
  /** Told four times a second at most. */
  readonly onProgress?: ((progress: ProgressReport) => void) | undefined;
  /** Given the evidence, encoded and deflated, in parts that follow each other; the last comes before the answer. */
  readonly onEvidence: (part: Uint8Array) => void;
}

/** An answer as it is stored. */
export interface StoredAnswer {
  /** deflated JSON */
  readonly answer: Uint8Array;
  /** What its owner has said about its birds since. */
  readonly corrections: readonly Correction[];
}

/** … with the evidence that it was concluded from, deflated, in order. */
export interface StoredPrediction extends StoredAnswer {
  readonly parts: readonly Uint8Array[];
}

/** Where a table is written. Only its owner may read the file; one that is there already is replaced. */
export interface TableFile {
  readonly path: string;
  /** What must stay free on its disk. */
  readonly minFreeBytes: number;
}

export interface TableRequest extends StoredAnswer {
  readonly name: TableName;
  readonly options: TableOptions;
  /** Given where the answer leaves detections out: the table has all of them then, unless the model was replaced. */
  readonly parts: readonly Uint8Array[] | null;
  readonly file: TableFile;
}

type WithoutProgram<Task> = Omit<Task, 'ffmpegPath'>;

/**
 * Everything that a server needs done to recordings and answers, as calls that can be passed to another process: nothing of it knows
 * HTTP or the database, and nothing large is handed over but as bytes.
 *
 * Any call may throw `AnalysisInterrupted` where another process does the work.
 */
export interface AnalysisService {
  /** Loads the model, or says what is missing; looks again each time it is called. */
  load(): Promise<LoadedModel | { readonly missing: readonly MissingPart[] }>;
  /**
   * @throws PredictionError when the recording cannot be read or is out of limits, or the model or decoder is missing
   * @throws the signal's reason when it aborts; child process and work in flight are stopped then
   */
  analyze(request: ServiceRequest, options: ServiceAnalyzeOptions): Promise<Analysis>;
  /** Birds that are not rare at a place and week, the likeliest first. */
  expectedSpecies: Analyzer['expectedSpecies'];
  /** How likely each label is there, one byte each; null where nothing is known. */
  occurrenceBytes: Analyzer['occurrenceBytes'];
  /** Where species live, one line a label; null where that is not known. */
  regions: Analyzer['regions'];
  /** Common names of all birds in a language, by scientific name; English where the language has none. */
  namesIn: Analyzer['namesIn'];
  /** What the model's tables have on a bird, its range and its season; null as there. */
  speciesProfile: Analyzer['species']['profile'];
  speciesRange: Analyzer['species']['range'];
  speciesSeason: Analyzer['species']['season'];

  /** JSON of a stored answer, with no more detections than an answer may hold. */
  answerJson(stored: StoredAnswer): Promise<Uint8Array>;
  /** The same as a file of JSON. @param options of the detections; null: all that it holds, as it is */
  answerFile(stored: StoredAnswer, options: TableOptions | null): Promise<Uint8Array>;
  answerHead(stored: Pick<StoredAnswer, 'answer'>): Promise<AnswerHead>;
  /**
   * JSON of the prediction under other conditions. Id, date and recording stay.
   *
   * @throws PredictionError `MODEL_REPLACED` when the evidence was heard by another model
   */
  reconsider(stored: StoredPrediction, request: Reconsideration): Promise<Uint8Array>;
  /**
   * Writes a table of detections to a file. A file that is not whole, because this failed, is left to the caller.
   *
   * @throws Error with the code ENOSPC when the disk has no more room for it
   */
  writeTable(request: TableRequest): Promise<void>;

  /** Copies a recording, or excerpts of it, as `copySound` does. */
  copySound(task: WithoutProgram<CopyTask>, signal: AbortSignal): Promise<void>;
  /** Makes a file of a few seconds of a sound, as `cutClip` does. */
  cutClip(task: WithoutProgram<ClipTask>, signal: AbortSignal): Promise<Uint8Array>;
  /** Writes what a sound looks like, as `writeOverview` does. */
  writeOverview(task: WithoutProgram<OverviewTask>, signal: AbortSignal): Promise<void>;
  /** Draws a part of that, as `drawTile` does. */
  drawTile(task: WithoutProgram<TileTask>, signal: AbortSignal): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Bytes of an answer, deflated, from which on it is large: some 2,500 detections, which are read in 10 ms. */
const LARGE_ANSWER_BYTES = 65_536;
/** Bytes of evidence, deflated or not, from which on it is large: what is concluded from less takes 20 ms. */
export const LARGE_EVIDENCE_BYTES = 1_000_000;

/** Whether a stored answer takes so long to open that requests for such take turns. */
export const isLargeAnswer = (answerBytes: number): boolean => answerBytes > LARGE_ANSWER_BYTES;
/** Whether evidence takes so long to conclude from. */
export const isLargeEvidence = (bytes: number): boolean => bytes > LARGE_EVIDENCE_BYTES;

/** The request whose answer a prediction is. */
export function requestOf({ conditions }: Prediction): Reconsideration {
  const { latitude, longitude, placeSource, timeZone, week, date, minScore, language } = conditions;
  return {
    minScore,
    language,
    ...(latitude === null || longitude === null ? {} : { latitude, longitude }),
    ...(placeSource === 'file' ? { placeSource } : {}),
    ...(timeZone == null ? {} : { timeZone }),
    ...(week === null ? {} : { week }),
    ...(date === null || date === undefined ? {} : { date }),
  };
}
