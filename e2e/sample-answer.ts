/** Made-up predictions in the server's format, for pages whose appearance and speed depend on them. */
import type { Detection, NamedBird, Prediction } from '@chiffchaff/contract';

const MODEL = { id: 'birdnet-v2.4', version: '2.4', sha256: 'ab'.repeat(32), licence: 'CC', attribution: 'Powered by BirdNET' };

export const sampleBird = (rank: number, commonName: string, firstSeconds: number, confidence: number): NamedBird => ({
  rank,
  commonName,
  scientificName: `Avis ${commonName.toLowerCase().replaceAll(' ', '-')}`,
  confidence,
  firstSeconds,
  score: 0.81,
  unusualHere: false,
  occurrence: null,
  regions: ['155', '154'],
  confidenceWord: confidence >= 0.9 ? 'veryLikely' : confidence >= 0.7 ? 'likely' : 'perhaps',
  best: { startSeconds: firstSeconds + 3, endSeconds: firstSeconds + 6 },
});

export const sampleDetection = ({ commonName, scientificName, confidence }: NamedBird, startSeconds: number): Detection => ({
  commonName,
  scientificName,
  confidence,
  startSeconds,
  endSeconds: startSeconds + 6,
  score: 0.7,
  occurrence: null,
  hidden: false,
});

export const sampleAnswer = (durationSeconds: number, named: NamedBird[], detections: Detection[]): Prediction => ({
  id: 'made-up',
  createdAt: '2026-05-01T05:12:44.120Z',
  candidates: named.slice(0, 5),
  detections,
  recording: {
    fileName: 'dawn.wav',
    sha256: 'cd'.repeat(32),
    container: 'wav',
    codec: 'pcm_s16le',
    durationSeconds,
    sampleRate: 48_000,
    channels: 1,
    truncated: false,
  },
  conditions: {
    ...{ latitude: null, longitude: null, placeSource: 'none', timeZone: null, date: null, week: null },
    ...{ minScore: 0.25, overlapSeconds: 1.5, language: 'en_uk' },
  },
  model: MODEL,
  verdict: { kind: 'several', tied: false, sentence: 'Several birds.', named, genus: null, notExpectedHere: null },
  hiddenByLocation: [],
  otherSounds: [],
  checkUp: [],
  timings: { decodeMs: 1, inferenceMs: 2, totalMs: 3 },
});

/** An hour with the maximum number of detections in a prediction, 500 of each of 40 birds. */
export function sampleHour(): Prediction {
  const birds = Array.from({ length: 40 }, (_, index) => sampleBird(index + 1, `Bird ${index + 1}`, index, 0.98 - index / 100));
  const times = Array.from({ length: 500 }, (_, index) => (3590 * index) / 500);
  const detections = times.flatMap((startSeconds) => birds.map((bird) => sampleDetection(bird, startSeconds)));
  return sampleAnswer(3600, birds, detections);
}
