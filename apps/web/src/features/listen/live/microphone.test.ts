import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CapturedPiece } from './capture-worklet.ts';
import { openMicrophone } from './microphone.ts';

const track = { readyState: 'live', muted: false, stop: vi.fn(), getSettings: () => ({}) };
const stream = { getTracks: () => [track], getAudioTracks: () => [track] };
/** Of each graph that was opened: its rate, and how to deliver a piece as its worklet would. */
let graphs: { readonly sampleRate: number; closed: boolean; readonly give: (piece: CapturedPiece) => void }[];
/** Rates at which the browser connects the microphone. */
let rates: readonly number[];

beforeEach(() => {
  graphs = [];
  rates = [48_000];
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
      resume = async () => {};
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

describe('The microphone', () => {
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

  it('is opened anew, with everything that hangs on it, when it delivers nothing', async () => {
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
