import { type ReactNode, useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { createPlayback, type Playback, type PlaybackStatus } from './playback.ts';

/**
 * Playback of a local recording.
 *
 * @returns `audio` to be rendered somewhere, and `playback`, null until it is
 */
export function usePlayback(recording: Blob): { readonly playback: Playback | null; readonly audio: ReactNode } {
  const [url, setUrl] = useState<string | null>(null);
  const [playback, setPlayback] = useState<Playback | null>(null);

  useEffect(() => {
    const own = URL.createObjectURL(recording);
    setUrl(own);
    return () => URL.revokeObjectURL(own);
  }, [recording]);

  const attach = useCallback((element: HTMLAudioElement) => {
    const attached = createPlayback(element);
    setPlayback(attached);
    return () => {
      attached.close();
      setPlayback(null);
    };
  }, []);

  // biome-ignore lint/a11y/useMediaCaption: bird song has no words to caption; the table of detections says what is heard
  const audio = url === null ? null : <audio key={url} ref={attach} src={url} preload="auto" />;
  return { playback, audio };
}

const ignore = () => () => {};

/** Whether it plays, as React state; positions never go through React. */
export function usePlaybackStatus(playback: Playback | null): PlaybackStatus {
  return useSyncExternalStore(playback?.onStatus ?? ignore, playback?.status ?? (() => 'paused' as const));
}
