import type { BirdReview } from '@chiffchaff/contract';
import { createStore } from '../../../platform/browser/store.ts';
import type { Span } from '../../../platform/format/format.ts';
import type {
  DeviceAnswer,
  DeviceProgress,
  DeviceQuestion,
  DeviceRecognizer,
} from '../../../platform/on-device/device-recognizer.ts';
import { openRecorder, type Recorder } from '../../../platform/recording/recorder.ts';
import type { RecorderFailure } from '../../../platform/recording/recorder-messages.ts';
import { fileNameOf, type SessionNotes } from '../../../platform/recording/sessions.ts';
import { firstHeader, toPcm, wholeWave } from '../../../platform/recording/wave-file.ts';
import type { DevicePlace } from '../../../platform/storage/device-place.ts';
import type { CapturedPiece } from './capture-worklet.ts';
import { openMicrophone, SAMPLE_RATE } from './microphone.ts';
import { createSampleFeed, type SampleFeed } from './sample-feed.ts';
import { type Call, followRows, recentCalls, type SpeciesRow } from './species-rows.ts';

/** What the screen shows of a session, as it is at first. */
const atFirst = {
  /** whole seconds */
  recordedSeconds: 0,
  /** The recogniser loads, or analyses what was recorded meanwhile. No names are shown yet. */
  isCatchingUp: true,
  rows: [] as readonly SpeciesRow[],
  /** of the last seconds */
  calls: [] as readonly Call[],
  /** The device cannot keep up, so it skips every other clip. */
  isBehind: false,
  /** The microphone delivers nothing at the moment. */
  isStalled: false,
  /** What is wrong with the input level; null if nothing is. */
  levelFault: null as 'clipped' | 'quiet' | null,
  /** Why audio is no longer stored. */
  failure: null as RecorderFailure | null,
  /** Species that is being played, or `ANOTHER_SOUND`; recognition ignores the microphone meanwhile. */
  playing: null as string | null,
  reviews: [] as SessionNotes['reviews'],
  missing: [] as SessionNotes['gaps'],
  /** The recogniser failed; the recording continues. */
  hasFailed: false,
  /** The maximum length has been recorded. */
  isFull: false,
};
export type LiveState = Readonly<typeof atFirst>;

/** Step for a device that cannot keep up, which analyses half of the clips. */
const SLOW_STEP_SECONDS = 3;
const STEP_SECONDS = 1.5;
/** If a clip takes more than this share of the step, the device would fall behind as soon as it has something else to do. */
const KEEPS_UP_SHARE = 0.8;
/** Growth of the backlog beyond which the device counts as not keeping up. */
const MOST_BEHIND_SECONDS = 6;
/** Names are as good as live when no more than this waits. */
const CAUGHT_UP_SECONDS = 1;
export const MOST_SECONDS = 3 * 3600;
const MOMENT_SECONDS = 6;
/** Stands for a sound that plays in the sheet of a bird. */
const ANOTHER_SOUND = '';
/** When the recording has fallen this far behind the clock, sound is missing. */
const GAP_SECONDS = 0.5;
/** A longer gap is left out, as during a call; a shorter one becomes silence, so that the times of birds stay true. */
const MOST_SILENCE_SECONDS = 5;
/** From this level on, a sample counts as clipped, which is said for so long. */
const [CLIPPED_FROM, CLIPPED_SECONDS] = [0.99, 3];
/** −50 dB: below this, faint birds are lost in the microphone's own noise. Silence between two birds is normal. */
const [QUIET_BELOW, QUIET_AFTER_SECONDS] = [0.003, 8];
/** Maximum share of the time spent on computing the prediction so far. */
const ANSWER_SHARE = 0.1;

interface Tools {
  readonly openMicrophone?: typeof openMicrophone;
  readonly openRecorder?: typeof openRecorder;
}

/** One analysis of the audio from a certain time on. */
interface Run {
  readonly offsetSeconds: number;
  readonly feed: SampleFeed;
  readonly controller: AbortController;
  /** null if it was cancelled or failed */
  readonly answer: Promise<DeviceAnswer | null>;
}

/**
 * Opens the microphone first: what is heard while the recogniser loads is kept, and analysed as soon as it can be.
 *
 * @throws DOMException as `openMicrophone`
 */
