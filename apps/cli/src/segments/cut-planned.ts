import { dirname } from 'node:path';
import { codeOf, isDiskFull } from '@chiffchaff/acquire';
import { cutSegment, PredictionError, type SegmentFormat } from '@chiffchaff/analysis';
import { problemSentence } from '@chiffchaff/contract';
import type { PlannedSegment } from '@chiffchaff/survey';
import { SetUpError } from '../command-error.ts';
import { cannotWrite, whyUnreadable } from '../files.ts';
import type { SegmentsFolder } from './segments-folder.ts';

/** The result for one segment. */
export type Outcome =
  | { readonly kind: 'cut'; readonly planned: PlannedSegment; readonly seconds: number }
  | { readonly kind: 'failed'; readonly planned: PlannedSegment; readonly message: string }
  | { readonly kind: 'cancelled' };

export interface CutterInput {
  /** The file of a recording; null when there is none. */
  readonly find: (file: string) => Promise<string | null>;
  readonly folder: SegmentsFolder;
  readonly format: SegmentFormat;
  readonly ffmpegPath: string;
  readonly signal: AbortSignal;
}

/** Whether the disk that is written to is at fault, not a recording. */
const isOfDisk = (error: unknown): boolean => isDiskFull(error) || ['EROFS', 'EFBIG'].includes(codeOf(error));

/** Cuts one segment. @throws SetUpError when the folder cannot be written to or ffmpeg is missing */
export function createCutter({ find, folder, format, ffmpegPath, signal }: CutterInput) {
  return async (planned: PlannedSegment): Promise<Outcome> => {
    const { startSeconds, endSeconds, detection } = planned;
    const fail = (message: string): Outcome => ({ kind: 'failed', planned, message });
    const path = await find(detection.file);
    if (path === null) return fail('There is no such recording. --recordings names the folder that tables are relative to.');
    let seconds = 0;
    try {
      await folder.put(planned, async (target) => {
        ({ seconds } = await cutSegment({ path, target, stretch: { startSeconds, endSeconds }, format, ffmpegPath }, signal));
        return seconds > 0;
      });
    } catch (error) {
      if (signal.aborted) return { kind: 'cancelled' };
      if (error instanceof PredictionError) {
        const sentence = problemSentence(error.code, error.details);
        if (error.code === 'DECODER_NOT_INSTALLED') throw new SetUpError(sentence, { cause: error });
        return fail(sentence);
      }
      if (isOfDisk(error)) cannotWrite(dirname(folder.listShownAs), error);
      const why = error instanceof SetUpError ? null : whyUnreadable(error);
      if (why === null) throw error;
      return fail(`It can't be read: ${why}.`);
    }
    return seconds > 0 ? { kind: 'cut', planned, seconds } : fail('It ends before its detections: is it another recording?');
  };
}
