import type { BirdReview, EarlyDetection, Prediction, TableOptions } from '@chiffchaff/contract';
import type { AnalysisRequest, AnalyzeOptions, Analyzer } from '../analyzer.ts';
import type { Reconsideration } from '../answer/question.ts';
import type { CopyTask } from '../copy/copy-sound.ts';
import type { ClipTask } from '../copy/cut-clip.ts';
import type { TileTask } from '../spectrum/draw-tile.ts';
import type { SpectrumTask } from '../spectrum/write-spectrum.ts';
import type { Analysis, AnswerHead } from '../stored/pack-analysis.ts';
import type { TableName } from '../stored/table-formats.ts';

/** A part that an installation lacks or that is damaged, and what an operator can do about it. */
export interface MissingPart {
  readonly code: 'MODEL_NOT_INSTALLED' | 'MODEL_DAMAGED' | 'DECODER_NOT_INSTALLED';
  /** The files of the model are right, but of another one than that which was loaded. */
  readonly reason?: 'MODEL_EXCHANGED';
  readonly advice: string;
}

/** Facts about the loaded model. */
export type LoadedModel = Pick<Analyzer, 'model' | 'fingerprint' | 'languages' | 'words'>;

/** The progress of an analysis, as plain data. */
export interface ProgressReport {
  readonly fraction: number | null;
  readonly detections: readonly EarlyDetection[];
}

export interface ServiceRequest extends AnalysisRequest {
  /** of the prediction */
  readonly id: string;
  /** when the prediction was requested, as ISO 8601 */
  readonly createdAt: string;
  /** An opaque name of the recording's owner: owners take turns at the model. */
  readonly owner?: string | undefined;
}

export interface ServiceAnalyzeOptions extends Pick<AnalyzeOptions, 'signal' | 'checkpoint'> {
  /** Called at most twice a second. */
  readonly onProgress?: ((progress: ProgressReport) => void) | undefined;
  /** Receives the evidence, encoded and deflated, in consecutive parts; the last one arrives before the answer. */
  readonly onEvidence: (part: Uint8Array) => void;
}

/** An answer with a picture of its recording. */
export interface AnalyzedRecording extends Analysis {
  /** See `createOverview`; null for a short recording. */
  readonly overview: Uint8Array | null;
}

/** An answer as it is stored. */
export interface StoredAnswer {
  /** deflated JSON */
  readonly answer: Uint8Array;
  /** The owner's statements about its birds. */
  readonly reviews: readonly BirdReview[];
}

/** A stored answer with its evidence, deflated, in order. */
export interface StoredPrediction extends Pick<StoredAnswer, 'answer'> {
  readonly parts: readonly Uint8Array[];
}

/** Where to write a table. The file is created for this user alone (0600) and replaces an existing one. */
export interface TableFile {
  readonly path: string;
  /** Space that must stay free on its disk. */
  readonly minFreeBytes: number;
}

export interface TableRequest extends StoredAnswer {
  readonly name: TableName;
  readonly options: TableOptions;
  /** Set if the answer leaves detections out. The table then has all of them, unless the model was replaced. */
  readonly parts: readonly Uint8Array[] | null;
  readonly file: TableFile;
}

type WithoutProgram<Task> = Omit<Task, 'ffmpegPath'>;

/** What the analyzer knows of places and species: calls that the service passes on to it. */
export const analyzerCalls = [
  ...(['expectedSpecies', 'occurrenceBytes', 'regions', 'zones', 'namesIn'] as const),
  ...(['speciesNames', 'speciesProfile', 'speciesRange', 'speciesSeason', 'speciesAround'] as const),
] as const;
export type AnalyzerCalls = Pick<Analyzer, (typeof analyzerCalls)[number]>;

/**
 * Everything a server needs done to recordings and answers, as calls that another process can carry out: none of it knows HTTP or the
 * database, and large values are passed as bytes.
 *
 * Any call may throw `AnalysisInterrupted` if another process does the work.
 */
export interface AnalysisService extends AnalyzerCalls {
  /**
   * Loads the model, or returns what is missing. Every call tries again until it has succeeded; from then on, every call checks whether the
   * files are still those that were loaded.
   */
  load(): Promise<LoadedModel | { readonly missing: readonly MissingPart[] }>;
  /**
   * @throws PredictionError if the recording cannot be read or exceeds a limit, or the model or decoder is missing
   * @throws the signal's reason when it aborts; this stops child processes and work in flight
   */
  analyze(request: ServiceRequest, options: ServiceAnalyzeOptions): Promise<AnalyzedRecording>;

  /** A stored answer as JSON, with at most as many detections as an answer may hold. */
  answerJson(stored: StoredAnswer): Promise<Uint8Array>;
  /** A stored answer as a JSON file. @param options which detections; null: all, unchanged */
  answerFile(stored: StoredAnswer, options: TableOptions | null): Promise<Uint8Array>;
  answerHead(stored: Pick<StoredAnswer, 'answer'>): Promise<AnswerHead>;
  /**
   * The prediction recomputed for other conditions, without reviews. Id, date and recording stay.
   *
   * @throws PredictionError `MODEL_REPLACED` if the evidence came from another model
   */
  reconsider(stored: StoredPrediction, request: Reconsideration): Promise<Analysis>;
  /**
   * Writes a table of detections to a file. After a failure, the caller removes the incomplete file.
   *
   * @throws Error with code ENOSPC if the disk has no room
   */
  writeTable(request: TableRequest): Promise<void>;

  /** Copies a recording, or excerpts of it, as `copySound` does. */
  copySound(task: WithoutProgram<CopyTask>, signal: AbortSignal): Promise<void>;
  /** Cuts a few seconds out of a recording into a file, as `cutClip` does. */
  cutClip(task: WithoutProgram<ClipTask>, signal: AbortSignal): Promise<Uint8Array>;
  /** Writes the spectrum of a recording, as `writeSpectrum` does. */
  writeSpectrum(task: WithoutProgram<SpectrumTask>, signal: AbortSignal): Promise<void>;
  /** Draws a tile of that spectrum, as `drawTile` does. */
  drawTile(task: WithoutProgram<TileTask>, signal: AbortSignal): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Deflated answers above this size are large: about 2,500 detections, which take 10 ms to read. */
const LARGE_ANSWER_BYTES = 65_536;
/** Evidence above this size, deflated or not, is large: concluding from less takes 20 ms. */
export const LARGE_EVIDENCE_BYTES = 1_000_000;

/** Whether opening a stored answer takes so long that such requests take turns. */
export const isLargeAnswer = (answerBytes: number): boolean => answerBytes > LARGE_ANSWER_BYTES;
/** Whether concluding from evidence takes that long. */
export const isLargeEvidence = (bytes: number): boolean => bytes > LARGE_EVIDENCE_BYTES;

/** The request that a prediction answers. */
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
