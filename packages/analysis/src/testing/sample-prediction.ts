import type { Prediction } from '@chiffchaff/contract';

/** The prediction for a recording of three seconds in which nothing was found. */
export function samplePrediction(recording: Partial<Prediction['recording']> = {}): Prediction {
  return {
    id: 'prediction-1',
    createdAt: '2026-05-01T05:12:44.120Z',
    recording: {
      fileName: null,
      sha256: '',
      container: 'wav',
      codec: 'pcm_s16le',
      durationSeconds: 3,
      sampleRate: 48_000,
      channels: 1,
      truncated: false,
      ...recording,
    },
    conditions: {
      latitude: null,
      longitude: null,
      placeSource: 'none',
      timeZone: null,
      week: null,
      date: null,
      minScore: 0.25,
      overlapSeconds: 1.5,
      language: 'en_uk',
    },
    model: { id: 'fake', version: '1', sha256: 'f'.repeat(64), licence: 'CC0-1.0', attribution: 'Nobody' },
    verdict: { kind: 'noBird', tied: false, sentence: 'No bird found.', named: [], genus: null, notExpectedHere: null },
    candidates: [],
    detections: [],
    hiddenByLocation: [],
    otherSounds: [],
    checkUp: [],
    timings: { decodeMs: 1, inferenceMs: 2, totalMs: 3 },
  };
}
