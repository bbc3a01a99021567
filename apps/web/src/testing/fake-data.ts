import type { Candidate, ConfidenceEvidence, LifeList, NamedBird, Prediction, PublicConfig } from '@chiffchaff/contract';

/** Fake server responses, for tests that need a certain kind. */
export const fakeConfig: PublicConfig = {
  apiOrigin: '',
  openPrediction: true,
  identity: { mode: 'embedded', baseUrl: '', tokenBaseUrl: '', apiKey: 'made-up', mailAvailable: true, signUp: 'open' },
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
  defaultPlace: null,
  termsFingerprint: '',
  defaultLanguage: null,
  speciesPictures: false,
  version: '1.2.3',
  commit: '1a2b3c4d',
  languages: ['de', 'en_uk', 'en_us'],
  model: {
    id: 'made-up',
    version: '1.0',
    sha256: 'ab'.repeat(32),
    licence: 'CC-BY-NC-SA-4.0',
    attribution: 'Powered by BirdNET',
    words: { veryLikely: 0.9, likely: 0.7, perhaps: 0.5, notSure: 0.25 },
  },
};

export function fakeCandidate(part: Partial<Candidate> = {}): Candidate {
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

/** A bird of the life list, first found on a day; its first of this year is `thisYear`. */
export function fakeListedBird({
  scientificName = 'Phylloscopus collybita',
  commonName = '',
  on = '2024-05-01',
  isConfirmed = true,
  thisYear = null,
  ...first
}: Partial<LifeList['species'][number]['first']> & {
  readonly scientificName?: string;
  readonly commonName?: string;
  readonly isConfirmed?: boolean;
  readonly thisYear?: string | null;
}): LifeList['species'][number] {
  const sighting = { on, sentAt: null, place: null, confirmed: isConfirmed, predictionId: 'p', confidence: 0.8, ...first };
  const counts = { predictions: 1, confirmedPredictions: 0 };
  return {
    scientificName,
    commonName,
    ...counts,
    first: sighting,
    firstThisYear: thisYear && { ...sighting, on: thisYear },
  } as LifeList['species'][number];
}

export function fakeNamedBird(part: Partial<NamedBird> = {}): NamedBird {
  return { ...fakeCandidate(part), firstSeconds: part.firstSeconds ?? 3 };
}

export function fakePrediction(part: Partial<Prediction> = {}): Prediction {
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
    conditions: {
      ...{ latitude: null, longitude: null, placeSource: 'none', timeZone: null, week: null, date: null },
      ...{ minScore: 0.25, overlapSeconds: 1.5, language: 'en' },
    },
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
      named: [fakeNamedBird()],
      genus: null,
      notExpectedHere: null,
    },
    candidates: [
      fakeCandidate(),
      fakeCandidate({
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
        occurrence: null,
        hidden: false,
      },
      {
        scientificName: 'Phylloscopus ibericus',
        commonName: 'Iberian Chiffchaff',
        startSeconds: 1.5,
        endSeconds: 4.5,
        score: 0.3,
        confidence: 0.1,
        occurrence: null,
        hidden: false,
      },
    ],
    hiddenByLocation: [],
    otherSounds: [],
    checkUp: [],
    timings: { decodeMs: 41, inferenceMs: 170, totalMs: 260 },
    ...part,
  };
}

/** A problem in the server's format. */
export function fakeProblem(code: string, part: { status?: number; detail?: string; retryable?: boolean } = {}) {
  const { status = 422, detail = `Detail of ${code}`, retryable = false } = part;
  return { type: 'about:blank', title: code, status, detail, instance: 'r-1', code, retryable };
}

const fakeFigures = {
  recordings: 183,
  right: 151,
  calibrationError: 0.031,
  brier: 0.1,
  logLoss: 0.4,
  coverage: { at90: 0.75, at95: 0.6 },
};
const fakeCounts = {
  birds: 183,
  species: 80,
  withoutClass: 4,
  words: [
    { word: 'veryLikely' as const, fromConfidence: 0.9, right: 97, of: 100 },
    { word: 'likely' as const, fromConfidence: 0.7, right: 36, of: 40 },
    { word: 'perhaps' as const, fromConfidence: 0.5, right: 11, of: 20 },
    { word: 'notSure' as const, fromConfidence: 0.25, right: 5, of: 15 },
  ],
  figures: fakeFigures,
  scoreCoverage: { at90: 0.7, at95: 0.5 },
  birdFree: 30,
  birdFreeHours: 0.5,
  falseAlarms: [
    { fromConfidence: 0.9, birds: 1, perHour: 2 },
    { fromConfidence: 0.7, birds: 3, perHour: 6 },
  ],
};

/** Evidence from tests; only the Common Chiffchaff has enough of them. */
export const fakeEvidence: ConfidenceEvidence = {
  evidenceVersion: 1,
  model: { id: 'birdnet-v2.4', sha256: 'a'.repeat(64) },
  tableSha256: 'b'.repeat(64),
  method: { folds: 10, penalty: 1, claims: 1, rounds: 3, birdFreeWeight: 0.25, elsewhereWeight: 0.1 },
  tested: { split: 'test', ...fakeCounts },
  places: null,
  scenes: null,
  crossValidated: { ...fakeCounts, birds: 900, figures: { ...fakeFigures, calibrationError: 0.024 } },
  minNamed: 5,
  species: { 'Phylloscopus collybita': { named: 14, right: 13, recordings: 15 } },
  confusions: [{ named: 'Phylloscopus collybita', heard: 'Parus major', recordings: 1 }],
};
