import { type RefObject, useEffect } from 'react';
import { useTranslation } from '../../../languages/i18n.ts';
import { createStore, useStore } from '../../../platform/browser/store.ts';
import { type Span, timeLabel } from '../../../platform/format/format.ts';
import type { attachListeningAids } from './listening-aids.ts';
import { createSoundClock, type SoundClock } from './sound-clock.ts';

/** `unplayable`: the browser cannot play this kind of file. */
export type PlaybackStatus = 'paused' | 'playing' | 'unplayable';

const MOST_ADDRESSES = 2;

/**
 * @param nextUrl called when the element's address does not play (any longer); returns a fresh one, or null when there is none
 * @param aids how it is played; nothing is changed without them
 * @param clock converts between the recording's seconds, which everything else uses, and those of the sound that the element plays
 */
export function createPlayback(
  audio: HTMLAudioElement,
  nextUrl: (signal: AbortSignal) => Promise<string> | null = () => null,
  clock: SoundClock = createSoundClock(),
  aids: ReturnType<typeof attachListeningAids> | null = null,
) {
  const status = createStore<PlaybackStatus>('paused');
  const closing = new AbortController();
  /** The passage that is played, in the recording's seconds; null when it plays on to the end. */
  let passage: Span | null = null;
  let frame = 0;
  /** Fresh addresses requested since the last one that played. */
  let asked = 0;
  let isPlayWished = false;
  let isRenewing = false;
  let renewedAt = 0;

  const positionSeconds = () => clock.toRecording(audio.currentTime);
  const position = createStore(0);
  const tellPosition = () => position.set(positionSeconds());
  const setStatus = (next: PlaybackStatus) => {
    if (status.snapshot() !== next) status.set(next);
  };
  const step = () => {
    if (passage && positionSeconds() >= passage.endSeconds) {
      if (aids?.isLooped()) moveTo(passage.startSeconds);
      else {
        pause();
        audio.currentTime = clock.toSound(passage.endSeconds);
        passage = null;
      }
    }
    if (audio.currentTime > renewedAt + 1) asked = 0; // the new address plays
    tellPosition();
    if (!audio.paused) frame = requestAnimationFrame(step);
  };
  const listen = (event: keyof HTMLMediaElementEventMap, handle: () => void) =>
    audio.addEventListener(event, handle, { signal: closing.signal });

  listen('play', () => {
    setStatus('playing');
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(step);
  });
  listen('pause', () => {
    isPlayWished = false;
    setStatus(audio.error && !isRenewing ? 'unplayable' : 'paused');
    tellPosition(); // now it stands still
  });
  listen('ended', () => {
    // The sound may be a little shorter than its last passage.
    if (passage && aids?.isLooped()) playPassage(passage.startSeconds, passage.endSeconds);
  });
  listen('error', () => void renew());
  listen('seeked', tellPosition);
  const renew = async () => {
    const next = asked < MOST_ADDRESSES ? nextUrl(closing.signal) : null;
    asked += 1;
    if (next === null) {
      setStatus('unplayable');
      return;
    }
    isRenewing = true;
    const url = await next.catch(() => null);
    if (closing.signal.aborted) return;
    isRenewing = false;
    if (url === null) {
      setStatus('unplayable');
      return;
    }
    renewedAt = audio.currentTime;
    audio.src = url;
    audio.currentTime = renewedAt;
    if (isPlayWished) play();
  };
  const play = () => {
    isPlayWished = true;
    aids?.apply();
    // Rejected when the file cannot be played (the error event reports that) or when a pause interrupts it.
    audio.play().catch(() => setStatus(audio.error && !isRenewing ? 'unplayable' : 'paused'));
  };
  const pause = () => {
    isPlayWished = false;
    audio.pause();
  };
  const moveTo = (seconds: number) => {
    const wished = Math.max(0, clock.toSound(seconds));
    audio.currentTime = Number.isFinite(audio.duration) ? Math.min(wished, audio.duration) : wished;
    tellPosition();
  };
  const playPassage = (startSeconds: number, endSeconds: number) => {
    passage = { startSeconds, endSeconds };
    moveTo(startSeconds);
    play();
  };

  if (audio.error) void renew();
  return {
    status,
    /** Calls back with the position (seconds) on every frame during playback, at its end, and whenever it is changed. */
    onPosition: (listener: (seconds: number) => void) => position.subscribe(() => listener(position.snapshot())),
    positionSeconds,
    toggle() {
      passage = null;
      if (audio.paused) play();
      else pause();
    },
    seek(seconds: number) {
      passage = null;
      moveTo(seconds);
    },
    /** Plays one passage and stops at its end, or begins again. */
    playPassage,
    close() {
      aids?.close();
      cancelAnimationFrame(frame);
      closing.abort();
      pause();
    },
  };
}

export type Playback = ReturnType<typeof createPlayback>;

const PAUSED = createStore<PlaybackStatus>('paused');

/** The playback status as React state; positions bypass React. */
export const usePlaybackStatus = (playback: Playback | null): PlaybackStatus => useStore(playback?.status ?? PAUSED);

/**
 * Gives a slider the position, for assistive technology, while the sound stands still: announcements on every frame would be useless.
 */
export function useSliderPosition(slider: RefObject<Element | null>, playback: Playback | null, durationSeconds: number): void {
  const { t } = useTranslation();
  useEffect(() => {
    const show = (seconds: number) => {
      if (playback?.status.snapshot() === 'playing') return;
      const { current } = slider;
      // An input has a value of its own.
      if (!(current instanceof HTMLInputElement)) current?.setAttribute('aria-valuenow', seconds.toFixed(1));
      const words = t('timeline.position', { at: timeLabel(seconds, 1), of: timeLabel(durationSeconds, 1) });
      current?.setAttribute('aria-valuetext', words);
    };
    show(playback?.positionSeconds() ?? 0);
    return playback?.onPosition(show);
  }, [slider, playback, durationSeconds, t]);
}
