import { createResampler } from '../../../platform/decoding/resample.ts';
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

/** Passes on what a stream delivers, at `SAMPLE_RATE`, and says nothing while its track is muted or has ended: those zeros are not silence. */
async function openGraph(stream: MediaStream, onPiece: Listeners['onPiece']) {
  const { context, source } = connectTo(stream);
  const close = async () => {
    for (const track of stream.getTracks()) track.stop();
    await context.close();
  };
  const resampler = createResampler(context.sampleRate, SAMPLE_RATE);
  try {
    if (resampler === null) throw new DOMException(`${context.sampleRate} Hz is an unusual rate`, 'NotSupportedError');
    await context.audioWorklet.addModule(captureUrl);
  } catch (error) {
    await close();
    throw error;
  }
  void context.resume().catch(() => {}); // after an interruption it may begin suspended
  const capture = new AudioWorkletNode(context, 'capture', {
    numberOfOutputs: 0,
    channelCount: 1,
    channelCountMode: 'explicit',
  });
  source.connect(capture);
  const isAlive = () => stream.getAudioTracks().some((track) => track.readyState === 'live' && !track.muted);
  capture.port.addEventListener('message', ({ data: { samples, atMs } }: MessageEvent<CapturedPiece>) => {
    if (isAlive()) onPiece({ samples: resampler.push(samples).slice(), atMs });
  });
  capture.port.start();
  return {
    context,
    async close() {
      capture.port.close();
      await close();
    },
  };
}

/** The browser resamples to our rate as well as a sound card's converter does; Firefox refuses to, unless the microphone has that rate. */
function connectTo(stream: MediaStream) {
  const context = new AudioContext({ sampleRate: SAMPLE_RATE, latencyHint: 'balanced' });
  try {
    return { context, source: context.createMediaStreamSource(stream) };
  } catch {
    void context.close();
    const own = new AudioContext({ latencyHint: 'balanced' });
    return { context: own, source: own.createMediaStreamSource(stream) };
  }
}

/**
 * Opens the microphone. Opens it again, with everything that hangs on it, when nothing has arrived for three seconds, as after a phone call
 * or when it was unplugged.
 *
 * @throws DOMException `NotAllowedError`, `NotFoundError`, `NotReadableError` …, as `getUserMedia` does
 */
export async function openMicrophone({ onPiece, onStall }: Listeners) {
  const closing = new AbortController();
  let lastMs = Date.now();
  let triedMs = 0;
  let isStalled = false;
  const setStalled = (next: boolean) => {
    if (isStalled === next) return;
    isStalled = next;
    onStall(next);
  };
  const take = (piece: CapturedPiece) => {
    lastMs = Date.now();
    setStalled(false);
    onPiece(piece);
  };
  const stream = await navigator.mediaDevices.getUserMedia(wished());
  let graph = await openGraph(stream, take);

  const restart = async () => {
    const next = await navigator.mediaDevices.getUserMedia(wished());
    const opened = await openGraph(next, take);
    if (closing.signal.aborted) return opened.close();
    const before = graph;
    graph = opened;
    await before.close();
  };
  const look = () => {
    const nowMs = Date.now();
    if (nowMs - lastMs < STALLED_MS) return;
    setStalled(true);
    if (nowMs - triedMs < AGAIN_AFTER_MS) return;
    triedMs = nowMs;
    void restart().catch(() => {}); // tried again
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  document.addEventListener('visibilitychange', look, { signal: closing.signal });

  return {
    settings: settingsOf(stream.getAudioTracks()[0]),
    /** The one that captures at present; also for playing. */
    context: () => graph.context,
    async close() {
      closing.abort();
      clearInterval(timer);
      await graph.close();
    },
  };
}

export type Microphone = Awaited<ReturnType<typeof openMicrophone>>;
