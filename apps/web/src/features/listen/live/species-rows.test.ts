import type { ConfidenceWord } from '@chiffchaff/contract';
import { describe, expect, it } from 'vitest';
import { fakeCandidate } from '../../../testing/fake-data.ts';
import { callsToName, followRows, isShown, isSinging, recentCalls, type SpeciesRow } from './species-rows.ts';

const detection = (scientificName: string, startSeconds: number, endSeconds: number) => ({
  scientificName,
  commonName: scientificName,
  startSeconds,
  endSeconds,
  score: 0.8,
});
const candidate = (scientificName: string, confidence = 0.9, confidenceWord: ConfidenceWord = 'veryLikely') =>
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
  it('stay in the order in which they entered, the newest on top, whichever bird sings', () => {
    const first = followRows([], heard({ detections: [detection('wren', 0, 9)], analysedSeconds: 9 }));
    const both = followRows(
      first,
      heard({ detections: [detection('wren', 0, 9), detection('tit', 8, 12)], analysedSeconds: 12 }),
    );
    expect(names(both)).toEqual(['tit', 'wren']);
    const detections = [detection('wren', 0, 9), detection('tit', 8, 12), detection('robin', 5, 30), detection('wren', 25, 30)];
    const rows = followRows(both, heard({ detections, analysedSeconds: 30 }));
    expect(names(rows)).toEqual(['robin', 'tit', 'wren']);
    expect(rows.map((row) => isSinging(row, 30))).toEqual([true, false, true]);
    expect(rows[2]).toMatchObject({ firstSeconds: 0, lastSeconds: 30, times: 2 });
  });

  it('stop marking a bird as singing some seconds after its last detection, even if nothing more is analysed', () => {
    const [row] = followRows([], heard({ detections: [detection('wren', 0, 6)] }));
    expect([6, 11, 13].map((seconds) => row && isSinging(row, seconds))).toEqual([true, true, false]);
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
    const late = followRows(settled, heard({ detections, answer, analysedSeconds: 26 }));
    expect(names(late)).toEqual(['wren']);
  });

  it('do not show a bird that is only “not sure” among the others, and drop it after 20 seconds', () => {
    const answer = { candidates: [candidate('wren', 0.3, 'notSure')] };
    const detections = [detection('wren', 3, 6)];
    const rows = followRows([], heard({ detections, answer, analysedSeconds: 9 }));
    expect(rows.map(isShown)).toEqual([false]);
    expect(followRows(rows, heard({ detections, answer, analysedSeconds: 28 }))).toHaveLength(1);
    expect(followRows(rows, heard({ detections, answer, analysedSeconds: 29 }))).toEqual([]);
  });

  it('show a bird that is not expected at the assumed place only if it is very likely, and where it lives', () => {
    const detections = [detection('toucan', 0, 6)];
    const at = (confidenceWord: ConfidenceWord) => ({
      candidates: [{ ...candidate('toucan', 0.8, confidenceWord), assumed: 'elsewhere' as const, regions: ['BR'] }],
    });
    const early = followRows([], heard({ detections, answer: { candidates: [] }, justHeard: ['toucan'] }));
    expect(early).toHaveLength(1);
    expect(followRows(early, heard({ detections, answer: at('likely') }))).toEqual([]);
    expect(followRows(early, heard({ detections, answer: at('veryLikely') }))).toMatchObject([{ regions: ['BR'] }]);
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

  it('name the latest call of each bird in the spectrogram, but only the surer of two at the same time', () => {
    const detections = [detection('wren', 0, 3), detection('wren', 20, 30), detection('robin', 26, 29), detection('tit', 21, 24)];
    const answer = { candidates: [candidate('wren', 0.7, 'perhaps'), candidate('robin', 0.9), candidate('tit', 0.3, 'notSure')] };
    const update = heard({ detections, answer, analysedSeconds: 30 });
    const calls = recentCalls(followRows([], update), update);
    expect(calls.map(({ scientificName, best }) => [scientificName, best.startSeconds])).toEqual([
      ['wren', 27],
      ['robin', 26],
    ]);
    expect(callsToName(calls).map(({ scientificName }) => scientificName)).toEqual(['robin']);
  });

  it('name no call over the name of a surer one, however long that is', () => {
    const call = (commonName: string, startSeconds: number, confidence: number) => ({
      ...{ scientificName: commonName, commonName, confidence, best: { startSeconds, endSeconds: startSeconds + 3 } },
    });
    const named = (...calls: ReturnType<typeof call>[]) => callsToName(calls).map(({ commonName }) => commonName);
    const woodpecker = 'Great Spotted Woodpecker';
    expect(named(call(woodpecker, 20, 0.9), call('Wren', 23, 0.8))).toEqual([woodpecker]);
    expect(named(call(woodpecker, 20, 0.9), call('Wren', 18, 0.8), call('Robin', 25, 0.7))).toEqual([
      woodpecker,
      'Wren',
      'Robin',
    ]);
  });
});
