import type { CancelSignal } from '../cancel-signal.ts';

/** Reusable memory for one clip and its outputs, lent by a job. */
export interface ClipSlot {
  /** samples of the clip, to be filled before `run`; as many as the manifest's `clipSamples` */
  readonly samples: Float32Array;
  /** one output per label, in label order; filled when `run` resolves */
  readonly outputs: Float32Array;
}

/** A recording's clips at the model. */
export interface ClipJob {
  /** Most slots in use at a time; to take more, release an earlier one. */
  readonly maxClipsInFlight: number;
  take(): ClipSlot;
  /**
   * Runs the model on the slot's samples.
   * @throws RecognizerError `INFERENCE_FAILED`, `RUNNER_CLOSED`; the signal's reason if the job was cancelled
   */
  run(slot: ClipSlot): Promise<void>;
  /** Returns a slot whose outputs have been read, for reuse. */
  release(slot: ClipSlot): void;
  /** Rejects all unfinished clips. Must be called however the job ends. */
  close(): void;
}

/** Runs the audio model. Batching, threads and fairness between owners are up to the runner. */
export interface ClipRunner {
  /** @param owner the jobs of different owners take turns. Default: an owner for this job alone */
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

/** Runs the occurrence model. */
export interface OccurrenceRunner {
  /** How likely each label is at the place and week, 0…1, in label order. */
  occurrence(place: PlaceAndWeek): Promise<Float32Array>;
  /** The same for several places, row by row. In a batch of 24, a place takes a quarter of the time that it takes alone. */
  occurrences(places: readonly PlaceAndWeek[]): Promise<Float32Array>;
}
