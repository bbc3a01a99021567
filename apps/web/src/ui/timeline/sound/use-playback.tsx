import type { KeptMoment, SpectrogramQuery } from '@chiffchaff/contract';
import { useCallback, useEffect, useState } from 'react';
import { revokeLater } from '../../../platform/browser/save-file.ts';
import { createStore, useStore } from '../../../platform/browser/store.ts';
import { canBeHeld } from '../../../platform/decoding/can-be-held.ts';
import { createPlayback, type Playback, type PlaybackStatus } from './playback.ts';
import { createSoundClock } from './sound-clock.ts';

/** A recording's sound as the server keeps it: to be looked at and listened to where the browser cannot do so by itself. */
export interface ServedRecording {
  /** What of the recording the sound holds; absent when all of it. */
  readonly excerpts: readonly KeptMoment[] | undefined;
  /**
   * Levels of a stretch, once there are some.
   *
   * @param onWait told why they are not there yet, whenever that is asked in vain
   * @throws Error when the server refuses, or has nothing after five minutes; AbortError when the signal aborts
   */
  readLevels(query: SpectrogramQuery, signal: AbortSignal, onWait?: (why: Wait) => void): Promise<Uint8Array<ArrayBuffer>>;
  /** A fresh address of the sound for an `<audio>` element, once there is one. @throws Error as `readLevels` */
  audioUrl(signal: AbortSignal, onWait?: (why: Wait) => void): Promise<string>;
}

/** Why sound or picture is not here yet; it comes by itself. `preparing`: the server is making it · `outOfReach`: it does not answer. */
export type Wait = 'preparing' | 'outOfReach';

interface ServedSound {
  /** The sound that the server keeps, for what the browser cannot play or not precisely; null when it keeps none, undefined while that is asked. */
  readonly served: ServedRecording | null | undefined;
  readonly durationSeconds: number;
}

/** Why there is nothing to play (yet). `gone`: the server keeps no sound of it any more · `unavailable`: it does not hand it out. */
export type SoundTrouble = Wait | 'gone' | 'unavailable';

/**
 * Playback of the local file where the page draws it too or the server keeps less of it, else of the sound that the server keeps. A file that
 * the browser turns out not to play is exchanged for that.
 */
export function usePlayback(recording: Blob | null, { served, durationSeconds }: ServedSound) {
  const [source, setSource] = useState<{ readonly url: string; readonly isFile: boolean } | null>(null);
  const [playback, setPlayback] = useState<Playback | null>(null);
  const [trouble, setTrouble] = useState<SoundTrouble | null>(null);
  const [refused, setRefused] = useState<Blob | null>(null);
  const isFileWanted = served === undefined || served?.excerpts !== undefined || canBeHeld(recording?.size ?? 0, durationSeconds);
  /** The local file is played, whatever the server keeps of it. */
  const playsFile = recording !== null && (served === null || (recording !== refused && isFileWanted));

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
      // Asked without axios, which the first page does without.
      tell(error instanceof Error && 'status' in error && error.status === 404 ? 'gone' : 'unavailable');
      throw error;
    }
  }, []);

  useEffect(() => {
    setTrouble(null);
    if (playsFile) {
      const own = URL.createObjectURL(recording);
      setSource({ url: own, isFile: true });
      return () => revokeLater(own);
    }
    const controller = new AbortController();
    const { signal } = controller;
    setSource(null);
    if (servedPlayed)
      fetchUrl(servedPlayed, signal).then(
        (url) => !signal.aborted && setSource({ url, isFile: false }),
        () => {}, // it has been told
      );
    return () => controller.abort();
  }, [playsFile, recording, servedPlayed, fetchUrl]);

  const attachTo = useCallback((attached: Playback) => {
    setPlayback(attached);
    return () => {
      attached.close();
      setPlayback(null);
    };
  }, []);
  const attachFile = useCallback(
    (element: HTMLAudioElement) => {
      const attached = createPlayback(element);
      const follow = () => {
        if (attached.status.snapshot() === 'unplayable') setRefused(recording);
      };
      attached.status.subscribe(follow);
      follow();
      return attachTo(attached);
    },
    [recording, attachTo],
  );
  const attachServed = useCallback(
    (element: HTMLAudioElement) =>
      attachTo(
        createPlayback(
          element,
          (signal) => (servedPlayed ? fetchUrl(servedPlayed, signal) : null),
          createSoundClock(servedPlayed?.excerpts),
        ),
      ),
    [servedPlayed, fetchUrl, attachTo],
  );

  // biome-ignore-start lint/a11y/useMediaCaption: bird song has no words to caption; the table of detections says what is heard
  const audio =
    source === null || source.isFile !== playsFile ? null : playsFile ? (
      <audio key={source.url} ref={attachFile} src={source.url} preload="auto" />
    ) : (
      <audio key={source.url} ref={attachServed} src={source.url} preload="metadata" />
    );
  // biome-ignore-end lint/a11y/useMediaCaption: as above
  return { playback, trouble, playsFile, audio };
}

const PAUSED = createStore<PlaybackStatus>('paused');

/** Whether it plays, as React state; positions never go through React. */
export const usePlaybackStatus = (playback: Playback | null): PlaybackStatus => useStore(playback?.status ?? PAUSED);
