import type { KeptMoment, SpectrogramQuery } from '@chiffchaff/contract';
import { useCallback, useEffect, useState } from 'react';
import { revokeLater } from '../../../platform/browser/save-file.ts';
import { canBeHeld } from '../../../platform/decoding/can-be-held.ts';
import { attachListeningAids } from './listening-aids.ts';
import { createPlayback, type Playback } from './playback.ts';
import { createSoundClock } from './sound-clock.ts';

/** The audio of a recording that the server keeps, drawn and played where the browser cannot use a local file. */
export interface ServedRecording {
  /** The parts of the recording that the sound consists of; absent when it is the whole recording. */
  readonly excerpts: readonly KeptMoment[] | undefined;
  /**
   * Levels of a stretch, once they exist.
   *
   * @param onWait called with the reason after each attempt that found none
   * @throws Error when the server refuses, or has nothing after five minutes; AbortError when the signal aborts
   */
  readLevels(query: SpectrogramQuery, signal: AbortSignal, onWait?: (why: Wait) => void): Promise<Uint8Array<ArrayBuffer>>;
  /** A fresh address of the sound for an `<audio>` element, once it exists. @throws Error as `readLevels` */
  audioUrl(signal: AbortSignal, onWait?: (why: Wait) => void): Promise<string>;
}

/**
 * Why sound or picture is not available yet; requests are repeated. `preparing`: the server is making it · `outOfReach`: it does not
 * answer.
 */
export type Wait = 'preparing' | 'outOfReach';

/** Why there is nothing to play (yet). `gone`: the server no longer keeps the sound · `unavailable`: it refuses to send it. */
export type SoundTrouble = Wait | 'gone' | 'unavailable';

/**
 * Plays the local file if the page draws it too or the server keeps less of it, otherwise the sound that the server keeps. If the browser
 * turns out not to play the file, the server's sound replaces it.
 *
 * @param served the sound kept by the server, for what the browser cannot play or not precisely; null when there is none, undefined while
 * unknown
 */
export function usePlayback(recording: Blob | null, served: ServedRecording | null | undefined, durationSeconds: number) {
  const [source, setSource] = useState<{ readonly url: string; readonly isFile: boolean } | null>(null);
  const [playback, setPlayback] = useState<Playback | null>(null);
  const [trouble, setTrouble] = useState<SoundTrouble | null>(null);
  const [refused, setRefused] = useState<Blob | null>(null);
  const isFileWanted = served === undefined || served?.excerpts !== undefined || canBeHeld(recording?.size ?? 0, durationSeconds);
  /** The local file if it is played, whatever the server keeps of it. */
  const file = served === null || (recording !== refused && isFileWanted) ? recording : null;
  const playsFile = file !== null;
  const servedPlayed = playsFile ? null : served;

  const fetchUrl = useCallback(async (sound: ServedRecording, signal: AbortSignal): Promise<string> => {
    const tell = (next: SoundTrouble | null) => {
      if (!signal.aborted) setTrouble(next);
    };
    try {
      const fresh = await sound.audioUrl(signal, tell);
      tell(null);
      return fresh;
    } catch (error) {
      // The error of the HTTP client, which this folder does not know.
      tell(error instanceof Error && 'status' in error && error.status === 404 ? 'gone' : 'unavailable');
      throw error;
    }
  }, []);

  useEffect(() => {
    setTrouble(null);
    if (file) {
      const own = URL.createObjectURL(file);
      setSource({ url: own, isFile: true });
      return () => revokeLater(own);
    }
    const controller = new AbortController();
    const { signal } = controller;
    setSource(null);
    if (servedPlayed)
      fetchUrl(servedPlayed, signal).then(
        (url) => !signal.aborted && setSource({ url, isFile: false }),
        () => {}, // already reported
      );
    return () => controller.abort();
  }, [file, servedPlayed, fetchUrl]);

  const attach = useCallback(
    (element: HTMLAudioElement) => {
      const attached = createPlayback(
        element,
        (signal) => (servedPlayed ? fetchUrl(servedPlayed, signal) : null),
        createSoundClock(servedPlayed?.excerpts),
        attachListeningAids(element),
      );
      const follow = () => {
        if (file && attached.status.snapshot() === 'unplayable') setRefused(file);
      };
      attached.status.subscribe(follow);
      follow();
      setPlayback(attached);
      return () => {
        attached.close();
        setPlayback(null);
      };
    },
    [file, servedPlayed, fetchUrl],
  );

  const audio = source?.isFile === playsFile && (
    // biome-ignore lint/a11y/useMediaCaption: bird song has no words to caption; the table of detections says what is heard
    <audio
      key={source.url}
      ref={attach}
      src={source.url}
      preload={playsFile ? 'auto' : 'metadata'}
      crossOrigin={playsFile ? undefined : 'anonymous'}
    />
  );
  return { playback, trouble, playsFile, audio };
}
