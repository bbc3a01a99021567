import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CapturedPiece } from './capture-worklet.ts';
import { nextStep, type Observed, openMicrophone } from './microphone.ts';

const track = { readyState: 'live', muted: false, stop: vi.fn(), getSettings: () => ({}) };
const stream = { getTracks: () => [track], getAudioTracks: () => [track] };
/** Of each graph that was opened: its rate, and how to deliver a piece as its worklet would. */
let graphs: { readonly sampleRate: number; closed: boolean; readonly give: (piece: CapturedPiece) => void }[];
/** Rates at which the browser connects the microphone. */
let rates: readonly number[];
let contextState: AudioContextState;
const resume = vi.fn(async () => {});

beforeEach(() => {
  graphs = [];
  rates = [48_000];
  contextState = 'running';
  vi.stubGlobal(
    'AudioContext',
    class {
      readonly sampleRate: number;
      readonly audioWorklet = { addModule: async () => {} };
      closed = false;
      constructor({ sampleRate = 44_100 }: { sampleRate?: number }) {
        this.sampleRate = sampleRate;
      }
      createMediaStreamSource() {
        if (!rates.includes(this.sampleRate)) throw new DOMException('another rate', 'NotSupportedError');
        return { connect: () => {} };
      }
      get state() {
        return contextState;
      }
      resume = resume;
      async close() {
        const graph = graphs.find(({ sampleRate, closed }) => sampleRate === this.sampleRate && !closed);
        if (graph) graph.closed = true;
      }
    },
  );
  vi.stubGlobal(
    'AudioWorkletNode',
    class {
      readonly port: { readonly addEventListener: unknown; readonly start: () => void; readonly close: () => void };
      constructor({ sampleRate }: { sampleRate: number }) {
        const addEventListener = (_: string, listen: (event: { data: CapturedPiece }) => void) =>
          graphs.push({ sampleRate, closed: false, give: (data) => listen({ data }) });
        this.port = { addEventListener, start: () => {}, close: () => {} };
      }
    },
  );
  Object.defineProperty(navigator, 'mediaDevices', { value: { getUserMedia: async () => stream }, configurable: true });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  Reflect.deleteProperty(navigator, 'mediaDevices');
});

const tone = (sampleRate: number) =>
  Float32Array.from({ length: sampleRate / 10 }, (_, n) => Math.sin((2 * Math.PI * 1000 * n) / sampleRate));

