import { useEffect, useState } from 'react';
import { openSpectrogramSource, type SpectrogramSource } from './spectrogram-source.ts';

/** Beyond either, decoding in the tab would take more memory than a page should: the timeline then goes without an image. */
const longestSeconds = 600;
const largestBytes = 100 * 1024 * 1024;

export type SpectrogramStatus =
  | { readonly kind: 'decoding' }
  | { readonly kind: 'ready'; readonly source: SpectrogramSource }
  /** The browser has no decoder for it. */
  | { readonly kind: 'undecodable' }
  | { readonly kind: 'tooLong' };

/** Opens the recording for drawing, and lets go of it when the component does. */
export function useSpectrogramSource(recording: Blob, durationSeconds: number): SpectrogramStatus {
  const [status, setStatus] = useState<SpectrogramStatus>({ kind: 'decoding' });
  useEffect(() => {
    if (durationSeconds > longestSeconds || recording.size > largestBytes) {
      setStatus({ kind: 'tooLong' });
      return undefined;
    }
    const controller = new AbortController();
    let opened: SpectrogramSource | null = null;
    setStatus({ kind: 'decoding' });
    openSpectrogramSource(recording, controller.signal).then(
      (source) => {
        if (controller.signal.aborted) {
          source.close();
          return;
        }
        opened = source;
        setStatus({ kind: 'ready', source });
      },
      () => {
        if (!controller.signal.aborted) setStatus({ kind: 'undecodable' });
      },
    );
    return () => {
      controller.abort();
      opened?.close();
    };
  }, [recording, durationSeconds]);
  return status;
}
