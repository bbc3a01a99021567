import { describe, expect, it } from 'vitest';
import { chooseExcerpts } from './choose-excerpts.ts';

const detection = (startSeconds: number, endSeconds: number, score = 0.9, scientificName = 'Parus major') => ({
  ...{ scientificName, commonName: scientificName, startSeconds, endSeconds, score, confidence: score },
});
const recording = (durationSeconds: number) => ({
  ...{ fileName: null, sha256: '', container: 'wav', codec: 'pcm_s16le', sampleRate: 48_000, channels: 1, truncated: false },
  durationSeconds,
});
const choose = (durationSeconds: number, ...detections: ReturnType<typeof detection>[]) =>
  chooseExcerpts({ detections, recording: recording(durationSeconds) });

describe('moments', () => {
  it('have some seconds before and after a detection, within the recording', () => {
    expect(choose(100, detection(30, 33))).toEqual([{ startSeconds: 28, endSeconds: 35, offsetSeconds: 0 }]);
    expect(choose(3.456, detection(0, 3))).toEqual([{ startSeconds: 0, endSeconds: 3.46, offsetSeconds: 0 }]);
  });

  it('become one where they touch, and lie behind each other in order', () => {
    expect(choose(100, detection(50, 53), detection(10, 13), detection(14, 17))).toEqual([
      { startSeconds: 8, endSeconds: 19, offsetSeconds: 0 },
      { startSeconds: 48, endSeconds: 55, offsetSeconds: 11 },
    ]);
  });

  it('are the three best of a species', () => {
    const many = [0.5, 0.9, 0.6, 0.8, 0.7].map((score, index) => detection(20 + index * 20, 23 + index * 20, score));
    expect(choose(200, ...many).map(({ startSeconds }) => startSeconds)).toEqual([38, 78, 98]);
  });

  it('last two minutes at most, and then the best of each species comes first', () => {
    const often = Array.from({ length: 40 }, (_, index) => detection(index * 20, index * 20 + 3, 0.9, `Species ${index % 10}`));
    const once = detection(900, 903, 0.3, 'Rara avis');
    const moments = choose(1000, ...often, once);
    expect(moments.reduce((sum, { startSeconds, endSeconds }) => sum + endSeconds - startSeconds, 0)).toBeLessThanOrEqual(120);
    expect(moments.some(({ startSeconds }) => startSeconds === 898)).toBe(true);
  });

  it('hold no more than half a minute of a bird that sings on and on', () => {
    expect(choose(1000, detection(100, 900))).toEqual([{ startSeconds: 98, endSeconds: 132, offsetSeconds: 0 }]);
  });

  it('are none where nothing was detected', () => {
    expect(choose(100)).toEqual([]);
  });
});
