import { useEffect, useState } from 'react';
import { canBeHeld } from './needs-listening-copy.ts';
import { openServedSource, type ServedRecording } from './served-recording.ts';
import { openDecodedSource, type SpectrogramSource } from './spectrogram-source.ts';

export type SpectrogramStatus =
  | { readonly kind: 'decoding' }
  /** The server is asked for what the browser cannot decode or hold. */
  | { readonly kind: 'fetching' }
  | { readonly kind: 'ready'; readonly source: SpectrogramSource }
  /** The browser has no decoder for it. */
  | { readonly kind: 'undecodable' }
  | { readonly kind: 'tooLong' }
  /** The server has no image of it, or no longer. */
  | { readonly kind: 'unavailable' };

/**
 * Opens the recording for drawing, and lets go of it when the component does: decoded in the page where that can be done, else from
 * the server where it has kept the sound.
 */
export function useSpectrogramSource(
  recording: Blob | null,
  served: ServedRecording | null,
  durationSeconds: number,
): SpectrogramStatus {
  const [status, setStatus] = useState<SpectrogramStatus>({ kind: 'decoding' });
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    let opened: SpectrogramSource | null = null;
    const tell = (next: SpectrogramStatus) => {
      if (!signal.aborted) setStatus(next);
    };
    const decodeHere = async (): Promise<SpectrogramSource | 'undecodable' | 'tooLong'> => {
      if (!recording || !canBeHeld(recording.size, durationSeconds)) return 'tooLong';
      tell({ kind: 'decoding' });
      return openDecodedSource(recording, signal).catch(() => 'undecodable' as const);
    };
    const open = async () => {
      const here = await decodeHere();
      if (typeof here !== 'string') return here;
      if (signal.aborted) return null;
      if (!served) {
        tell({ kind: recording ? here : 'unavailable' });
        return null;
      }
      tell({ kind: 'fetching' });
      return openServedSource(served, durationSeconds, signal).catch(() => {
        tell({ kind: 'unavailable' });
        return null;
      });
    };
    void open().then((source) => {
      opened = source;
      if (signal.aborted) source?.close();
      else if (source) tell({ kind: 'ready', source });
    });
    return () => {
      controller.abort();
      opened?.close();
    };
  }, [recording, served, durationSeconds]);
  return status;
}
