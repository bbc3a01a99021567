import { readFile } from 'node:fs/promises';
import type { AnalysisRequest, AnalyzeOptions, Analyzer, Reconsideration } from '@chiffchaff/analysis';
import { noEvidence, samplePrediction } from '@chiffchaff/analysis/testing';
import { type Conditions, OVERVIEW_BANDS, type Prediction, rangeGrid, SHORT_RECORDING_SECONDS } from '@chiffchaff/contract';
import { unlessAborted } from '../unless-aborted.ts';

/** An analyzer that knows nothing about birds. Tests can look at its requests and decide when it answers. */
export interface FakeAnalyzer extends Analyzer {
  readonly requests: (AnalysisRequest & { readonly content: string })[];
  /** Holds every analysis until `release` is called, or its signal aborts. */
  hold(): { release(): void };
  /** Parts of the next answers. The verdict names the candidates unless it is given. */
  answerWith(parts: Partial<Prediction>): void;
  /** The error of the next analyses; null to answer them again. */
  failWith(error: Error | null): void;
  /** How many held analyses were aborted. */
  readonly aborted: number;
  readonly closed: boolean;
}

/** A recording of a minute or more has an overview. */
export const fakeRecording = (durationSeconds: number, fileName: string | null = null) => ({
  ...{ fileName, sha256: '', container: 'wav', codec: 'pcm_s16le', durationSeconds },
  ...{ sampleRate: 48_000, channels: 1, truncated: false },
});

/** A column a second; its bytes are different, so that a test can tell them apart. */
export const fakeOverview = (durationSeconds: number): Uint8Array =>
  Uint8Array.from({ length: durationSeconds * OVERVIEW_BANDS }, (_, index) => index % 251);

const words = { veryLikely: 0.9, likely: 0.7, perhaps: 0.5, notSure: 0.25 };

