import type { AnalysisService } from '@chiffchaff/analysis';
import pLimit from 'p-limit';
import { HttpProblem } from '../../http/http-problem.ts';
import { createRecentValues } from '../recent-values.ts';

type TileTask = Parameters<AnalysisService['drawTile']>[0];

/**
 * Draws parts of a spectrogram, a few at a time, and caches the latest.
 *
 * @throws HttpProblem SERVER_BUSY when too many wait
 * @throws PredictionError when the audio cannot be read
 * @throws the signal's reason when it aborts
 */
export type DrawTile = (task: TileTask, signal: AbortSignal) => Promise<Uint8Array>;

/** One is decoded while another is transformed. */
const TILES_AT_ONCE = 2;
const MOST_WAITING_TILES = 64;
const CACHED_TILES = 64;

export function createTiles(service: Pick<AnalysisService, 'drawTile'>): DrawTile {
  const limit = pLimit(TILES_AT_ONCE);
  /** The latest tiles: panning back and forth requests the same ones. A path never refers to different audio. */
  const recent = createRecentValues<Uint8Array>(CACHED_TILES);

  return async (task, signal) => {
    const key = JSON.stringify([task.overviewPath, task.query]);
    const known = recent.get(key);
    if (known !== undefined) return known;
    if (limit.pendingCount >= MOST_WAITING_TILES) throw new HttpProblem('SERVER_BUSY', { retryAfterSeconds: 2 });
    const bytes = await limit(() => service.drawTile(task, signal));
    recent.set(key, bytes);
    return bytes;
  };
}