describe('The microphone of live listening', () => {
  it('is opened at its own rate where the browser refuses another, and resampled', async () => {
    rates = [44_100];
    const pieces: Float32Array[] = [];
    const microphone = await openMicrophone({ onPiece: ({ samples }) => pieces.push(samples), onStall: () => {} });
    expect(graphs.map(({ sampleRate }) => sampleRate)).toEqual([44_100]);
    graphs[0]?.give({ samples: tone(44_100), atMs: 0 });
    graphs[0]?.give({ samples: tone(44_100), atMs: 100 });
    const given = pieces.reduce((sum, { length }) => sum + length, 0);
    expect(given).toBeGreaterThan(9000);
    expect(given).toBeLessThanOrEqual(9600);
    expect(pieces[0]).not.toBe(pieces[1]);
    await microphone.close();
  });

  it('is opened anew when it delivers nothing, which is reported until it delivers again', async () => {
    vi.useFakeTimers();
    const stalls: boolean[] = [];
    const microphone = await openMicrophone({ onPiece: () => {}, onStall: (isStalled) => stalls.push(isStalled) });
    await vi.advanceTimersByTimeAsync(3500);
    expect(stalls).toEqual([true]);
    expect(graphs).toHaveLength(2);
    expect(graphs[0]?.closed).toBe(true);
    graphs[1]?.give({ samples: tone(48_000), atMs: 0 });
    expect(stalls).toEqual([true, false]);
    await microphone.close();
  });

  it('is first resumed when it has been suspended, and opened anew if that does not help', async () => {
    vi.useFakeTimers();
    const microphone = await openMicrophone({ onPiece: () => {}, onStall: () => {} });
    contextState = 'suspended';
    resume.mockClear();
    await vi.advanceTimersByTimeAsync(3500);
    expect([resume.mock.calls.length, graphs.length]).toEqual([1, 1]);
    await vi.advanceTimersByTimeAsync(2000);
    expect(graphs).toHaveLength(2);
    await microphone.close();
  });

  it('is not opened anew while iOS plays a sound instead of recording, and records again afterwards', async () => {
    vi.useFakeTimers();
    const audioSession = { type: 'auto' };
    vi.stubGlobal('navigator', Object.assign(Object.create(navigator), { audioSession }));
    const onStall = vi.fn();
    const microphone = await openMicrophone({ onPiece: () => {}, onStall });
    microphone.setPlaying(true);
    expect(audioSession.type).toBe('playback');
    await vi.advanceTimersByTimeAsync(9000);
    expect(graphs).toHaveLength(1);
    microphone.setPlaying(false);
    expect(audioSession.type).toBe('play-and-record');
    await vi.advanceTimersByTimeAsync(2500);
    expect(onStall).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1000);
    expect(graphs).toHaveLength(2);
    await microphone.close();
    expect(audioSession.type).toBe('auto');
  });

  it('passes on nothing while it is muted', async () => {
    const onPiece = vi.fn();
    const microphone = await openMicrophone({ onPiece, onStall: () => {} });
    track.muted = true;
    graphs[0]?.give({ samples: tone(48_000), atMs: 0 });
    expect(onPiece).not.toHaveBeenCalled();
    track.muted = false;
    graphs[0]?.give({ samples: tone(48_000), atMs: 100 });
    expect(onPiece).toHaveBeenCalledTimes(1);
    await microphone.close();
  });
});

describe('The next step with the microphone of live listening', () => {
  const heard: Observed = { context: 'running', track: 'live', isHidden: false, silentMs: 100, sinceTryMs: 1e9 };
  const silent = { ...heard, silentMs: 3500 };
  it.each<[step: ReturnType<typeof nextStep>, when: string, Observed]>([
    ['wait', 'it delivers samples', heard],
    ['wait', 'it delivers samples to a hidden page', { ...heard, isHidden: true }],
    ['wait', 'it was reopened a moment ago', { ...heard, sinceTryMs: 200 }],
    ['resume', 'its context has been suspended', { ...silent, context: 'suspended' }],
    ['resume', 'its context has been suspended in a hidden page', { ...silent, context: 'suspended', isHidden: true }],
    ['stalled', 'resuming has just been tried', { ...silent, context: 'suspended', sinceTryMs: 500 }],
    ['reopen', 'resuming did not help', { ...silent, context: 'suspended', silentMs: 5500, sinceTryMs: 2000 }],
    ['reopen', 'its context claims to run, but its time stands still', silent],
    ['reopen', 'its context has been interrupted', { ...silent, context: 'interrupted' }],
    [
      'stalled',
      'its context is interrupted and the page hidden, as in a phone call',
      { ...silent, context: 'interrupted', isHidden: true },
    ],
    ['reopen', 'the page is seen again after an interruption', { ...silent, context: 'interrupted', silentMs: 60_000 }],
    ['reopen', 'its context has been closed', { ...silent, context: 'closed' }],
    ['reopen', 'its track has been muted', { ...silent, track: 'muted' }],
    ['stalled', 'its track is muted and the page hidden', { ...silent, track: 'muted', isHidden: true }],
    ['reopen', 'its track has ended, as when it was unplugged', { ...silent, track: 'ended' }],
    ['reopen', 'its track has ended in a hidden page', { ...silent, track: 'ended', isHidden: true }],
    ['reopen', 'its track has ended and its context is suspended', { ...silent, track: 'ended', context: 'suspended' }],
    ['stalled', 'reopening has just been tried', { ...silent, sinceTryMs: 500 }],
  ])('is “%s” when %s', (step, _when, observed) => expect(nextStep(observed)).toBe(step));
});
