/**
 * A recording that is being decoded. Read `samples` to the end or call `stop()`; until then a child process is running or the file is open.
 */
export interface DecodedRecording {
  readonly container: string;
  /** as ffmpeg names the coding */
  readonly codec: string;
  /** Hz, of the recording itself */
  readonly sampleRate: number;
  readonly channels: number;
  /** sound tracks of the file, of which one is decoded */
  readonly tracks: number;
  /** Length as the file states it; null if it does not, or not reliably. */
  readonly statedSeconds: number | null;
  /** Estimated length, null if unknown: good enough for a progress bar. */
  readonly expectedSeconds: number | null;
  /**
   * Interleaved finite samples (all channels of one moment, then of the next), in pieces of any length, whole moments only. Each piece is
   * overwritten by the next. Decoding is never ahead of the reader by more than a pipe holds. Can be read once.
   *
   * @throws PredictionError when the recording turns out too short, too long, too demanding or damaged; `DECODER_FAILED`
   * @throws the signal's reason when it aborts
   */
  readonly samples: AsyncIterable<Float32Array>;
  /** Set after the last piece. */
  readonly end: DecodedEnd | null;
  /** Ends the child process, if there is one, and waits for it to exit. Can be called repeatedly. */
  stop(): Promise<void>;
}

export interface DecodedEnd {
  readonly durationSeconds: number;
  /** The recording ended before its stated end. */
  readonly truncated: boolean;
  /** Share of the recording that is missing; 0 if the file does not say. */
  readonly missingShare: number;
}
