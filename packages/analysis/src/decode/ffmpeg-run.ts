import { access, constants as fileConstants } from 'node:fs/promises';
import { constants } from 'node:os';
import { PredictionError } from '../errors.ts';
import { createFfmpegLog, type DescribedAudio, type FfmpegLog } from './ffmpeg-log.ts';
import { type ProgramExit, type StartFfmpegOptions, startFfmpeg } from './ffmpeg-process.ts';
import { DecoderInterrupted } from './restarts.ts';

export type FfmpegRun = Awaited<ReturnType<typeof runFfmpeg>>;

const TICK_MS = 100;

/** What a program brings upon itself, by bytes that it cannot cope with or by writing more than it may. */
const OWN_FAULTS: ReadonlySet<string> = new Set([
  'SIGSEGV',
  'SIGABRT',
  'SIGBUS',
  'SIGFPE',
  'SIGILL',
  'SIGSYS',
  'SIGTRAP',
  'SIGXFSZ',
]);
/** It has had all the processor time that it may have. */
const OUT_OF_TIME = 'SIGXCPU';

/**
 * One ffmpeg at work, watched: it ends when the signal aborts, when it is silent for too long, or when it is stopped.
 *
 * @throws PredictionError `DECODER_NOT_INSTALLED` (from its methods, too) when there is no such program
 * @throws DecoderInterrupted (from its methods, too) when there is one and it could not be started
 */
export async function runFfmpeg(options: StartFfmpegOptions, signal: AbortSignal) {
  const { limits, ffmpegPath } = options;
  const process = await startFfmpeg(options).catch((cause: unknown) => notStarted(ffmpegPath, cause));
  const { stdout, stderr, exit } = process;
  const log = createFfmpegLog();
  let hasCrashed = false;
  let isEndedHere = false;
  const kill = (): void => {
    isEndedHere = true;
    process.kill();
  };
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

  /**
   * Waits until the process is gone.
   *
   * @returns whether it ended by itself and content
   * @throws DecoderInterrupted when neither it nor we have ended it
   */
  async function readExit(): Promise<boolean> {
    const ended = await waitFor(exit);
    const { code, error } = ended;
    if (isEndedHere) return code === 0;
    if (error !== null) return notStarted(ffmpegPath, error);
    // These are the shell's: the program cannot be run, or is not there.
    if ((code === 126 || code === 127) && log.audio === undefined && log.complaints.length === 0) {
      return notStarted(ffmpegPath, new Error(`The shell ended with ${code}.`));
    }
    const by = signalOf(ended, log);
    if (by === OUT_OF_TIME) tookTooLong = true;
    else if (by !== null && OWN_FAULTS.has(by)) hasCrashed = true;
    else if (by !== null) throw new DecoderInterrupted(`The decoder was ended by ${by}.`);
    return code === 0;
  }

  return {
    log: log as FfmpegLog,
    /** It was ended for taking longer than it may. */
    get tookTooLong(): boolean {
      return tookTooLong;
    },
    /** It has ended by a fault of its own, as a recording may bring about. */
    get hasCrashed(): boolean {
      return hasCrashed;
    },
    /** Waits until ffmpeg has described the audio it opened; null when it gave up instead. */
    readDescription: (): Promise<DescribedAudio | null> => waitFor(described),
    /** The next bytes of its output, null at the end. */
    async read(): Promise<Uint8Array | null> {
      try {
        const next: IteratorResult<Uint8Array, unknown> = await waitFor(chunks.next());
        return next.done === true ? null : next.value;
      } catch (error) {
        if (stdout.destroyed) return null;
        throw error;
      }
    },
    readExit,
    /** Ends the process if it still runs and waits until it is gone. */
    async stop(): Promise<void> {
      kill();
      stdout.destroy();
      stderr.destroy();
      await exit;
    },
  };
}

/** What ended it: the kernel says so, or ffmpeg, which ends in good order upon some, or the shell that it is run by. */
function signalOf({ code, signal }: ProgramExit, { endedBySignal }: FfmpegLog): string | null {
  if (signal !== null) return signal;
  const number = code === 255 ? endedBySignal : (code ?? 0) - 128;
  return Object.entries(constants.signals).find(([, known]) => known === number)?.[0] ?? null;
}

/** @throws PredictionError `DECODER_NOT_INSTALLED` when there is no program to start, else DecoderInterrupted */
async function notStarted(ffmpegPath: string, cause: unknown): Promise<never> {
  const isThere = await access(ffmpegPath, fileConstants.X_OK).then(
    () => true,
    () => false,
  );
  if (!isThere) throw new PredictionError('DECODER_NOT_INSTALLED', {}, { cause });
  throw new DecoderInterrupted('The decoder could not be started.', { cause });
}
