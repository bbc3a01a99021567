import { describe, expect, it, vi } from 'vitest';
import { createStore } from '../../../platform/browser/store.ts';
import type {
  DeviceAnalysis,
  DeviceAnswer,
  DeviceProgress,
  DeviceQuestion,
} from '../../../platform/on-device/device-recognizer.ts';
import type { RecorderFailure } from '../../../platform/recording/recorder-messages.ts';
import type { SessionNotes } from '../../../platform/recording/sessions.ts';
import { nothingKnown } from '../../../platform/sending/requested-conditions.ts';
import { fakePrediction } from '../../../testing/fake-data.ts';
import type { CapturedPiece } from './capture-worklet.ts';
import { startLiveSession } from './live-session.ts';
import { type Microphone, SAMPLE_RATE } from './microphone.ts';

const question: DeviceQuestion = {
  ...nothingKnown,
  language: 'en_us',
};
const answer: DeviceAnswer = {
  prediction: fakePrediction(),
  reconsider: async () => fakePrediction({ id: 'worked out again' }),
  speech: [],
};
const turn = () => new Promise((resolve) => setTimeout(resolve));

/** A recogniser that reads samples until it is told to stop, and returns a fixed answer. */
function fakeRecognizer(msPerClip = 80) {
  const analyses: { readonly options: DeviceAnalysis; readonly taken: number[]; isIdle: boolean }[] = [];
  let idle: PromiseWithResolvers<void> | null = null;
  return {
    analyses,
    stopTaking: () => {
      idle = Promise.withResolvers();
    },
    takeAgain: () => {
      idle?.resolve();
      idle = null;
    },
    recognizer: {
      sampleRate: SAMPLE_RATE,
      msPerClip,
      close: () => {},
      async analyse(samples: AsyncIterable<Float32Array>, options: DeviceAnalysis) {
        const analysis = { options, taken: [] as number[], isIdle: false };
        analyses.push(analysis);
        const aborted = new Promise<never>((_, reject) =>
          options.signal?.addEventListener('abort', () => reject(new DOMException('enough', 'AbortError'))),
        );
        const work = async () => {
          for await (const piece of samples) {
            analysis.taken.push(piece.reduce((sum, sample) => sum + sample, 0) / piece.length);
            await idle?.promise;
          }
          return answer;
        };
        return await Promise.race([work(), aborted]);
      },
    },
  };
}

async function start(fake = fakeRecognizer(), loaded: Promise<unknown> = Promise.resolve()) {
  let give: (piece: CapturedPiece) => void = () => {};
  let stall: (isStalled: boolean) => void = () => {};
  let atMs = 1_000_000;
  const recorded: number[] = [];
  const noted: SessionNotes[] = [];
  const failure = createStore<RecorderFailure | null>(null);
  const sources: EventTarget[] = [];
  vi.stubGlobal(
    'AudioBufferSourceNode',
    class extends EventTarget {
      constructor() {
        super();
        sources.push(this);
      }
      connect() {}
      start() {}
      stop() {}
    },
  );
  const context = { createBuffer: () => ({ copyToChannel: () => {} }), destination: {} };
  const microphone = { settings: {}, context: () => context, setPlaying: vi.fn(), close: vi.fn(async () => {}) };
  const session = await startLiveSession(() => loaded.then(() => fake.recognizer), question, null, {
    async openMicrophone({ onPiece, onStall }) {
      [give, stall] = [onPiece, onStall];
      return microphone as unknown as Microphone;
    },
    openRecorder: () => ({
      id: 'a session',
      failure,
      add: (samples) => void recorded.push(samples.length),
      note: (notes) => void noted.push(notes),
      read: async (startSeconds, endSeconds) => new Float32Array(SAMPLE_RATE * Math.ceil(endSeconds - startSeconds)),
      close: async () => {},
    }),
  });
  await turn();
  /** Delivers audio in pieces of half a second, after a pause of `pausedMs`. */
  const hear = async (seconds: number, { level = 0.5, pausedMs = 0 } = {}) => {
    atMs += pausedMs;
    for (let half = 0; half < 2 * seconds; half += 1) {
      atMs += 500;
      give({ samples: new Float32Array(SAMPLE_RATE / 2).fill(level), atMs });
    }
    await turn();
  };
  return { ...fake, session, hear, stall: (is: boolean) => stall(is), recorded, noted, failure, sources, microphone };
}

const progressOf = (analysedSeconds: number, answerSoFar: DeviceProgress['answerSoFar']): DeviceProgress => ({
  analysedSeconds,
  detectionsSoFar: () => [
    { scientificName: 'Phylloscopus collybita', commonName: 'Common Chiffchaff', startSeconds: 3, endSeconds: 9, score: 0.9 },
  ],
  answerSoFar,
});

