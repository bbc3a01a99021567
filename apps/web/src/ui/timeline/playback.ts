/** Plays one recording through an `<audio>` element and tells, frame by frame, where it is. */
export interface Playback {
  readonly status: () => PlaybackStatus;
  /** Calls back when the status changes. */
  onStatus(listener: () => void): () => void;
  /** Calls back with the position (seconds) on every frame while it plays, and whenever it is moved. */
  onPosition(listener: (seconds: number) => void): () => void;
  positionSeconds(): number;
  toggle(): void;
  seek(seconds: number): void;
  /** Plays one passage and stops at its end. */
  playPassage(startSeconds: number, endSeconds: number): void;
  close(): void;
}

/** `unplayable`: the browser cannot play this kind of file. */
export type PlaybackStatus = 'paused' | 'playing' | 'unplayable';

export function createPlayback(audio: HTMLAudioElement): Playback {
  const statusListeners = new Set<() => void>();
  const positionListeners = new Set<(seconds: number) => void>();
  const closing = new AbortController();
  let status: PlaybackStatus = audio.error ? 'unplayable' : 'paused';
  let stopAt: number | null = null;
  let frame = 0;

  const tellPosition = () => {
    for (const listener of positionListeners) listener(audio.currentTime);
  };
  const setStatus = (next: PlaybackStatus) => {
    if (status === next) return;
    status = next;
    for (const listener of statusListeners) listener();
  };
  const step = () => {
    if (stopAt !== null && audio.currentTime >= stopAt) {
      audio.pause();
      audio.currentTime = stopAt;
      stopAt = null;
    }
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
  listen('pause', () => setStatus(audio.error ? 'unplayable' : 'paused'));
  listen('error', () => setStatus('unplayable'));
  listen('seeked', tellPosition);

  const play = () => {
    // Refused when the file cannot be played (the error event tells) or when a pause overtakes it.
    audio.play().catch(() => setStatus(audio.error ? 'unplayable' : 'paused'));
  };
  const moveTo = (seconds: number) => {
    const end = Number.isFinite(audio.duration) ? audio.duration : seconds;
    audio.currentTime = Math.min(Math.max(0, seconds), end);
    tellPosition();
  };

  return {
    status: () => status,
    onStatus(listener) {
      statusListeners.add(listener);
      return () => statusListeners.delete(listener);
    },
    onPosition(listener) {
      positionListeners.add(listener);
      return () => positionListeners.delete(listener);
    },
    positionSeconds: () => audio.currentTime,
    toggle() {
      stopAt = null;
      if (audio.paused) play();
      else audio.pause();
    },
    seek(seconds) {
      stopAt = null;
      moveTo(seconds);
    },
    playPassage(startSeconds, endSeconds) {
      stopAt = endSeconds;
      moveTo(startSeconds);
      play();
    },
    close() {
      cancelAnimationFrame(frame);
      closing.abort();
      audio.pause();
    },
  };
}
