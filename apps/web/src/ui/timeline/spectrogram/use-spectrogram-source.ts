import { useEffect, useMemo, useState } from 'react';
import { canBeHeld, type Hindrance } from '../sound/hindrance.ts';
import type { ServedRecording } from '../sound/served-recording.ts';
import { openDecodedSource, openServedSource, type SpectrogramSource } from './spectrogram-source.ts';

export type SpectrogramStatus =
  | { readonly kind: 'decoding' }
  /** The server is asked for what the browser cannot decode or hold. */
  | { readonly kind: 'fetching' }
  /** … and does not answer; it is asked again by itself. */
  | { readonly kind: 'outOfReach' }
  | { readonly kind: 'ready'; readonly source: SpectrogramSource; readonly isServed: boolean }
  /** This browser cannot draw it, and the server keeps nothing of it. */
  | { readonly kind: Hindrance }
  /** The server has no image of it, or no longer. */
  | { readonly kind: 'unavailable' };

const decoding: SpectrogramStatus = { kind: 'decoding' };
const fetching: SpectrogramStatus = { kind: 'fetching' };

type Tell = (status: SpectrogramStatus) => void;

/** Opens a source, and lets go of it when the component does. @param open tells why there is none; null while there is nothing to open */
function useSource(
  open: ((signal: AbortSignal, tell: Tell) => Promise<SpectrogramSource | null>) | null,
  isServed: boolean,
): SpectrogramStatus {
  const first = isServed ? fetching : decoding;
  const [status, setStatus] = useState(first);
  useEffect(() => {
    if (!open) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    let opened: SpectrogramSource | null = null;
    const tell: Tell = (next) => {
      if (!signal.aborted) setStatus(next);
    };
    tell(first);
    void open(signal, tell).then((source) => {
      opened = source;
      if (signal.aborted) source?.close();
      else if (source) tell({ kind: 'ready', source, isServed });
    });
    return () => {
      controller.abort();
      opened?.close();
    };
  }, [open, first, isServed]);
  return status;
}

/** Opens the recording for drawing: decoded in the page where that can be done, else from the server where it has kept the sound. */
export function useSpectrogramSource(
  recording: Blob | null,
  served: ServedRecording | null | undefined,
  durationSeconds: number,
): SpectrogramStatus {
  const openHere = useMemo(
    () =>
      recording === null
        ? null
        : async (signal: AbortSignal, tell: Tell) => {
            const refuse = (kind: Hindrance) => {
              tell({ kind });
              return null;
            };
            if (!canBeHeld(recording.size, durationSeconds)) return refuse('tooLong');
            return openDecodedSource(recording, signal).catch(() => refuse('undecodable'));
          },
    [recording, durationSeconds],
  );
  const here = useSource(openHere, false);
  const isHindered = recording === null || here.kind === 'undecodable' || here.kind === 'tooLong';
  const openThere = useMemo(
    () =>
      !isHindered || !served
        ? null
        : (signal: AbortSignal, tell: Tell) =>
            openServedSource(served, durationSeconds, signal, (why) =>
              tell(why === 'outOfReach' ? { kind: why } : fetching),
            ).catch(() => {
              tell({ kind: 'unavailable' });
              return null;
            }),
    [isHindered, served, durationSeconds],
  );
  const there = useSource(openThere, true);
  if (!isHindered) return here;
  if (served === null) return recording === null ? { kind: 'unavailable' } : here;
  return served === undefined ? fetching : there;
}
