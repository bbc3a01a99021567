import { describe, expect, it } from 'vitest';
import { fakeCandidate } from '../../../testing/fake-data.ts';
import { followRows, type SpeciesRow } from './species-rows.ts';

const detection = (scientificName: string, startSeconds: number, endSeconds: number) => ({
  scientificName,
  commonName: scientificName,
  startSeconds,
  endSeconds,
  score: 0.8,
});
const candidate = (scientificName: string, confidence = 0.9, confidenceWord: 'veryLikely' | 'none' = 'veryLikely') =>
  fakeCandidate({
    scientificName,
    commonName: scientificName,
    confidence,
    confidenceWord,
    best: { startSeconds: 3, endSeconds: 6 },
  });
const heard = (part: Partial<Parameters<typeof followRows>[1]>) => ({
  detections: [],
  answer: { candidates: ['wren', 'robin', 'tit'].map((name) => candidate(name)) },
  justHeard: [],
  offsetSeconds: 0,
  analysedSeconds: 6,
  ...part,
});
const names = (rows: readonly SpeciesRow[]) => rows.map(({ scientificName }) => scientificName);

describe('The species rows of live listening', () => {
  it('have singing birds on top, the newest first, then the others by when they were last heard', () => {
    const detections = [detection('wren', 0, 9), detection('robin', 20, 30), detection('tit', 25, 30), detection('wren', 12, 15)];
    const rows = followRows([], heard({ detections, analysedSeconds: 30 }));
    expect(names(rows)).toEqual(['tit', 'robin', 'wren']);
    expect(rows.map(({ isSinging }) => isSinging)).toEqual([true, true, false]);
    expect(rows[2]).toMatchObject({ firstSeconds: 0, lastSeconds: 15 });
  });

  it('leave out birds below every word of confidence, but keep those shown before', () => {
    const faint = { candidates: [candidate('wren', 0.1, 'none')] };
    const detections = [detection('wren', 0, 3)];
    expect(followRows([], heard({ detections, answer: faint }))).toEqual([]);
    const before = followRows([], heard({ detections }));
    expect(followRows(before, heard({ detections, answer: faint }))).toMatchObject([{ confidenceWord: 'none' }]);
  });

  it('have no word for a bird that is just heard, which then gets a word or disappears', () => {
    const nobody = { candidates: [] };
    const detections = [detection('wren', 3, 6), detection('robin', 3, 6)];
    const justHeard = ['wren', 'robin'];
    const early = followRows([], heard({ detections, answer: nobody, justHeard }));
    expect(early).toMatchObject([
      { scientificName: 'robin', confidenceWord: null, best: { startSeconds: 3, endSeconds: 6 } },
      { scientificName: 'wren', confidenceWord: null },
    ]);
    const answer = { candidates: [candidate('wren')] };
    const settled = followRows(early, heard({ detections, answer, analysedSeconds: 12 }));
    expect(settled.map(({ confidenceWord }) => confidenceWord)).toEqual([null, 'veryLikely']);
    const late = followRows(settled, heard({ detections, answer, analysedSeconds: 18 }));
    expect(names(late)).toEqual(['wren']);
  });

  it('leave out birds hidden by location', () => {
    expect(followRows([], heard({ detections: [detection('lyrebird', 0, 3)] }))).toEqual([]);
  });

  it('keep the higher confidence of a species when a recording is analysed in two parts', () => {
    const before = followRows([], heard({ detections: [detection('wren', 0, 6)] }));
    const later = { detections: [detection('wren', 0, 3), detection('robin', 1.5, 4.5)], offsetSeconds: 60, analysedSeconds: 66 };
    const worse = { candidates: [candidate('wren', 0.5), candidate('robin')] };
    const rows = followRows(before, heard({ ...later, answer: worse }));
    expect(rows.find(({ scientificName }) => scientificName === 'wren')).toMatchObject({
      confidence: 0.9,
      firstSeconds: 0,
      lastSeconds: 63,
      best: { startSeconds: 3 },
    });
    expect(rows[0]).toMatchObject({ scientificName: 'robin', firstSeconds: 61.5, best: { startSeconds: 63, endSeconds: 66 } });
  });
});
