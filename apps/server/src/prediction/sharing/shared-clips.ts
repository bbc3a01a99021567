import type { AnalysisService, Stretch } from '@chiffchaff/analysis';
import pLimit from 'p-limit';
import { HttpProblem } from '../../http/http-problem.ts';
import type { AudioRetention } from '../audio/audio-retention.ts';
import { createRecentValues } from '../recent-values.ts';

/**
 * Cuts the audio of a bird for visitors of a link that shares sound.
 *
 * @throws HttpProblem NOT_FOUND when it is no longer kept, SOUND_NOT_READY, SERVER_BUSY
 * @throws the signal's reason when it aborts
 */
export type CutClip = (
  owned: { readonly accountId: string; readonly predictionId: string },
  stretch: Stretch,
  signal: AbortSignal,
) => Promise<Uint8Array>;

const AT_ONCE = 2;
const MOST_WAITING = 32;
/** Each is at most 12 s, less than a megabyte. */
const KEPT_IN_MEMORY = 16;

/** Cuts clips on request, a few at a time, and caches the latest in memory: sharing a recording stores nothing more of it. */
export function createSharedClips(sounds: AudioRetention, service: Pick<AnalysisService, 'cutClip'>): CutClip {
  const limit = pLimit(AT_ONCE);
  const recent = createRecentValues<Uint8Array>(KEPT_IN_MEMORY);
  return async ({ accountId, predictionId }, stretch, signal) => {
    const key = JSON.stringify([predictionId, stretch]);
    const known = recent.get(key);
    if (known !== undefined) return known;
    const bytes = await sounds.readStretch(accountId, predictionId, stretch, signal, (path, within) => {
      if (limit.pendingCount >= MOST_WAITING) throw new HttpProblem('SERVER_BUSY', { retryAfterSeconds: 2 });
      return limit(() => service.cutClip({ path, stretch: within }, signal));
    });
    recent.set(key, bytes);
    return bytes;
  };
}
