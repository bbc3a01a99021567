import { type FileHandle, open, rm } from 'node:fs/promises';
import { createDecoderRestarts, interruptedWhenShort } from '../decode/decoder-restarts.ts';
import type { StartFfmpegOptions } from '../decode/ffmpeg-process.ts';
import { identifyFile, type Source } from '../decode/identify-file.ts';
import { openRecording } from '../decode/open-recording.ts';
import { runOnSound } from '../decode/run-on-sound.ts';
import { wordFailure } from '../decode/word-failure.ts';

interface WriteTask extends Pick<StartFfmpegOptions, 'path' | 'ffmpegPath' | 'stretch' | 'limits' | 'urgency'> {
  /** overwritten; after a failure, the contents are undefined */
  readonly target: string;
  /** permissions of the target */
  readonly mode: number;
  readonly maxBytes: number;
  /** how to encode */
  readonly argsFor: (source: Source, file: FileHandle) => Promise<readonly string[]>;
}

/**
 * Lets ffmpeg write a file from a recording under the limits of decoding, and waits until it has exited.
 *
 * @returns what it reported about its progress
 * @throws PredictionError when the recording cannot be read, `DECODER_NOT_INSTALLED`, `DECODER_FAILED`; a system error `ENOSPC` when the
 * file cannot be written
 * @throws the signal's reason when it aborts; the child process has exited by then
 */
export async function writeByFfmpeg(task: WriteTask, signal: AbortSignal): Promise<string> {
  const { path, target, ffmpegPath, stretch, limits, urgency, maxBytes } = task;
  return createDecoderRestarts(limits.restartDelaysMs, signal).repeat(async () => {
    signal.throwIfAborted();
    // A new file for each try: the decoder of a killed process may still be writing to the old one.
    await rm(target, { force: true });
    await using file = await openRecording(path).catch(interruptedWhenShort);
    const source = await identifyFile(file);
    const args = await task.argsFor(source, file);
    await using written = await open(target, 'wx', task.mode);
    const output = { kind: 'file', fileDescriptor: written.fd, path: target, maxBytes, args } as const;
    await using run = await runOnSound(
      source,
      { ffmpegPath, fileDescriptor: file.fd, path, stretch, output, limits, urgency },
      signal,
    );
    let progress = '';
    for (let piece = await run.read(); piece !== null; piece = await run.read())
      progress += Buffer.from(piece).toString('latin1');
    const endedWell = await run.readExit();
    signal.throwIfAborted();
    if (run.log.isDiskFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    if (!endedWell || run.tookTooLong) throw wordFailure(run, source, limits);
    return progress;
  });
}
