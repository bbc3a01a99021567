import type { AnalysisRequest, Analyzer } from '@chiffchaff/analysis';
import { samplePrediction } from '@chiffchaff/analysis/testing';
import type { Prediction } from '@chiffchaff/contract';
import type { Circumstances } from '@chiffchaff/survey';

/** For tests: a well-formed prediction of a bird that was never heard. */
export function makePrediction(changes: Partial<Prediction> = {}): Prediction {
  const chiffchaff = {
    ...{ rank: 1, scientificName: 'Phylloscopus collybita', commonName: 'Common Chiffchaff', score: 0.91 },
    ...{ confidence: 0.96, confidenceWord: 'veryLikely' as const, unusualHere: false, occurrence: null },
    best: { startSeconds: 3, endSeconds: 6 },
  };
  const sample = samplePrediction({ fileName: 'morning.wav', sha256: 'a'.repeat(64), durationSeconds: 31.2 });
  return {
    ...sample,
    id: '00000000-0000-7000-8000-000000000000',
    conditions: { ...sample.conditions, language: 'en' },
    model: { id: 'made-up', version: '1', sha256: 'b'.repeat(64), licence: 'MIT', attribution: 'Powered by nothing' },
    verdict: {
      kind: 'identified',
      tied: false,
      sentence: 'Very likely a Common Chiffchaff.',
      named: [{ ...chiffchaff, firstSeconds: 3 }],
      genus: null,
      notExpectedHere: null,
    },
    candidates: [chiffchaff],
    detections: [
      {
        scientificName: 'Phylloscopus collybita',
        commonName: 'Common Chiffchaff',
        startSeconds: 3,
        endSeconds: 9,
        score: 0.91,
        confidence: 0.96,
        occurrence: null,
        hidden: false,
      },
    ],
    ...changes,
  };
}

/** For tests: a recording without any metadata. */
export const nowhere: Circumstances = {
  ...{ site: '', siteLine: null, place: null, placeFrom: null, began: null, week: null, temperature: null, recorder: '' },
};

/** For tests: an analyzer that gives prepared answers and records its requests. */
export function createFakeAnalyzer(
  answer: (request: AnalysisRequest, signal: AbortSignal) => Promise<Prediction> = async () => makePrediction(),
): Analyzer & { readonly asked: AnalysisRequest[]; readonly isClosed: () => boolean } {
  const asked: AnalysisRequest[] = [];
  let closed = false;
  return {
    model: { id: 'made-up', version: '1', sha256: 'b'.repeat(64), licence: 'MIT', attribution: 'Powered by nothing' },
    fingerprint: 'f'.repeat(64),
    words: { veryLikely: 0.9, likely: 0.7, perhaps: 0.5, notSure: 0.25 },
    languages: ['en_us', 'de'],
    analyze: (request, { signal }) => {
      asked.push(request);
      return answer(request, signal);
    },
    answerer: {} as Analyzer['answerer'],
    ask: async ({ top = 5 }) => ({
      ...{ conditions: makePrediction().conditions, occurrence: null, regions: null },
      ...{ top, mostDetections: Number.POSITIVE_INFINITY },
    }),
    namesIn: async () => new Map(),
    birdCalled: async () => null,
    otherSounds: [],
    expectedSpecies: async () => [],
    occurrenceBytes: async () => null,
    speciesNames: async () => new Map(),
    speciesProfile: async () => null,
    speciesRange: async () => null,
    speciesSeason: async () => null,
    speciesAround: async () => null,
    regions: async () => null,
    zones: async () => null,
    canAssume: async (timeZone) => timeZone === 'Europe/London',
    close: async () => {
      closed = true;
    },
    asked,
    isClosed: () => closed,
  };
}
