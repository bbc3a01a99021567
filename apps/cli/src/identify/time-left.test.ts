import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTimeLeft } from './time-left.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const recording = (path: string, bytes: number) => ({ kind: 'recording', path, shownAs: path, bytes }) as const;
const passed = (seconds: number) => vi.advanceTimersByTime(seconds * 1000);
const analysed = (seconds: number) => ({ seconds, isNew: true });

describe('The time left of `chiffchaff identify`', () => {
  it('is the length of the remaining recordings, estimated by format and file size, at the speed so far', () => {
    const timeLeft = createTimeLeft();
    const wavs = ['a.wav', 'b.WAV', 'c.wav', 'd.wav'].map((name) => recording(name, 1000));
    const flacs = ['e.flac', 'f.flac'].map((name) => recording(name, 500));
    for (const each of [...wavs, ...flacs]) timeLeft.add(each);
    const [first, second] = [wavs[0], flacs[0]];
    if (!first || !second || !wavs[1]) throw new Error('no recordings');
    passed(20);
    timeLeft.done(first, analysed(60));
    // How long a FLAC is, is not known yet.
    expect(timeLeft.seconds(new Map())).toBeNull();
    timeLeft.done(second, analysed(60));
    // 120 s of audio in 20 s; three WAVs and a FLAC of 60 s are left.
    expect(timeLeft.seconds(new Map())).toBe(40);
    // Half of a WAV more: 150 s of audio in 20 s, 210 s are left.
    expect(timeLeft.seconds(new Map([[wavs[1], 0.5]]))).toBe(28);
  });

  it('is unknown for ten seconds, and its speed ignores recordings that failed or that an earlier run analysed', () => {
    const timeLeft = createTimeLeft();
    const all = ['a.wav', 'b.wav', 'c.wav', 'd.wav', 'e.wav'].map((name) => recording(name, 1000));
    const [kept, failed, fresh] = all;
    if (!kept || !failed || !fresh) throw new Error('no recordings');
    for (const each of all) timeLeft.add(each);
    timeLeft.done(kept, { seconds: 60, isNew: false });
    timeLeft.done(failed, { seconds: null, isNew: true });
    passed(9);
    expect(timeLeft.seconds(new Map())).toBeNull();
    timeLeft.done(fresh, analysed(60));
    expect(timeLeft.seconds(new Map())).toBeNull();
    passed(1);
    expect(timeLeft.seconds(new Map())).toBe(20);
  });
});
