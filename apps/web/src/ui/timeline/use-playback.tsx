import { type ReactNode, useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { canBeHeld } from './needs-listening-copy.ts';
import { createPlayback, type Playback, type PlaybackStatus } from './playback.ts';
import type { ServedRecording } from './served-recording.ts';
import { createSoundClock } from './sound-clock.ts';

interface ServedSound {
  /** The sound that the server keeps, for what the browser cannot play or not precisely; null when it keeps none. */
  readonly served: ServedRecording | null;
  readonly durationSeconds: number;
}

/**
 * Playback of a recording: the local file where the page draws it too, else the server's listening copy. A file that the browser
 * turns out not to play is exchanged for the copy.
 *
 * @param recording null when there is no local file
 * @returns `audio` to be rendered somewhere, and `playback`, null until it is
 */
export function usePlayback(
  recording: Blob | null,
  { served, durationSeconds }: ServedSound = { served: null, durationSeconds: 0 },
): { readonly playback: Playback | null; readonly audio: ReactNode } {
  const [url, setUrl] = useState<string | null>(null);
  const [playback, setPlayback] = useState<Playback | null>(null);
  const playsFile = recording !== null && (served === null || canBeHeld(recording.size, durationSeconds));
  const nextUrl = useRef(served?.audioUrl);
  nextUrl.current = served?.audioUrl;
  const moments = playsFile ? undefined : served?.moments;

  useEffect(() => {
    if (playsFile) {
      const own = URL.createObjectURL(recording);
      setUrl(own);
      return () => URL.revokeObjectURL(own);
    }
    const controller = new AbortController();
    const { signal } = controller;
    setUrl(null);
    served?.audioUrl(signal).then(
      (copy) => !signal.aborted && setUrl(copy),
      () => !signal.aborted && setUrl('data:,'), // nothing that plays, which leads to another try and then to words
    );
    return () => controller.abort();
  }, [playsFile, recording, served]);

  const attach = useCallback(
    (element: HTMLAudioElement) => {
      const attached = createPlayback(element, (signal) => nextUrl.current?.(signal) ?? null, createSoundClock(moments));
      setPlayback(attached);
      return () => {
        attached.close();
        setPlayback(null);
      };
    },
    [moments],
  );

  // biome-ignore lint/a11y/useMediaCaption: bird song has no words to caption; the table of detections says what is heard
  const audio = url === null ? null : <audio key={url} ref={attach} src={url} preload={playsFile ? 'auto' : 'metadata'} />;
  return { playback, audio };
}

const ignore = () => () => {};

/** Whether it plays, as React state; positions never go through React. */
export function usePlaybackStatus(playback: Playback | null): PlaybackStatus {
  return useSyncExternalStore(playback?.onStatus ?? ignore, playback?.status ?? (() => 'paused' as const));
}
