import type { Candidate, Prediction } from '@chiffchaff/contract';
import type { PageConfig } from '../platform/public-config.ts';

/** Made-up answers of a server, for tests that need one of a certain kind. */
export const madeUpConfig: PageConfig = {
  apiOrigin: '',
  openPrediction: true,
  identity: { mode: 'embedded', baseUrl: '', tokenBaseUrl: '', apiKey: 'made-up', mailAvailable: true, signUpOpen: true },
  limits: { maxUploadBytes: 2 * 1024 ** 3, maxRecordingSeconds: 10_800, minRecordingSeconds: 0.5 },
  retentionDays: 30,
  terms: {
    businessName: 'Made-up Woods',
    siteName: 'birds.example',
    effectiveDate: '2026-05-01',
    state: 'Saxony',
    county: 'Chemnitz',
    country: 'Germany',
    disputeYears: '3',
    negotiationDays: '30',
    liabilityMonths: '12',
    liabilityAmount: '100 €',
    contactEmail: 'birds@example.org',
    contactAddress: '1 Wood Lane',
    contactPhone: '+49 371 000000',
    copyrightAgent: 'Ada Lerche',
  },
  acceptedFormats: ['audio/*', '.wav'],
  languages: ['de', 'en_uk', 'en_us'],
  model: {
    id: 'made-up',
    version: '1.0',
    sha256: 'ab'.repeat(32),
    licence: 'CC-BY-NC-SA-4.0',
    attribution: 'Powered by BirdNET',
  },
};

export function madeUpCandidate(part: Partial<Candidate> = {}): Candidate {
  return {
    rank: 1,
    scientificName: 'Phylloscopus collybita',
    commonName: 'Common Chiffchaff',
    score: 0.91,
    confidence: 0.96,
    confidenceWord: 'veryLikely',
    unusualHere: false,
    occurrence: null,
    best: { startSeconds: 3, endSeconds: 6 },
    ...part,
  };
}

export function madeUpPrediction(part: Partial<Prediction> = {}): Prediction {
  return {
    id: 'made-up',
    createdAt: '2026-05-01T05:12:44.120Z',
    recording: {
      fileName: 'morning.wav',
      sha256: 'cd'.repeat(32),
      container: 'wav',
      codec: 'pcm_s16le',
      durationSeconds: 12,
      sampleRate: 44_100,
      channels: 2,
      truncated: false,
    },
    conditions: { latitude: null, longitude: null, week: null, minScore: 0.25, overlapSeconds: 1.5, language: 'en' },
    model: {
      id: 'made-up',
      version: '1.0',
      sha256: 'ab'.repeat(32),
      licence: 'CC-BY-NC-SA-4.0',
      attribution: 'Powered by BirdNET',
    },
    verdict: {
      kind: 'identified',
      tied: false,
      sentence: 'Very likely a Common Chiffchaff.',
      genus: null,
      notExpectedHere: null,
    },
    candidates: [
      madeUpCandidate(),
      madeUpCandidate({
        rank: 2,
        scientificName: 'Phylloscopus ibericus',
        commonName: 'Iberian Chiffchaff',
        confidence: 0.1,
        confidenceWord: 'none',
      }),
    ],
    detections: [
      {
        scientificName: 'Phylloscopus collybita',
        commonName: 'Common Chiffchaff',
        startSeconds: 3,
        endSeconds: 9,
        score: 0.91,
        confidence: 0.96,
      },
      {
        scientificName: 'Phylloscopus ibericus',
        commonName: 'Iberian Chiffchaff',
        startSeconds: 1.5,
        endSeconds: 4.5,
        score: 0.3,
        confidence: 0.1,
      },
    ],
    hiddenByLocation: [],
    otherSounds: [],
    checkUp: [],
    timings: { decodeMs: 41, inferenceMs: 170, totalMs: 260 },
    ...part,
  };
}

/** A problem as the server sends it. */
export function madeUpProblem(code: string, part: { status?: number; detail?: string; retryable?: boolean } = {}) {
  const { status = 422, detail = `Detail of ${code}`, retryable = false } = part;
  return { type: 'about:blank', title: code, status, detail, instance: 'r-1', code, retryable };
}