export function createFakeAnalyzer(): FakeAnalyzer {
  const requests: FakeAnalyzer['requests'] = [];
  let gate: Promise<void> | null = null;
  let failure: Error | null = null;
  let answerParts: Partial<Prediction> = {};
  let aborted = 0;
  let closed = false;

  async function analyze(
    request: AnalysisRequest,
    { signal, onProgress, onEvidence, onOverview }: AnalyzeOptions,
  ): Promise<Prediction> {
    signal.throwIfAborted();
    requests.push({ ...request, content: (await readFile(request.path)).toString('latin1', 0, 1000) });
    onProgress?.({ fraction: 0.5, analysedSeconds: 1.5, detectionsSoFar: () => [] });
    if (gate) {
      // The signal may have aborted while the file was read.
      await unlessAborted(gate, signal).finally(() => {
        if (signal.aborted) aborted += 1;
      });
    }
    if (failure) throw failure;
    onEvidence?.(noEvidence);
    const prediction = samplePredictionFor(request);
    const { durationSeconds } = answerParts.recording ?? prediction.recording;
    if (durationSeconds >= SHORT_RECORDING_SECONDS) onOverview?.(fakeOverview(durationSeconds));
    const named = (answerParts.candidates ?? []).map((bird) => ({ ...bird, firstSeconds: bird.best.startSeconds }));
    return { ...prediction, verdict: { ...prediction.verdict, named }, ...answerParts };
  }

  return {
    model: { id: 'fake', version: '1', sha256: 'f'.repeat(64), licence: 'CC0-1.0', attribution: 'Nobody' },
    fingerprint: 'f'.repeat(64),
    words,
    languages: ['en_uk', 'en_us', 'de', 'pt'],
    requests,
    get aborted() {
      return aborted;
    },
    get closed() {
      return closed;
    },
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return {
        release() {
          gate = null;
          resolve();
        },
      };
    },
    answerWith(parts) {
      answerParts = parts;
    },
    failWith(error) {
      failure = error;
    },
    analyze,
    answerer: {
      async reconsider(prediction, _evidence, { conditions }) {
        const named = answerParts.candidates?.map((bird) => ({ ...bird, firstSeconds: bird.best.startSeconds }));
        const verdict = named === undefined ? prediction.verdict : { ...prediction.verdict, named };
        const { overlapSeconds } = prediction.conditions;
        return { ...prediction, verdict, ...answerParts, conditions: { ...conditions, overlapSeconds } };
      },
      words,
    } as Analyzer['answerer'],
    async ask({ top = 5, ...request }) {
      const { conditions } = samplePredictionFor({ path: '', fileName: null, ...request });
      return {
        conditions,
        occurrence: null,
        regions: null,
        top,
        mostDetections: request.mostDetections ?? Number.POSITIVE_INFINITY,
      };
    },
    async occurrenceBytes(where) {
      if (!('timeZone' in where))
        return Uint8Array.of(Math.abs(where.latitude) * 10, Math.abs(where.longitude) * 10, where.week ?? 0);
      return where.timeZone === 'Europe/Kiev' ? Uint8Array.of(7, 0, 255) : null;
    },
    regions: async () => 'GB 155\n\nDE',
    zones: async () => Uint8Array.of(1, 0, 255, 7, 0, 9),
    canAssume: async (timeZone) => timeZone === 'Europe/Kiev',
    birdCalled: async () => null,
    otherSounds: [],
    async namesIn(language) {
      const wren: [string, string] = ['Troglodytes troglodytes', language === 'de' ? 'Zaunkönig' : 'Eurasian Wren'];
      const names: [string, string][] = [wren, ['Regulus regulus', 'Goldcrest']];
      return new Map(language === 'pt' ? [...names, ['Phylloscopus collybita', 'Felosinha-comum']] : names);
    },
    async expectedSpecies({ language = 'en_uk', ...where }) {
      const week = 'timeZone' in where ? undefined : where.week;
      return [{ scientificName: 'Phylloscopus collybita', commonName: `${language} ${week ?? 'whole year'}`, occurrence: 0.9 }];
    },
    speciesNames: async () => new Map([['Troglodytes troglodytes', 'Eurasian Wren\nZaunkönig']]),
    speciesProfile: async (name, language = 'en_uk') =>
      name === 'Troglodytes troglodytes' || name === 'Nannus troglodytes'
        ? {
            scientificName: 'Troglodytes troglodytes',
            commonName: language === 'de' ? 'Zaunkönig' : 'Eurasian Wren',
            names: [{ language: 'de', name: 'Zaunkönig' }],
            otherNames: ['Nannus troglodytes'],
            genus: [],
          }
        : null,
    speciesRange: async (name, period) =>
      name === 'Troglodytes troglodytes'
        ? { week: period === 'week' ? 20 : null, ...rangeGrid, cells: Buffer.of(7, 0, 255).toString('base64') }
        : null,
    speciesSeason: async (_name, where) =>
      'timeZone' in where && where.timeZone !== 'Europe/Kiev'
        ? null
        : {
            timeZone: 'timeZone' in where ? 'Europe/Kyiv' : null,
            relatives: ['Troglodytes aedon'],
            weeks: Array.from({ length: 48 }, () => ('latitude' in where ? Math.abs(where.latitude) / 100 : 0.5)),
          },
    speciesAround: async (where, week, language = 'en_uk') =>
      'timeZone' in where && where.timeZone !== 'Europe/Kiev'
        ? null
        : {
            timeZone: 'timeZone' in where ? 'Europe/Kyiv' : null,
            week,
            species: [
              {
                scientificName: 'Troglodytes troglodytes',
                commonName: language === 'de' ? 'Zaunkönig' : 'Eurasian Wren',
                occurrence: 'latitude' in where ? Math.abs(where.latitude) / 100 : 0.5,
                ...{ begins: true, ends: false },
              },
            ],
          },
    async close() {
      closed = true;
    },
  };
}

/** Knows only one time zone. */
function placeSourceOf({
  latitude,
  placeSource = 'stated',
  timeZone,
}: Reconsideration): Pick<Conditions, 'placeSource' | 'timeZone'> {
  if (latitude !== undefined) return { placeSource, timeZone: null };
  return timeZone === 'Europe/Kiev'
    ? { placeSource: 'assumed', timeZone: 'Europe/Kyiv' }
    : { placeSource: 'none', timeZone: null };
}

export function samplePredictionFor(request: AnalysisRequest): Prediction {
  const { fileName, sha256 = '', latitude = null, longitude = null, week = null, date = null, language = 'en_uk' } = request;
  const { minScore = 0.25, overlapSeconds = 1.5 } = request;
  const conditions = { latitude, longitude, week, date, minScore, overlapSeconds, language, ...placeSourceOf(request) };
  return { ...samplePrediction({ fileName, sha256 }), conditions };
}
