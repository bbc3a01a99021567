import type { CapturedPiece } from './capture-worklet.ts';
import captureUrl from './capture-worklet.ts?worker&url';

/** Processing that browsers apply to a microphone by default, and sometimes even if told not to. */
export const ALTERATIONS = ['echoCancellation', 'noiseSuppression', 'autoGainControl'] as const;

/** Where the device ignores the requested settings. */
export interface MicrophoneSettings {
  readonly alterations: readonly (typeof ALTERATIONS)[number][];
  /** Hz, if it is lower than requested; null if it is not, or is not known */
  readonly lowerSampleRate: number | null;
}

export const SAMPLE_RATE = 48_000;
/** Reopens the microphone after this long without samples. */
const STALLED_MS = 3000;
const LOOK_EVERY_MS = 500;
/** Delay between two attempts to reopen it. */
const AGAIN_AFTER_MS = 2000;

const wished = (): MediaStreamConstraints => ({
  audio: {
    echoCancellation: false,
    noiseSuppression: false,
    autoGainControl: false,
    channelCount: { ideal: 1 },
    sampleRate: { ideal: SAMPLE_RATE },
  },
});

function settingsOf(track: MediaStreamTrack | undefined): MicrophoneSettings {
  const settings = track?.getSettings() ?? {};
  const { sampleRate = SAMPLE_RATE } = settings;
  return {
    alterations: ALTERATIONS.filter((name) => settings[name] === true),
    lowerSampleRate: sampleRate < SAMPLE_RATE ? sampleRate : null,
  };
}

interface Listeners {
  readonly onPiece: (piece: CapturedPiece) => void;
  /** Called when it stops delivering, and when it resumes. */
  readonly onStall: (isStalled: boolean) => void;
}

/**
 * Opens the microphone. Reopens it when nothing has arrived for three seconds, as after a phone call or when it was unplugged.
 *
 * @throws DOMException `NotAllowedError`, `NotFoundError`, `NotReadableError` …, as `getUserMedia` does
 */
export async function openMicrophone({ onPiece, onStall }: Listeners) {
  let stream = await navigator.mediaDevices.getUserMedia(wished());
  // The browser resamples to this rate, as well as a sound card's converter does.
  const context = new AudioContext({ sampleRate: SAMPLE_RATE, latencyHint: 'balanced' });
  const closing = new AbortController();
  try {
    await context.audioWorklet.addModule(captureUrl);
  } catch (error) {
    for (const track of stream.getTracks()) track.stop();
    await context.close();
    throw error;
  }
  const analyser = new AnalyserNode(context, { fftSize: 1024, smoothingTimeConstant: 0.3, minDecibels: -110, maxDecibels: -30 });
  const capture = new AudioWorkletNode(context, 'capture', {
    numberOfOutputs: 0,
    channelCount: 1,
    channelCountMode: 'explicit',
  });
  let source = context.createMediaStreamSource(stream);
  const connect = () => source.connect(analyser).context && source.connect(capture);
  connect();

  let lastMs = Date.now();
  let isStalled = false;
  let triedMs = 0;
  const setStalled = (next: boolean) => {
    if (isStalled === next) return;
    isStalled = next;
    onStall(next);
  };
  /** A microphone that was taken away delivers zeros, which are not silence. */
  const isAlive = () => stream.getAudioTracks().some((track) => track.readyState === 'live' && !track.muted);
  capture.port.addEventListener('message', ({ data }: MessageEvent<CapturedPiece>) => {
    if (!isAlive()) return;
    lastMs = Date.now();
    setStalled(false);
    onPiece(data);
  });
  capture.port.start();

  const restart = async () => {
    await context.resume().catch(() => {});
    const next = await navigator.mediaDevices.getUserMedia(wished()).catch(() => null);
    if (next === null) return;
    if (closing.signal.aborted) {
      for (const track of next.getTracks()) track.stop();
      return;
    }
    source.disconnect();
    for (const track of stream.getTracks()) track.stop();
    stream = next;
    source = context.createMediaStreamSource(stream);
    connect();
  };
  const look = () => {
    const nowMs = Date.now();
    if (nowMs - lastMs < STALLED_MS) return;
    setStalled(true);
    if (nowMs - triedMs < AGAIN_AFTER_MS) return;
    triedMs = nowMs;
    void restart();
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  document.addEventListener('visibilitychange', look, { signal: closing.signal });

  return {
    settings: settingsOf(stream.getAudioTracks()[0]),
    /** Source of the live spectrogram. */
    analyser,
    context,
    async close() {
      closing.abort();
      clearInterval(timer);
      for (const track of stream.getTracks()) track.stop();
      capture.port.close();
      await context.close();
    },
  };
}

export type Microphone = Awaited<ReturnType<typeof openMicrophone>>;
