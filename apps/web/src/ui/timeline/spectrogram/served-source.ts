import type { ServedRecording, Wait } from '../sound/served-recording.ts';
import type { SpectrogramSource } from './spectrogram-source.ts';
import { openSpectrogramWorker } from './spectrogram-worker-client.ts';
import { coarsestLevel, stretchOf } from './tile-grid.ts';

/**
 * Opens a recording that the server keeps; its overview has arrived when this resolves.
 *
 * @param onWait told why it is not there yet, whenever that is asked in vain
 * @throws Error as `readLevels` of the recording
 */
export async function openServedSource(
  served: ServedRecording,
  durationSeconds: number,
  signal: AbortSignal,
  onWait: (why: Wait) => void = () => {},
  openWorker = openSpectrogramWorker,
): Promise<SpectrogramSource> {
  const wholeTile = stretchOf({ level: coarsestLevel(durationSeconds), index: 0 }, durationSeconds);
  const overview = await served.readLevels(wholeTile, signal, onWait);
  const worker = openWorker();
  return {
    parallel: 4,
    async measure(window, cancel) {
      const isWhole =
        window.startSeconds === 0 && window.endSeconds === wholeTile.endSeconds && window.columns === wholeTile.columns;
      return isWhole ? overview : served.readLevels(window, cancel);
    },
    paint: (levels, rows, palette, cancel) => worker.perform({ kind: 'paint', levels, rows, palette }, cancel),
    close: worker.close,
  };
}
