import { PredictionError } from '../errors.ts';
import { createFfmpegLog, type DescribedAudio, type FfmpegLog } from './ffmpeg-log.ts';
import { type StartFfmpegOptions, startFfmpeg } from './ffmpeg-process.ts';

/** One ffmpeg at work, watched: it ends when the signal aborts, when it is silent for too long, or when it is stopped. */
export interface FfmpegRun {
  readonly log: FfmpegLog;
  /** It was ended for taking longer than it may. */
  readonly tookTooLong: boolean;
  /** Waits until ffmpeg has described the audio it opened; null when it gave up instead. */
  readDescription(): Promise<DescribedAudio | null>;
  /** The next bytes of its output, null at the end. */
  read(): Promise<Uint8Array | null>;
  /** Waits until the process is gone. @returns whether it ended by itself and content */
  readExit(): Promise<boolean>;
  /** Ends the process if it still runs and waits until it is gone. */
  stop(): Promise<void>;
}

const TICK_MS = 100;

/** @throws PredictionError `DECODER_NOT_INSTALLED` (from its methods, too) when there is no such program */
export async function runFfmpeg(options: StartFfmpegOptions, signal: AbortSignal): Promise<FfmpegRun> {
  const { limits } = options;
  const { stdout, stderr, exit, kill } = await startFfmpeg(options).catch((cause: unknown) => {
    throw new PredictionError('DECODER_NOT_INSTALLED', {}, { cause });
  });
  const log = createFfmpegLog();
  if (signal.aborted) kill();
  signal.addEventListener('abort', kill, { once: true });
  let tookTooLong = false;
  let waiting = 0;
  let silentMs = 0;
  let waitedMs = 0;
  // Counted in ticks and not by the clock: neither a busy event loop nor a sleeping computer makes ffmpeg look slow.
  const ticker = setInterval(() => {
    if (waiting === 0) return;
    silentMs += TICK_MS;
    waitedMs += TICK_MS;
    if (silentMs < limits.stallMs && waitedMs < limits.maxWaitMs) return;
    tookTooLong = true;
    kill();
  }, TICK_MS);
  void exit.then(() => {
    clearInterval(ticker);
    signal.removeEventListener('abort', kill);
  });

  async function waitFor<T>(promise: Promise<T>): Promise<T> {
    waiting++;
    silentMs = 0;
    try {
      return await promise;
    } finally {
      waiting--;
    }
  }

  const described = new Promise<DescribedAudio | null>((resolve) => {
    stderr.on('data', (chunk: Buffer) => {
      log.push(chunk.toString('latin1'));
      if (log.audio !== undefined) resolve(log.audio);
    });
    stderr.once('close', () => resolve(log.audio ?? null));
    void exit.then(() => resolve(log.audio ?? null));
  });

  // A killed process leaves a stream that closes without an end; that is no error of the stream's.
  stdout.on('error', () => {});
  stderr.on('error', () => {});
  const chunks = stdout.iterator({ destroyOnReturn: false });

  async function readExit(): Promise<boolean> {
    const { code, error } = await waitFor(exit);
    // 126 and 127 are the shell's: the program cannot be run, or is not there.
    if (error !== null || ((code === 126 || code === 127) && log.audio === undefined && log.complaints.length === 0)) {
      throw new PredictionError('DECODER_NOT_INSTALLED', {}, { cause: error ?? new Error(`The shell ended with ${code}.`) });
    }
    return code === 0;
  }

  return {
    log,
    get tookTooLong() {
      return tookTooLong;
    },
    readDescription: () => waitFor(described),
    async read() {
      try {
        const next: IteratorResult<Uint8Array, unknown> = await waitFor(chunks.next());
        return next.done === true ? null : next.value;
      } catch (error) {
        if (stdout.destroyed) return null;
        throw error;
      }
    },
    readExit,
    async stop() {
      kill();
      stdout.destroy();
      stderr.destroy();
      await exit;
    },
  };
}
