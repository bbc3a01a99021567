import { join } from 'node:path';
import { beforeEach } from 'vitest';
import { locateFfmpeg } from '../ffmpeg/locate.ts';

const located = await locateFfmpeg({
  ffmpegPath: process.env.FFMPEG_PATH,
  searchPath: process.env.PATH,
  dataDir: join(import.meta.dirname, '../../../../data'),
});

/** Empty when there is none; tests that call {@link needsFfmpeg} are then skipped and say why. */
export const ffmpegPath: string = located?.path ?? '';

/** Call it in a `describe`. */
export function needsFfmpeg(): void {
  beforeEach((context) => {
    context.skip(located === null, 'no ffmpeg 5 or later with soxr on the search path');
  });
}