describe('Live listening', () => {
  it('records and analyses what the microphone gives, and ends with the result', async () => {
    const { session, hear, analyses, recorded, noted, microphone } = await start();
    await hear(4);
    expect(session.snapshot()).toMatchObject({ recordedSeconds: 4, isBehind: false, missing: [] });
    expect(recorded).toHaveLength(8);
    expect(analyses[0]?.taken).toHaveLength(8);
    expect(analyses[0]?.options.clipStepSeconds).toBe(1.5);
    expect(await session.stop()).toEqual({ answer, sessionId: 'a session' });
    expect(noted.at(-1)?.answer).toEqual({ prediction: answer.prediction, speech: [] });
    expect(microphone.close).toHaveBeenCalled();
  });

  it('shows the birds heard so far, for the present place', async () => {
    const { session, analyses } = await start();
    const asked: unknown[] = [];
    const answerSoFar = async (by?: DeviceQuestion) => {
      asked.push(by?.place?.latitude);
      return { prediction: fakePrediction(), justHeard: [] };
    };
    const place = { latitude: 50.8, longitude: 12.9 };
    session.ask({ ...question, place }, { kind: 'place', ...place, name: '' });
    analyses[0]?.options.onProgress?.(progressOf(9, answerSoFar));
    await turn();
    expect(asked).toEqual([50.8]);
    const { answer: ended } = await session.stop();
    expect(ended?.prediction.id).toBe('worked out again');
    expect(session.snapshot().rows).toMatchObject([{ commonName: 'Common Chiffchaff', lastSeconds: 9 }]);
  });

  it('analyses every other clip instead of falling behind, and computes the result from the recording', async () => {
    const fake = fakeRecognizer();
    const { session, hear, analyses, noted } = await start(fake);
    fake.stopTaking();
    await hear(8);
    await turn();
    expect(session.snapshot().isBehind).toBe(true);
    expect(analyses).toHaveLength(2);
    expect(analyses[0]?.options.signal?.aborted).toBe(true);
    expect(analyses[1]?.options.clipStepSeconds).toBe(3);
    expect((await session.stop()).answer).toBeNull();
    expect(noted.at(-1)?.answer).toBeNull();
  });

  it('keeps what is heard while the recogniser loads, and analyses it as soon as the recogniser is ready', async () => {
    const loading = Promise.withResolvers<void>();
    const { session, hear, analyses, recorded } = await start(fakeRecognizer(), loading.promise);
    await hear(10);
    expect(session.snapshot()).toMatchObject({ recordedSeconds: 10, isCatchingUp: true, isBehind: false });
    expect(recorded).toHaveLength(20);
    expect(analyses).toHaveLength(0);
    loading.resolve();
    await turn();
    expect(analyses[0]?.taken).toHaveLength(20);
    expect((await session.stop()).answer).toEqual(answer);
  });

  it('names no bird before everything heard while the recogniser loaded has been analysed', async () => {
    const loading = Promise.withResolvers<void>();
    const fake = fakeRecognizer();
    const { session, hear, analyses } = await start(fake, loading.promise);
    fake.stopTaking();
    await hear(5);
    loading.resolve();
    await turn();
    const ask = vi.fn(async () => ({ prediction: fakePrediction(), justHeard: [] }));
    analyses[0]?.options.onProgress?.(progressOf(3, ask));
    expect(ask).not.toHaveBeenCalled();
    expect(session.snapshot().isCatchingUp).toBe(true);
    fake.takeAgain();
    await turn();
    analyses[0]?.options.onProgress?.(progressOf(4.5, ask));
    expect(ask).toHaveBeenCalled();
    expect(session.snapshot().isCatchingUp).toBe(false);
  });

  it('continues to record when the recogniser does not load, and says so', async () => {
    const { session, hear, recorded } = await start(fakeRecognizer(), Promise.reject(new Error('no model')));
    await hear(2);
    expect(session.snapshot()).toMatchObject({ recordedSeconds: 2, hasFailed: true, isCatchingUp: false });
    expect(recorded).toHaveLength(4);
    expect((await session.stop()).answer).toBeNull();
  });

  it('analyses only every other clip from the start on a slow device', async () => {
    const { session, analyses } = await start(fakeRecognizer(1400));
    expect(session.snapshot().isBehind).toBe(true);
    expect(analyses[0]?.options.clipStepSeconds).toBe(3);
  });

  it('shows and stores the time for which the microphone gave nothing', async () => {
    const { session, hear, stall, noted } = await start();
    await hear(2);
    stall(true);
    expect(session.snapshot().isStalled).toBe(true);
    stall(false);
    await hear(1, { pausedMs: 7000 });
    expect(session.snapshot()).toMatchObject({ isStalled: false, missing: [{ atSeconds: 2, missingSeconds: 7 }] });
    expect(noted.at(-1)?.gaps).toEqual([{ atSeconds: 2, missingSeconds: 7 }]);
  });

  it('puts silence where a busy device lost sound, so that times stay true to the clock, and stores how much is missing', async () => {
    const { session, hear, analyses, recorded, noted } = await start();
    await hear(1);
    for (let second = 0; second < 4; second += 1) await hear(1, { pausedMs: 300 });
    expect(session.snapshot().missing.map(({ missingSeconds }) => missingSeconds)).toEqual([
      expect.closeTo(0.6),
      expect.closeTo(0.6),
    ]);
    expect(noted.at(-1)?.gaps).toEqual(session.snapshot().missing);
    const heardSeconds = 5 + 4 * 0.3;
    expect(recorded.reduce((sum, samples) => sum + samples, 0) / SAMPLE_RATE).toBeCloseTo(heardSeconds);
    expect(analyses[0]?.taken.filter((level) => level === 0)).toHaveLength(2);
  });

  it('does not count audio that arrives late as missing', async () => {
    const { session, hear } = await start();
    await hear(2);
    await hear(1, { pausedMs: 300 });
    await hear(1, { pausedMs: -300 });
    expect(session.snapshot()).toMatchObject({ recordedSeconds: 4, missing: [] });
  });

  it('does not analyse sounds that the device itself plays, but records them and stores when they were played', async () => {
    const { session, hear, analyses, sources, noted, recorded, microphone } = await start();
    analyses[0]?.options.onProgress?.(progressOf(9, async () => ({ prediction: fakePrediction(), justHeard: [] })));
    await turn();
    const [row] = session.snapshot().rows;
    await hear(1);
    if (row) await session.play(row);
    expect(session.snapshot().playing).toBe('Phylloscopus collybita');
    expect(microphone.setPlaying.mock.lastCall).toEqual([true]);
    await hear(2);
    sources[0]?.dispatchEvent(new Event('ended'));
    await hear(1);
    expect(session.snapshot().playing).toBeNull();
    expect(microphone.setPlaying.mock.lastCall).toEqual([false]);
    expect(analyses[0]?.taken).toEqual([0.5, 0.5, 0, 0, 0, 0, 0.5, 0.5]);
    expect(recorded).toHaveLength(8);
    expect(noted.at(-1)?.played).toEqual([{ startSeconds: 1, endSeconds: 3 }]);
  });

  it('analyses nothing while another part of the page plays a sound, even if a bird’s call was playing before', async () => {
    const { session, hear, analyses, sources, noted } = await start();
    await session.play({ scientificName: 'Phylloscopus collybita', best: { startSeconds: 0, endSeconds: 1 } });
    session.hush(true);
    await hear(1);
    sources[0]?.dispatchEvent(new Event('ended'));
    await hear(1);
    session.hush(false);
    await hear(1);
    expect(analyses[0]?.taken).toEqual([0, 0, 0, 0, 0.5, 0.5]);
    expect(noted.at(-1)?.played.at(-1)).toEqual({ startSeconds: 0, endSeconds: 2 });
  });

  it('stores the latest review of each bird, and forgets a review that the user takes back', async () => {
    const { session, noted } = await start();
    const bird = { scientificName: 'Phylloscopus collybita', commonName: 'Common Chiffchaff' };
    session.review(bird, 'rejected');
    session.review(bird, 'confirmed');
    session.review({ scientificName: 'Turdus merula', commonName: 'Eurasian Blackbird' }, 'rejected');
    expect(noted.at(-1)?.reviews).toMatchObject([{ ...bird, verdict: 'confirmed' }, { verdict: 'rejected' }]);
    expect(session.snapshot().reviews).toEqual(noted.at(-1)?.reviews);
    session.review(bird, 'confirmed');
    expect(noted.at(-1)?.reviews).toMatchObject([{ scientificName: 'Turdus merula' }]);
  });

  it('gives the last seconds of the recording as a file that does not contain the place', async () => {
    const { session, hear } = await start();
    session.ask(question, { kind: 'place', latitude: 50.8, longitude: 12.9, name: 'Chemnitz' });
    await hear(2);
    const file = await session.moment();
    expect(file?.name).toMatch(/^\d{4}-\d\d-\d\d \d\d-\d\d-\d\d\.wav$/);
    const text = new TextDecoder('latin1').decode(await file?.arrayBuffer());
    expect(text).toContain('GUANO|Version:1.0');
    expect(text).not.toContain('50.8');
  });

  it('gives a requested part of the recording as a file', async () => {
    const { session, hear } = await start();
    await hear(9);
    const [last, stretch] = [await session.moment(), await session.moment({ startSeconds: 2, endSeconds: 4 })];
    const soundBytes = 2 * 4 * SAMPLE_RATE;
    expect((last?.size ?? 0) - (stretch?.size ?? 0)).toBe(soundBytes);
  });

  it('says that no more audio can be stored, and continues to name birds', async () => {
    const { session, hear, failure } = await start();
    failure.set('full');
    await hear(1);
    expect(session.snapshot()).toMatchObject({ failure: 'full', recordedSeconds: 1 });
  });
});
