import type { Prediction } from '@chiffchaff/contract';
import { describe, expect, it } from 'vitest';
import { chooseExcerpts } from './choose-excerpts.ts';

const detection = (startSeconds: number, endSeconds: number, score = 0.9, scientificName = 'Parus major') => ({
  ...{ scientificName, commonName: scientificName, startSeconds, endSeconds, score, confidence: score },
  ...{ occurrence: null, hidden: false },
});
const recording = (durationSeconds: number) => ({
  ...{ fileName: null, sha256: '', container: 'wav', codec: 'pcm_s16le', sampleRate: 48_000, channels: 1, truncated: false },
  durationSeconds,
});
const choose = (durationSeconds: number, ...detections: ReturnType<typeof detection>[]) =>
  chooseExcerpts({ detections, candidates: [], recording: recording(durationSeconds) });
const candidate = (startSeconds: number) =>
  ({ scientificName: 'Parus major', best: { startSeconds, endSeconds: startSeconds + 3 } }) as Prediction['candidates'][number];
const lengthOf = (moments: ReturnType<typeof choose>) =>
  moments.reduce((sum, { startSeconds, endSeconds }) => sum + endSeconds - startSeconds, 0);

describe('The choice of excerpts to keep (`chooseExcerpts`)', () => {
  it('includes two seconds before and after a detection, within the recording', () => {
    expect(choose(100, detection(30, 33))).toEqual([{ startSeconds: 28, endSeconds: 35, offsetSeconds: 0 }]);
    expect(choose(3.456, detection(0, 3))).toEqual([{ startSeconds: 0, endSeconds: 3.46, offsetSeconds: 0 }]);
  });

  it('joins excerpts that touch, and lists them in order of time', () => {
    expect(choose(100, detection(50, 53), detection(10, 13), detection(14, 17))).toEqual([
      { startSeconds: 8, endSeconds: 19, offsetSeconds: 0 },
      { startSeconds: 48, endSeconds: 55, offsetSeconds: 11 },
    ]);
  });

  it('takes the three best detections of a species with surroundings, and 3 s of every further detection', () => {
    const many = [0.5, 0.9, 0.6, 0.8, 0.7].map((score, index) => detection(20 + index * 20, 23 + index * 20, score));
    expect(choose(200, ...many).map(({ startSeconds, endSeconds }) => [startSeconds, endSeconds])).toEqual([
      [20, 23],
      [38, 45],
      [60, 63],
      [78, 85],
      [98, 105],
    ]);
  });

  it('takes excerpts with surroundings of at most two minutes in all, first for the best detection of each species', () => {
    const often = Array.from({ length: 40 }, (_, index) => detection(index * 20, index * 20 + 3, 0.9, `Species ${index % 10}`));
    const once = detection(900, 903, 0.3, 'Rara avis');
    const moments = choose(1000, ...often, once);
    const generous = moments.filter(({ startSeconds, endSeconds }) => endSeconds - startSeconds > 3);
    expect(lengthOf(generous)).toBeLessThanOrEqual(120);
    expect(generous.some(({ startSeconds }) => startSeconds === 898)).toBe(true);
    for (const { startSeconds, endSeconds } of [...often, once])
      expect(moments.some((one) => one.startSeconds <= startSeconds && endSeconds <= one.endSeconds)).toBe(true);
  });

  it('skips detections that lie after the end of the recording', () => {
    const within = Array.from({ length: 50 }, (_, index) => detection(index * 20, index * 20 + 3, 0.5, `Species ${index}`));
    const after = Array.from({ length: 50 }, (_, index) => detection(2000 + index, 2003 + index, 0.9, `Avis ${index}`));
    expect(choose(1000, ...within, ...after)).toEqual(choose(1000, ...within));
  });

  it('takes at most ten minutes, the best detections of a long list', () => {
    const listed = Array.from({ length: 1000 }, (_, index) => detection(index * 10, index * 10 + 3, index / 1000));
    const moments = choose(10_000, ...listed);
    expect(lengthOf(moments)).toBeLessThanOrEqual(600);
    expect(lengthOf(moments)).toBeGreaterThan(590);
    expect(moments[0]?.startSeconds).toBeGreaterThan(8000);
  });

  it('takes at most half a minute of a bird that sings without a pause', () => {
    expect(choose(1000, detection(100, 900))).toEqual([{ startSeconds: 98, endSeconds: 132, offsetSeconds: 0 }]);
  });

  it('takes six seconds of the first candidate when nothing was detected', () => {
    const doubtful = (seconds: number, ...starts: number[]) =>
      chooseExcerpts({ detections: [], candidates: starts.map(candidate), recording: recording(seconds) });
    expect(doubtful(100, 30, 60)).toEqual([{ startSeconds: 28.5, endSeconds: 34.5, offsetSeconds: 0 }]);
    expect(doubtful(33, 30)).toEqual([{ startSeconds: 27, endSeconds: 33, offsetSeconds: 0 }]);
    expect(doubtful(4, 0)).toEqual([{ startSeconds: 0, endSeconds: 4, offsetSeconds: 0 }]);
    expect(doubtful(100)).toEqual([]);
  });
});
