import type { CancelSignal } from '../cancel-signal.ts';

/** Memory for one clip and its scores, lent by a job and used again. */
export interface ClipSlot {
  /** samples of the clip, to be filled before `run`; as many as the manifest's `clipSamples` */
  readonly samples: Float32Array;
  /** one output a label, in label order; filled when `run` has ended */
  readonly outputs: Float32Array;
}

/** One recording's turn at the model. */
export interface ClipJob {
  /** Slots that may be taken and not yet released; for more, an earlier clip has to end. */
  readonly maxClipsInFlight: number;
  take(): ClipSlot;
  /**
   * Runs the model on the slot's samples.
   * @throws RecognizerError `INFERENCE_FAILED`, `RUNNER_CLOSED`; the signal's reason when the job was cancelled
   */
  run(slot: ClipSlot): Promise<void>;
  /** The outputs have been read; the slot may serve again. */
  release(slot: ClipSlot): void;
  /** Drops what has not begun. Must be called when the job ends, however it ends. */
  close(): void;
}

/** The audio model, wherever it runs. Batching, threads and fairness between owners are the runner's own affair. */
export interface ClipRunner {
  /** @param owner whose jobs take turns with those of others. Default: an owner of its own */
  openJob(signal?: CancelSignal, owner?: string): ClipJob;
}

/** A place on earth and, if known, the week there. */
export interface PlaceAndWeek {
  /** degrees, −90…90 */
  readonly latitude: number;
  /** degrees, −180…180 */
  readonly longitude: number;
  /** 1…48, four a month; null means the whole year */
  readonly week: number | null;
}

/** The model of where species occur. */
export interface OccurrenceRunner {
  /** How likely each label is at the place and week, 0…1, in label order. */
  occurrence(place: PlaceAndWeek): Promise<Float32Array>;
  /** The same of several places, one row behind the other: of 24, a place takes a quarter of the time that it takes alone. */
  occurrences(places: readonly PlaceAndWeek[]): Promise<Float32Array>;
}
