import type { Answer, Evidence } from '@chiffchaff/recognizer';
import type { ModelUnderTest } from './open-model-under-test.ts';

/** The birds in a fake recording: each one's confidence without and with a place, and its score. */
export type FakeBirds = Readonly<Record<string, { confidence: number; withPlace?: number; score?: number }>>;

/** For tests: evidence that holds only counts of samples, and answers looked up by them. */
export function createFakeModel(
  recordings: Readonly<Record<string, FakeBirds>>,
  occurrence: Readonly<Record<string, number>> = {},
): ModelUnderTest {
  const names = [...new Set(Object.values(recordings).flatMap((birds) => Object.keys(birds)))].sort();
  const files = Object.keys(recordings);
  const SAMPLE_RATE = 10;
  // The number of silent samples is the recording's index, by which `conclude` finds it again.
  const evidenceOf = (index: number, sampleCount: number): Evidence => {
    const none = new Float32Array(0);
    const clips = { floor: -8, offsets: new Uint32Array(1), labels: new Uint16Array(0), logits: none, nonBirdPeaks: none };
    return {
      modelId: 'made-up',
      logitUnit: 1,
      labelCount: names.length,
      sampleRate: SAMPLE_RATE,
      clipSamples: 30,
      clipStepSamples: 15,
      sampleCount,
      silentSamples: index,
      steadyClips: 0,
      windyClips: 0,
      clips,
      passages: {
        firstClips: new Uint32Array(0),
        clipCount: 5,
        offsets: new Uint32Array(1),
        labels: new Uint16Array(0),
        means: none,
        peaks: none,
        zs: none,
        meanFloors: none,
        restWeights: none,
      },
    };
  };
  const indexOf = (path: string) => {
    const index = files.findIndex((file) => path.endsWith(file));
    if (index < 0) throw Object.assign(new Error(`no such file: ${path}`), { code: 'ENOENT' });
    return index;
  };
  return {
    model: { id: 'made-up', version: '1', sha256: 'b'.repeat(64), attribution: 'Powered by nothing' },
    birds: new Map(names.map((name, index) => [name, index])),
    sampleRate: SAMPLE_RATE,
    words: { veryLikely: 0.9, likely: 0.7, perhaps: 0.5, notSure: 0.25 },
    analyzeFile: async (path) => evidenceOf(indexOf(path), SAMPLE_RATE * 3600),
    decode: async (path) => new Float32Array(SAMPLE_RATE).fill(indexOf(path)),
    // As `decode` has filled them.
    analyzeSamples: async ([index = 0]) => evidenceOf(index, SAMPLE_RATE),
    conclude: ({ silentSamples }, { occurrence: at, top = 5 }) => {
      const birds = Object.entries(recordings[files[silentSamples] ?? ''] ?? {});
      return answerOf(
        birds.map(([scientificName, { confidence, withPlace = confidence, score = confidence }]) => ({
          label: names.indexOf(scientificName),
          scientificName,
          confidence: at === null ? confidence : withPlace,
          score,
        })),
        top,
      );
    },
    furtherBirds: () => [],
    detectionInputs: () => [],
    occurrence: async () => Float32Array.from(names, (name) => occurrence[name] ?? 0),
    zones: async () => [],
    close: async () => undefined,
  };
}

function answerOf(birds: { label: number; scientificName: string; confidence: number; score: number }[], top: number): Answer {
  return {
    verdict: { kind: 'noBird', tied: false, named: [], genus: null, notExpectedHere: null, alsoSoundsLike: null },
    candidates: birds
      .sort((a, b) => b.confidence - a.confidence)
      .slice(0, top)
      .map((bird, index) => ({
        ...bird,
        rank: index + 1,
        confidenceWord: 'none',
        unusualHere: false,
        occurrence: null,
        assumed: null,
        best: { startSeconds: 0, endSeconds: 3 },
      })),
    isClearlyNoBird: false,
    detections: [],
    detectionsLeftOut: 0,
    hiddenByLocation: [],
    otherSounds: [],
    checkUp: [],
  };
}
