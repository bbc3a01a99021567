import type { KeptMoment, SpectrogramQuery } from '@chiffchaff/contract';
import { useCallback, useEffect, useState } from 'react';
import { revokeLater } from '../../../platform/browser/save-file.ts';
import { createStore, useStore } from '../../../platform/browser/store.ts';
import { canBeHeld } from '../../../platform/decoding/can-be-held.ts';
import type { attachListeningAids } from './listening-aids.ts';
import { createPlayback, type Playback, type PlaybackStatus } from './playback.ts';
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

interface ServedSound {
  /** The sound kept by the server, for what the browser cannot play or not precisely; null when there is none, undefined while unknown. */
  readonly served: ServedRecording | null | undefined;
  readonly durationSeconds: number;
  /** Passed in, because the first page does not load it. */
  readonly attachAids: typeof attachListeningAids;
}

/** Why there is nothing to play (yet). `gone`: the server no longer keeps the sound · `unavailable`: it refuses to send it. */
export type SoundTrouble = Wait | 'gone' | 'unavailable';

/**
 * Plays the local file if the page draws it too or the server keeps less of it, otherwise the sound that the server keeps. If the browser
 * turns out not to play the file, the server's sound replaces it.
 */
export function usePlayback(recording: Blob | null, { served, durationSeconds, attachAids }: ServedSound) {
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
      // Checked without axios, which the first page does not load.
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
        () => {}, // already reported
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
      const attached = createPlayback(element, undefined, undefined, attachAids(element));
      const follow = () => {
        if (attached.status.snapshot() === 'unplayable') setRefused(recording);
      };
      attached.status.subscribe(follow);
      follow();
      return attachTo(attached);
    },
    [recording, attachTo, attachAids],
  );
  const attachServed = useCallback(
    (element: HTMLAudioElement) =>
      attachTo(
        createPlayback(
          element,
          (signal) => (servedPlayed ? fetchUrl(servedPlayed, signal) : null),
          createSoundClock(servedPlayed?.excerpts),
          attachAids(element),
        ),
      ),
    [servedPlayed, fetchUrl, attachTo, attachAids],
  );

  // biome-ignore-start lint/a11y/useMediaCaption: bird song has no words to caption; the table of detections says what is heard
  const audio =
    source === null || source.isFile !== playsFile ? null : playsFile ? (
      <audio key={source.url} ref={attachFile} src={source.url} preload="auto" />
    ) : (
      <audio key={source.url} ref={attachServed} src={source.url} preload="metadata" crossOrigin="anonymous" />
    );
  // biome-ignore-end lint/a11y/useMediaCaption: as above
  return { playback, trouble, playsFile, audio };
}

const PAUSED = createStore<PlaybackStatus>('paused');

/** The playback status as React state; positions bypass React. */
export const usePlaybackStatus = (playback: Playback | null): PlaybackStatus => useStore(playback?.status ?? PAUSED);