export async function startLiveSession(
  openRecognizer: () => Promise<DeviceRecognizer>,
  question: DeviceQuestion,
  place: DevicePlace | null,
  { openMicrophone: open = openMicrophone, openRecorder: record = openRecorder }: Tools = {},
) {
  const store = createStore<LiveState>(atFirst);
  const change = (part: Partial<LiveState>) => store.set({ ...store.snapshot(), ...part });

  const listeners = new Set<(piece: Float32Array) => void>();
  let recorder: Recorder | null = null;
  let samples = 0;
  /** When the recording began, by the device's clock; later by what was left out. */
  let beganMs: number | null = null;
  let loudest = 0;
  let clippedAt = Number.NEGATIVE_INFINITY;
  let audibleAt = 0;
  let asked = question;
  let notes: SessionNotes = { sampleRate: SAMPLE_RATE, place, gaps: [], played: [], reviews: [], answer: null };
  let run: Run | null = null;
  let hasRestarted = false;
  let stepSeconds = STEP_SECONDS;
  let isClosing = false;
  let nextAnswerMs = 0;
  let player: { readonly stop: () => void; readonly fromSeconds: number } | null = null;

  const seconds = () => samples / SAMPLE_RATE;
  const note = (part: Partial<SessionNotes>) => {
    notes = { ...notes, ...part };
    recorder?.note(notes);
  };

  const slowDown = () => {
    stepSeconds = SLOW_STEP_SECONDS;
    change({ isBehind: true });
  };
  const hasCaughtUp = (feed: SampleFeed): boolean => {
    const { isCatchingUp } = store.snapshot();
    const isLate = feed.waiting() > CAUGHT_UP_SECONDS * SAMPLE_RATE;
    if (isCatchingUp && !isLate) change({ isCatchingUp: false });
    return !isCatchingUp || !isLate;
  };

  const follow = async ({ offsetSeconds, controller, feed }: Omit<Run, 'answer'>, progress: DeviceProgress) => {
    if (!hasCaughtUp(feed) || performance.now() < nextAnswerMs) return;
    nextAnswerMs = Number.POSITIVE_INFINITY;
    const beganMs = performance.now();
    try {
      const detections = progress.detectionsSoFar();
      const { prediction: answer, justHeard } = await progress.answerSoFar(asked);
      if (controller.signal.aborted) return;
      const analysedSeconds = offsetSeconds + progress.analysedSeconds;
      const update = { detections, answer, justHeard, offsetSeconds, analysedSeconds };
      const rows = followRows(store.snapshot().rows, update);
      change({ rows, calls: recentCalls(rows, update) });
    } finally {
      const nowMs = performance.now();
      nextAnswerMs = nowMs + (nowMs - beganMs) / ANSWER_SHARE;
    }
  };

  const startRun = (): Run => {
    const feed = createSampleFeed();
    const controller = new AbortController();
    const begun = { offsetSeconds: seconds(), feed, controller };
    const analyse = async (): Promise<DeviceAnswer | null> => {
      try {
        const ready = await recognizer;
        if (ready.msPerClip >= KEEPS_UP_SHARE * 1000 * STEP_SECONDS) slowDown();
        hasCaughtUp(feed);
        return await ready.analyse(feed, {
          question: asked,
          recording: { fileName: null, container: 'wav', codec: 'pcm_s16le', sampleRate: SAMPLE_RATE, channels: 1 },
          clipStepSeconds: stepSeconds,
          signal: controller.signal,
          onProgress: (progress) => void follow(begun, progress).catch(() => {}), // the next clip tries again
        });
      } catch {
        if (controller.signal.aborted) return null;
        run = null;
        change({ hasFailed: true, isCatchingUp: false });
        return null;
      }
    };
    return { ...begun, answer: analyse() };
  };

  /** Drops the backlog and restarts the analysis from now: late names are useless, and the whole recording is analysed afterwards. */
  const catchUp = async (late: Run) => {
    run = null;
    hasRestarted = true;
    slowDown();
    late.controller.abort();
    await late.answer;
    if (!isClosing) run = startRun();
  };

  const silence = (piece: Float32Array) => (player ? new Float32Array(piece.length) : piece);

  const keep = (piece: Float32Array) => {
    let peak = 0;
    for (const sample of piece) peak = Math.max(peak, Math.abs(sample));
    loudest = Math.max(loudest * 0.9, peak);
    samples += piece.length;
    if (peak >= CLIPPED_FROM) clippedAt = seconds();
    if (peak >= QUIET_BELOW) audibleAt = seconds();
    const isClipped = seconds() - clippedAt < CLIPPED_SECONDS;
    const levelFault = isClipped ? 'clipped' : seconds() - audibleAt > QUIET_AFTER_SECONDS ? 'quiet' : null;
    if (levelFault !== store.snapshot().levelFault) change({ levelFault });
    for (const listen of listeners) listen(piece);
    if (run) {
      run.feed.push(silence(piece));
      if (run.feed.grown() > MOST_BEHIND_SECONDS * SAMPLE_RATE) void catchUp(run);
    }
    recorder?.add(piece.slice());
    const whole = Math.floor(seconds());
    if (whole !== store.snapshot().recordedSeconds) change({ recordedSeconds: whole });
  };

  const take = ({ samples: piece, atMs }: CapturedPiece) => {
    if (isClosing || !recorder) return;
    if (seconds() >= MOST_SECONDS) {
      if (!store.snapshot().isFull) change({ isFull: true });
      return;
    }
    const dueMs = 1000 * (seconds() + piece.length / SAMPLE_RATE);
    beganMs ??= atMs - dueMs;
    const missingSeconds = (atMs - beganMs - dueMs) / 1000;
    if (missingSeconds > GAP_SECONDS) {
      note({ gaps: [...notes.gaps, { atSeconds: seconds(), missingSeconds }] });
      change({ missing: notes.gaps });
      if (missingSeconds > MOST_SILENCE_SECONDS) beganMs += 1000 * missingSeconds;
      else keep(new Float32Array(Math.round(missingSeconds * SAMPLE_RATE)));
    }
    keep(piece);
  };

  const opening = open({ onPiece: take, onStall: (isStalled) => change({ isStalled }) });
  const recognizer = openRecognizer();
  recognizer.catch(() => {}); // said by the run, once the microphone is open
  const microphone = await opening;
  recorder = record(new Date(), SAMPLE_RATE);
  const opened = recorder;
  opened.failure.subscribe(() => change({ failure: opened.failure.snapshot() }));
  opened.note(notes);
  run = startRun();

  const endPlaying = () => {
    if (!player) return;
    const { stop, fromSeconds } = player;
    player = null;
    stop();
    microphone.setPlaying(false);
    note({ played: [...notes.played, { startSeconds: fromSeconds, endSeconds: seconds() }] });
    change({ playing: null });
  };

  const beginPlaying = (playing: string, stop: () => void) => {
    endPlaying();
    player = { stop, fromSeconds: seconds() };
    microphone.setPlaying(true);
    change({ playing });
    return player;
  };

  /** The place may have changed since the start. */
  const inPlace = async (answer: DeviceAnswer): Promise<DeviceAnswer> =>
    asked === question ? answer : { ...answer, prediction: await answer.reconsider(asked).catch(() => answer.prediction) };

  return {
    snapshot: store.snapshot,
    subscribe: store.subscribe,
    microphone,
    /** Passes on all sound from now on. @returns ends that */
    onSound(listen: (piece: Float32Array) => void) {
      listeners.add(listen);
      return () => void listeners.delete(listen);
    },
    /** Recent peak, 0–1. */
    peak: () => loudest,
    /** Sets place and names, also for what has already been heard. */
    ask(next: DeviceQuestion, nextPlace: DevicePlace | null) {
      asked = next;
      note({ place: nextPlace });
    },
    /** Plays the best part of a species, or one of its calls; a second call stops it. */
    async play({ scientificName, best }: Pick<SpeciesRow, 'scientificName' | 'best'>) {
      const wasPlaying = store.snapshot().playing;
      endPlaying();
      if (wasPlaying === scientificName || isClosing) return;
      const sound = await opened.read(best.startSeconds, best.endSeconds);
      if (isClosing || sound.length === 0) return;
      const context = microphone.context();
      const buffer = context.createBuffer(1, sound.length, SAMPLE_RATE);
      buffer.copyToChannel(sound, 0);
      const source = new AudioBufferSourceNode(context, { buffer });
      source.connect(context.destination);
      const begun = beginPlaying(scientificName, () => source.stop());
      source.addEventListener('ended', () => player === begun && endPlaying());
      source.start();
    },
    /** Recognition ignores the microphone while the page plays something else. */
    hush(isPlaying: boolean) {
      if (isPlaying) beginPlaying(ANOTHER_SOUND, () => {});
      else if (store.snapshot().playing === ANOTHER_SOUND) endPlaying();
    },
    /** Notes what the person says of a bird; the same again takes it back. */
    review({ scientificName, commonName }: Pick<SpeciesRow, 'scientificName' | 'commonName'>, verdict: 'confirmed' | 'rejected') {
      const before = notes.reviews.find((said) => said.scientificName === scientificName);
      const said: BirdReview = {
        scientificName,
        commonName,
        verdict,
        to: null,
        toCommonName: null,
        at: new Date().toISOString(),
      };
      const others = notes.reviews.filter((one) => one !== before);
      note({ reviews: before?.verdict === verdict ? others : [...others, said] });
      change({ reviews: notes.reviews });
    },
    /** A stretch of the recording as a file, without the place; null if nothing is stored. @param span default: the last seconds */
    async moment(span: Span = { startSeconds: Math.max(0, seconds() - MOMENT_SECONDS), endSeconds: seconds() }) {
      const beganAt = new Date(Date.now() - 1000 * (seconds() - span.startSeconds));
      const sound = await opened.read(span.startSeconds, span.endSeconds);
      if (sound.length === 0) return null;
      const written = new Blob([firstHeader(SAMPLE_RATE), toPcm(sound)]);
      return wholeWave(written, SAMPLE_RATE, fileNameOf(beganAt), { startedAt: beganAt, place: null });
    },
    /** @returns the id under which its audio is stored, and its answer; null if that is still to be analysed, because not everything was */
    async stop() {
      isClosing = true;
      endPlaying();
      const last = run;
      last?.feed.end();
      await microphone.close();
      // The recogniser may still be loading, and the device turn out to be slow.
      const isWhole = () => !hasRestarted && stepSeconds === STEP_SECONDS && !store.snapshot().hasFailed;
      if (!isWhole()) last?.controller.abort();
      const live = (await last?.answer) ?? null;
      const answer = isWhole() && live !== null ? await inPlace(live) : null;
      if (answer !== null) note({ answer: { prediction: answer.prediction, speech: answer.speech } });
      await opened.close();
      return { answer, sessionId: opened.id };
    },
  };
}

export type LiveSession = Awaited<ReturnType<typeof startLiveSession>>;
