import { createResampler } from '../../../platform/decoding/resample.ts';
import type { CapturedPiece } from './capture-worklet.ts';
import captureUrl from './capture-worklet.ts?worker&url';

/** Processing that browsers apply to a microphone by default, and sometimes even if told not to. */
const ALTERATIONS = ['echoCancellation', 'noiseSuppression', 'autoGainControl'] as const;

export const SAMPLE_RATE = 48_000;
/** The microphone has stalled after this long without samples. */
const STALLED_MS = 3000;
const LOOK_EVERY_MS = 500;
/** Delay between two attempts to mend it. */
const AGAIN_AFTER_MS = 2000;

/** What the page can see of its microphone. */
export interface Observed {
  readonly context: AudioContextState;
  readonly track: 'live' | 'muted' | 'ended';
  readonly isHidden: boolean;
  /** since the last samples */
  readonly silentMs: number;
  /** since the last attempt to mend it */
  readonly sinceTryMs: number;
}

/**
 * What to do next. `wait`: nothing, it works · `stalled`: nothing yet · `reopen`: open it anew, with everything that hangs on it. After a
 * phone call, iOS calls a context *running* whose time stands still, so a context is resumed at most once, and only if it is suspended. A
 * hidden page gets back nothing that the system has taken from it.
 */
export function nextStep({ context, track, isHidden, silentMs, sinceTryMs }: Observed): 'wait' | 'stalled' | 'resume' | 'reopen' {
  if (silentMs < STALLED_MS) return 'wait';
  const isTaken = context === 'interrupted' || track === 'muted';
  if (sinceTryMs < AGAIN_AFTER_MS || (isHidden && isTaken)) return 'stalled';
  const isFirstTry = silentMs < STALLED_MS + AGAIN_AFTER_MS;
  return context === 'suspended' && track === 'live' && isFirstTry ? 'resume' : 'reopen';
}

/** Where it exists (iOS): how the system treats sound. Played while it records, it would have the volume and quality of a phone call. */
function setAudioSession(type: 'auto' | 'play-and-record' | 'playback'): void {
  const { audioSession } = navigator as { readonly audioSession?: { type: string } };
  if (audioSession) audioSession.type = type;
}

const wished = (): MediaStreamConstraints => ({
  audio: {
    echoCancellation: false,
    noiseSuppression: false,
    autoGainControl: false,
    channelCount: { ideal: 1 },
    sampleRate: { ideal: SAMPLE_RATE },
  },
});

/** Where the device ignores the requested settings. */
function settingsOf(track: MediaStreamTrack | undefined) {
  const settings = track?.getSettings() ?? {};
  const { sampleRate = SAMPLE_RATE } = settings;
  return {
    alterations: ALTERATIONS.filter((name) => settings[name] === true),
    /** Hz, if it is lower than requested; null if it is not, or is not known */
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
  const trackState = (): Observed['track'] => {
    const [track] = stream.getAudioTracks();
    return track?.readyState !== 'live' ? 'ended' : track.muted ? 'muted' : 'live';
  };
  capture.port.addEventListener('message', ({ data: { samples, atMs } }: MessageEvent<CapturedPiece>) => {
    if (trackState() === 'live') onPiece({ samples: resampler.push(samples).slice(), atMs });
  });
  capture.port.start();
  return {
    context,
    trackState,
    async close() {
      capture.port.close();
      await close();
    },
  };
}

/**
 * The browser resamples to our rate as well as a sound card's converter does; Firefox refuses to, unless the microphone has that rate. With a
 * longer buffer, a busy device loses no less: it puts silence there, and the clock no longer shows what is missing.
 */
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
 * Opens the microphone, and mends it when nothing has arrived for three seconds, as after a phone call or when it was unplugged.
 *
 * @throws DOMException `NotAllowedError`, `NotFoundError`, `NotReadableError` …, as `getUserMedia` does
 */
export async function openMicrophone({ onPiece, onStall }: Listeners) {
  const closing = new AbortController();
  let lastMs = Date.now();
  let triedMs = 0;
  let isStalled = false;
  let isPlaying = false;
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
    if (isPlaying) lastMs = nowMs;
    const { context, trackState } = graph;
    const step = nextStep({
      ...{ context: context.state, track: trackState(), isHidden: document.hidden },
      ...{ silentMs: nowMs - lastMs, sinceTryMs: nowMs - triedMs },
    });
    if (step === 'wait') return;
    setStalled(true);
    if (step === 'stalled') return;
    triedMs = nowMs;
    void (step === 'resume' ? context.resume() : restart()).catch(() => {}); // tried again
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  document.addEventListener('visibilitychange', look, { signal: closing.signal });

  return {
    settings: settingsOf(stream.getAudioTracks()[0]),
    /** The one that captures at present; also for playing. */
    context: () => graph.context,
    /** Tells whether the page plays: iOS then records nothing, and that is no fault. */
    setPlaying(next: boolean) {
      isPlaying = next;
      setAudioSession(next ? 'playback' : 'play-and-record');
    },
    async close() {
      setAudioSession('auto');
      closing.abort();
      clearInterval(timer);
      await graph.close();
    },
  };
}

export type Microphone = Awaited<ReturnType<typeof openMicrophone>>;
