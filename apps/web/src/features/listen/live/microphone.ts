import captureUrl from './capture-worklet.ts?worker&url';

export interface CapturedPiece {
  /** mono, −1…1 */
  readonly samples: Float32Array<ArrayBuffer>;
  /** by the device's clock, when the last of them was captured */
  readonly atMs: number;
}

/** What browsers do to a microphone's sound unless told, and do now and then although told. */
export const ALTERATIONS = ['echoCancellation', 'noiseSuppression', 'autoGainControl'] as const;

/** What the device does otherwise than it was asked to. */
export interface MicrophoneSettings {
  readonly alterations: readonly (typeof ALTERATIONS)[number][];
  /** Hz, where it is lower than wished; null where it is not or is not told */
  readonly lowerSampleRate: number | null;
}

export interface Microphone {
  readonly settings: MicrophoneSettings;
  /** For the picture: what it hears just now. */
  readonly analyser: AnalyserNode;
  readonly context: AudioContext;
  close(): Promise<void>;
}

export const SAMPLE_RATE = 48_000;
/** Without samples for so long, it is asked for again. */
const STALLED_MS = 3000;
const LOOK_EVERY_MS = 500;
/** Between two attempts to get it again. */
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
  /** It gives nothing, or gives something again. */
  readonly onStall: (isStalled: boolean) => void;
}

/**
 * Opens the microphone. It is asked for again when nothing has come for three seconds, as after a call or when it was unplugged.
 *
 * @throws DOMException `NotAllowedError`, `NotFoundError`, `NotReadableError` …, as `getUserMedia` does
 */
export async function openMicrophone({ onPiece, onStall }: Listeners): Promise<Microphone> {
  let stream = await navigator.mediaDevices.getUserMedia(wished());
  // At this rate the browser resamples by itself, as well as a converter of sound cards.
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
  /** A microphone that was taken away goes on as silence, which is none. */
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
