import { access, constants as fileConstants } from 'node:fs/promises';
import { constants } from 'node:os';
import { PredictionError } from '../errors.ts';
import { DecoderInterrupted } from './decoder-restarts.ts';
import { createFfmpegLog, type DescribedAudio, type FfmpegLog } from './ffmpeg-log.ts';
import { type ProgramExit, type StartFfmpegOptions, startFfmpeg } from './ffmpeg-process.ts';

export type FfmpegRun = Awaited<ReturnType<typeof runFfmpeg>>;

const TICK_MS = 100;

/** Signals that a program causes itself, by input that it cannot handle or by writing more than it may. */
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
/** It has used up its CPU time. */
const OUT_OF_TIME = 'SIGXCPU';

/**
 * Runs one ffmpeg and kills it when the signal aborts, when it uses too much processor time (in silence, or in all), when it is silent
 * without using any, or on `stop`.
 *
 * @throws PredictionError `DECODER_NOT_INSTALLED` (from its methods, too) when the program does not exist
 * @throws DecoderInterrupted (from its methods, too) when it exists but could not be started
 */
export async function runFfmpeg(options: StartFfmpegOptions, signal: AbortSignal) {
  const { limits, ffmpegPath, track } = options;
  const process = await startFfmpeg(options).catch((cause: unknown) => notStarted(ffmpegPath, cause));
  const { stdout, stderr, exit } = process;
  const log = createFfmpegLog(track);
  let hasCrashed = false;
  let isEndedHere = false;
  const kill = (): void => {
    isEndedHere = true;
    process.kill();
  };
  if (signal.aborted) kill();
  signal.addEventListener('abort', kill, { once: true });
  let tookTooLong = false;
  let isStuck = false;
  let waiting = 0;
  let silentMs = 0;
  let waitedMs = 0;
  /** processor time when the silence began, and at the last look since */
  let used = { beforeMs: 0, atLastLookMs: 0 };
  // Where it is unknown, a decoder counts as working.
  const processorUse = () => process.processorUse() ?? { usedMs: waitedMs, isRunnable: true };

  /** On a machine in trouble, a decoder is silent over any recording. Only if it works meanwhile is the recording at fault. */
  function look(): void {
    const { usedMs, isRunnable } = processorUse();
    if (usedMs - used.beforeMs >= limits.stallMs) tookTooLong = true;
    else isStuck = !isRunnable && usedMs <= used.atLastLookMs;
    used.atLastLookMs = usedMs;
  }

  // Counts ticks instead of using the clock, so that neither a busy event loop nor a sleeping computer makes ffmpeg look slow.
  const ticker = setInterval(() => {
    if (waiting === 0) return;
    silentMs += TICK_MS;
    waitedMs += TICK_MS;
    if (silentMs === TICK_MS) {
      const { usedMs } = processorUse();
      used = { beforeMs: usedMs - TICK_MS, atLastLookMs: usedMs };
    } else if (silentMs % limits.stallMs < TICK_MS) look();
    if (waitedMs >= limits.maxWaitMs && processorUse().usedMs >= limits.maxWaitMs) tookTooLong = true;
    if (tookTooLong || isStuck) kill();
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
      if (log.isDescribed) resolve(log.audio ?? null);
    });
    stderr.once('close', () => resolve(log.audio ?? null));
    void exit.then(() => resolve(log.audio ?? null));
  });

  // The stream of a killed process closes without an end, which is no error here.
  stdout.on('error', () => {});
  stderr.on('error', () => {});
  const chunks = stdout.iterator({ destroyOnReturn: false });

  /**
   * Waits until the process has exited.
   *
   * @returns whether it exited with code 0
   * @throws DecoderInterrupted when something else ended it, or when it stood still
   */
  async function readExit(): Promise<boolean> {
    const ended = await waitFor(exit);
    const { code, error } = ended;
    if (isStuck) throw new DecoderInterrupted('The decoder stood still.');
    if (isEndedHere) return code === 0;
    if (error !== null) return notStarted(ffmpegPath, error);
    // From the shell: the program cannot be executed, or was not found.
    if ((code === 126 || code === 127) && log.audio === undefined && log.complaints.length === 0) {
      return notStarted(ffmpegPath, new Error(`The shell ended with ${code}.`));
    }
    const by = signalOf(ended, log);
    if (by === OUT_OF_TIME) tookTooLong = true;
    else if (by !== null && OWN_FAULTS.has(by)) hasCrashed = true;
    else if (by !== null) throw new DecoderInterrupted(`The decoder was ended by ${by}.`);
    return code === 0;
  }

  /** Kills the process if it is still running and waits until it has exited. */
  async function stop(): Promise<void> {
    kill();
    stdout.destroy();
    stderr.destroy();
    await exit;
  }

  return {
    log: log as FfmpegLog,
    /** It was killed, or hit its CPU limit, because it took too long. */
    get tookTooLong(): boolean {
      return tookTooLong;
    },
    /** It crashed, as a bad recording may make it. */
    get hasCrashed(): boolean {
      return hasCrashed;
    },
    /** Waits until ffmpeg has described the audio; null if it gave up. */
    readDescription: (): Promise<DescribedAudio | null> => waitFor(described),
    /** The next bytes of its output; null at the end. */
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
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Name of the signal that ended it: reported by the kernel, by ffmpeg, which exits in good order on some, or by the shell around it. */
function signalOf({ code, signal }: ProgramExit, { endedBySignal }: FfmpegLog): string | null {
  if (signal !== null) return signal;
  const number = code === 255 ? endedBySignal : (code ?? 0) - 128;
  return Object.entries(constants.signals).find(([, known]) => known === number)?.[0] ?? null;
}

/** @throws PredictionError `DECODER_NOT_INSTALLED` when the program does not exist, else DecoderInterrupted */
async function notStarted(ffmpegPath: string, cause: unknown): Promise<never> {
  const isThere = await access(ffmpegPath, fileConstants.X_OK).then(
    () => true,
    () => false,
  );
  if (!isThere) throw new PredictionError('DECODER_NOT_INSTALLED', {}, { cause });
  throw new DecoderInterrupted('The decoder could not be started.', { cause });
}
