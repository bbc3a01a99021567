import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type EarlyDetection, fileNotes, type Prediction, predictionSchema } from '@chiffchaff/contract';
import { type Evidence, occurrenceFromByte } from '@chiffchaff/recognizer';
import { needsSharedFolder, sharedPath } from '@chiffchaff/testing/shared-folder';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { AnalysisProgress, AnalysisRequest, Analyzer } from './analyzer.ts';
import { openAnalyzer } from './open-analyzer.ts';
import { childProcesses } from './testing/child-processes.ts';
import { encode } from './testing/encode.ts';
import { ffmpegPath, modelFolderPath } from './testing/installed.ts';
import { makeWav } from './testing/make-wav.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

let analyzer: Analyzer | undefined;
const noSignal = new AbortController().signal;

async function open(): Promise<Analyzer> {
  analyzer ??= await openAnalyzer({ modelFolderPath, ffmpegPath, workers: 1 });
  return analyzer;
}

afterAll(() => analyzer?.close());

async function identify(path: string, request: Partial<AnalysisRequest> = {}): Promise<Prediction> {
  const answer = await (await open()).analyze({ path, fileName: 'a.wav', ...request }, { signal: noSignal });
  return predictionSchema.parse(answer);
}

/** A prediction with its evidence. */
async function hear(path: string, fileName = 'a.wav'): Promise<{ prediction: Prediction; evidence: Evidence }> {
  let evidence: Evidence | undefined;
  const onEvidence = (heard: Evidence) => {
    evidence = heard;
  };
  const prediction = await (await open()).analyze({ path, fileName }, { signal: noSignal, onEvidence });
  if (evidence === undefined) throw new Error('no evidence was given');
  return { prediction, evidence };
}

/** White noise, the same every time. */
function samplesOfNoise(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return 0.1 * ((2 * state) / 2 ** 32 - 1);
  };
}

const withoutTimes = ({ id: _, createdAt: __, timings: ___, ...rest }: Prediction) => rest;

describe('The `Analyzer`', () => {
  const folder = temporaryFolder();

  it('returns every field of a prediction', async () => {
    const bytes = makeWav({ seconds: 4, sampleRate: 44_100, channels: 2 });
    const path = folder.write('tone.wav', bytes);
    const prediction = await identify(path, { fileName: '../../somewhere/tone.wav' });
    expect(prediction).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      recording: {
        fileName: 'tone.wav',
        sha256: createHash('sha256').update(bytes).digest('hex'),
        container: 'wav',
        codec: 'pcm_s16le',
        durationSeconds: 4,
        sampleRate: 44_100,
        channels: 2,
        truncated: false,
      },
      conditions: { latitude: null, longitude: null, week: null, minScore: 0.25, overlapSeconds: 1.5, language: 'en' },
      model: { id: 'birdnet-v2.4', version: '2.4', licence: 'CC-BY-NC-SA-4.0' },
      checkUp: [],
    });
    expect(prediction.candidates).toHaveLength(5);
    expect(prediction.candidates.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5]);
    expect(prediction.timings.totalMs).toBeGreaterThanOrEqual(prediction.timings.inferenceMs);
  });

  it('states the hash of the recording that its caller passes, without computing it again', async () => {
    const path = folder.write('a.wav', makeWav());
    expect((await identify(path, { sha256: 'known' })).recording.sha256).toBe('known');
  });

  it('finds no bird in silence, and says that the recording is silent', async () => {
    const prediction = await identify(folder.write('a.wav', makeWav({ seconds: 4, sample: () => 0 })));
    expect(prediction.verdict).toMatchObject({ kind: 'noBird', sentence: 'No bird found.', named: [] });
    expect(prediction).toMatchObject({ candidates: [], otherSounds: [], checkUp: [{ code: 'SILENT', share: 1 }] });
  });

  it.each([
    ['MP3', 'a.mp3', '-b:a', '128k'],
    ['AAC', 'a.m4a', '-b:a', '96k'],
    ['Vorbis', 'a.ogg', '-c:a', 'libvorbis', '-q:a', '3'],
    ['Opus', 'a.opus', '-c:a', 'libopus', '-b:a', '64k'],
  ])(
    'finds no bird in noise that was coded as %s, and says that the recording is steady noise',
    async (_coding, name, ...args) => {
      const noise = makeWav({ seconds: 6, sample: samplesOfNoise() });
      const prediction = await identify(await encode(folder.write('noise.wav', noise), folder.path, name, ...args));
      expect(prediction).toMatchObject({ verdict: { kind: 'noBird' }, candidates: [], detections: [] });
      expect(prediction.checkUp).toContainEqual({ code: 'STEADY_NOISE', share: 1 });
    },
  );

  it('returns at most the allowed number of detections and counts the others, also during the analysis', async () => {
    const path = folder.write('a.wav', makeWav({ seconds: 6 }));
    const early: number[] = [];
    const ask = { path, fileName: null, minScore: 0, overlapSeconds: 2.5 };
    const onProgress = ({ detectionsSoFar }: AnalysisProgress) => void early.push(detectionsSoFar().length);
    const all = await (await open()).analyze(ask, { signal: noSignal });
    const some = await (await open()).analyze({ ...ask, mostDetections: 3 }, { signal: noSignal, onProgress });
    expect(all.detections.length).toBeGreaterThan(10);
    expect(all.detectionsLeftOut).toBeUndefined();
    expect(some).toMatchObject({ detections: { length: 3 }, detectionsLeftOut: all.detections.length - 3 });
    expect(all.detections).toEqual(expect.arrayContaining(some.detections));
    expect(Math.max(...early)).toBe(3);
  });

  it('says that a recording was cut off, and how much is missing', async () => {
    const path = folder.write('cut.wav', makeWav({ seconds: 6 }).subarray(0, 44 + 96_000 * 3));
    const prediction = await identify(path);
    expect(prediction.recording).toMatchObject({ durationSeconds: 3, truncated: true });
    expect(prediction.checkUp).toContainEqual({ code: 'ENDED_EARLY', share: 0.5 });
  });

  it('reports in the check-up a wrong header, a file name that the metadata contradicts, and several sound tracks', async () => {
    const notesOf = async (path: string, fileName: string) =>
      (await identify(path, { fileName })).checkUp
        .map(({ code }) => code)
        .filter((code) => fileNotes.some((note) => note === code));
    const sound = makeWav({ seconds: 3 });
    const short = Buffer.from(sound);
    short.writeUInt32LE(96_000, 40);
    expect(await notesOf(folder.write('short.wav', short), '20260501_051200T.WAV')).toEqual(['WRONG_HEADER', 'NOT_EXPANDED']);
    const path = folder.write('sound.wav', sound);
    expect(await notesOf(path, '20260501_051200.wav')).toEqual([]);
    const dated = ['-metadata', 'date=2015-03-02'];
    const flac = await encode(path, folder.path, 'dated.flac', ...dated);
    expect(await notesOf(flac, '20260501_051200.flac')).toEqual(['DAY_OF_NAME']);
    const two = await encode(path, folder.path, 'two.mkv', '-i', path, '-map', '0:a', '-map', '1:a');
    expect(await notesOf(two, 'two.mkv')).toEqual(['SEVERAL_TRACKS']);
  });

  it('returns as many candidates as requested', async () => {
    const path = folder.write('a.wav', makeWav({ seconds: 3 }));
    for (const top of [1, 3, 20]) expect((await identify(path, { top })).candidates).toHaveLength(top);
  });

  it('says how usual birds are at a place stated by the user or the file, but not at an assumed place', async () => {
    const path = folder.write('a.wav', makeWav({ seconds: 3 }));
    const wordsAt = async (place: Partial<AnalysisRequest>) =>
      new Set((await identify(path, { top: 200, ...place })).candidates.map(({ occurrenceWord = 'unsaid' }) => occurrenceWord));
    const cambridge = { latitude: 52.2, longitude: 0.12, week: 18 };
    expect(await wordsAt(cambridge)).toEqual(new Set(['expected', 'seldomReported', 'notKnown']));
    expect(await wordsAt({ ...cambridge, placeSource: 'file' })).not.toContain('unsaid');
    expect(await wordsAt({ timeZone: 'Europe/London' })).toEqual(new Set(['unsaid']));
  });

  it('lets its caller make the prediction from the evidence, and makes it itself when the caller declines', async () => {
    const path = folder.write('a.wav', makeWav({ seconds: 4 }));
    const ask = { path, fileName: null };
    const here = await (await open()).analyze(ask, { signal: noSignal, conclude: () => null });
    let handed: Evidence | null = null;
    const elsewhere = await (await open()).analyze(ask, {
      signal: noSignal,
      conclude: async (evidence, { conditions }) => {
        handed = structuredClone(evidence);
        const { verdict, candidates, detections, hiddenByLocation, otherSounds, checkUp } = here;
        expect(conditions).toEqual(here.conditions);
        return { evidence: handed, worded: { verdict, candidates, detections, hiddenByLocation, otherSounds, checkUp } };
      },
      onEvidence: (evidence) => expect(evidence).toBe(handed),
    });
    expect(elsewhere.candidates).toBe(here.candidates);
    expect(handed).not.toBeNull();
  });

  it('reports progress that never goes back', async () => {
    const path = folder.write('long.wav', makeWav({ seconds: 20 }));
    const told: AnalysisProgress[] = [];
    const options = { signal: noSignal, onProgress: (progress: AnalysisProgress) => told.push(progress) };
    await (await open()).analyze({ path, fileName: null, overlapSeconds: 0 }, options);
    const fractions = told.map(({ fraction }) => fraction ?? -1);
    expect(fractions.length).toBeGreaterThan(3);
    expect(fractions).toEqual([...fractions].sort((a, b) => a - b));
    expect(told.at(-1)).toMatchObject({ fraction: 1, analysedSeconds: 20 });
  });

  it('stops within half a second when it is cancelled, and leaves nothing running', async () => {
    const path = folder.write('long.wav', makeWav({ seconds: 120, sampleRate: 16_000 }));
    const controller = new AbortController();
    const reason = new DOMException('enough', 'AbortError');
    let cancelledAt = 0;
    const onProgress = () => {
      // biome-ignore lint/plugin: measures; to become a row of a benchmark
      cancelledAt ||= performance.now();
      controller.abort(reason);
    };
    const work = (await open()).analyze({ path, fileName: null }, { signal: controller.signal, onProgress });
    await expect(work).rejects.toBe(reason);
    // biome-ignore lint/plugin: measures; to become a row of a benchmark
    expect(performance.now() - cancelledAt).toBeLessThan(500);
    expect(await childProcesses()).toEqual([]);
  });

  it('passes on the problem of a bad recording, and analyses the next one', async () => {
    await expect(identify(folder.write('a.mp3', 'no sound'))).rejects.toMatchObject({ code: 'RECORDING_UNSUPPORTED' });
    await expect(identify(folder.write('a.mp3', makeWav({ seconds: 0.2 })))).rejects.toMatchObject({
      code: 'RECORDING_TOO_SHORT',
    });
    expect((await identify(folder.write('a.wav', makeWav()))).recording.durationSeconds).toBe(1);
  });
});

describe('Recomputing a prediction from its evidence for other conditions', () => {
  beforeEach(needsSharedFolder);

  it('gives the same prediction as a new analysis of the recording', async () => {
    const path = sharedPath('fixtures/audio/formats/dicrurus-macrocercus--aff8f11e.mp3');
    const opened = await open();
    const { prediction: first, evidence } = await hear(path);
    for (const request of [
      { latitude: 50.8, longitude: 12.9, week: 20, language: 'de' },
      { minScore: 0.6, top: 2 },
      { timeZone: 'Asia/Calcutta' },
      {},
    ]) {
      const fresh = await identify(path, { ...request });
      const again = await opened.answerer.reconsider(first, evidence, await opened.ask(request));
      expect(withoutTimes(again)).toEqual(withoutTimes(fresh));
      expect(again).toMatchObject({ id: first.id, createdAt: first.createdAt });
    }
  });
});

describe('The detections reported during an analysis', () => {
  beforeEach(needsSharedFolder);
  const path = sharedPath('fixtures/audio/soundscape.flac');
  const wordsOf = (birds: readonly { readonly scientificName: string; readonly confidenceWord?: string | undefined }[]) =>
    new Map(birds.map(({ scientificName, confidenceWord }) => [scientificName, confidenceWord]));

  it('have at the end of the analysis the confidences of the prediction, at the stated place', async () => {
    const analyzed = async (place: Partial<AnalysisRequest>) => {
      const early: EarlyDetection[][] = [];
      const onProgress = ({ detectionsSoFar }: AnalysisProgress) => void early.push(detectionsSoFar());
      const ask = { path, fileName: null, top: Number.POSITIVE_INFINITY, ...place };
      const { candidates } = await (await open()).analyze(ask, { signal: noSignal, onProgress });
      return { told: wordsOf(early.at(-1) ?? []), answered: wordsOf(candidates) };
    };
    const { told, answered } = await analyzed({});
    expect(told.size).toBeGreaterThan(5);
    for (const [bird, word] of told) expect(word).toBe(answered.get(bird) ?? 'none');
    expect(told.get('Haemorhous mexicanus')).toBe('perhaps');
    // The House Finch lives in America.
    const inSaxony = await analyzed({ latitude: 50.84, longitude: 12.93, week: 20 });
    expect(inSaxony.told.get('Haemorhous mexicanus')).toBe('none');
  });
});

describe('The occurrences of all labels as bytes (`occurrenceBytes`)', () => {
  it('are those at a place and week, or over the year in a time zone', async () => {
    const analyzer = await open();
    const [spring, winter, zone] = await Promise.all([
      analyzer.occurrenceBytes({ latitude: 50.8, longitude: 12.9, week: 20 }),
      analyzer.occurrenceBytes({ latitude: 50.8, longitude: 12.9, week: 1 }),
      analyzer.occurrenceBytes({ timeZone: 'Europe/Berlin' }),
    ]);
    expect([spring, winter, zone].map((bytes) => bytes?.length)).toEqual([6522, 6522, 6522]);
    expect(spring).not.toEqual(winter);
    const [likeliest] = await analyzer.expectedSpecies({ latitude: 50.8, longitude: 12.9, week: 20 });
    expect(occurrenceFromByte(Math.max(...(spring ?? []))) / (likeliest?.occurrence ?? 0)).toBeCloseTo(1, 1);
    expect(await analyzer.occurrenceBytes({ timeZone: 'Mars/Olympus' })).toBeNull();
  });
});

describe('The species expected at a place (`expectedSpecies`)', () => {
  it('are listed with the likeliest first, with names in the requested language', async () => {
    const species = await (await open()).expectedSpecies({ latitude: 50.8, longitude: 12.9, week: 20, language: 'de' });
    const blackbird = species.find(({ scientificName }) => scientificName === 'Turdus merula');
    expect(blackbird).toMatchObject({ commonName: 'Amsel' });
    expect(blackbird?.occurrence).toBeGreaterThan(0.9);
    expect(species.length).toBeGreaterThan(100);
    expect(species.length).toBeLessThan(400);
    const occurrences = species.map(({ occurrence }) => occurrence);
    expect(occurrences).toEqual([...occurrences].sort((a, b) => b - a));
    expect(species.map(({ scientificName }) => scientificName)).not.toContain('Engine');
  });
});

const answersSchema = z.object({
  recordings: z.array(
    z.object({
      file: z.string(),
      answers: z.array(
        z.object({
          place: z.object({ latitude: z.number(), longitude: z.number(), week: z.number() }).nullable(),
          top: z.array(z.object({ scientificName: z.string(), confidence: z.number(), score: z.number() })),
        }),
      ),
    }),
  ),
});

describe('Predictions for real recordings', () => {
  beforeEach(needsSharedFolder);
  const folder = temporaryFolder();

  it('agree with the reference implementation about scores and the surest bird, with and without a place', async () => {
    const opened = await open();
    const { recordings } = answersSchema.parse(JSON.parse(readFileSync(sharedPath('fixtures/answers/recordings.json'), 'utf8')));
    expect(recordings).not.toEqual([]);
    for (const { file, answers } of recordings) {
      const { prediction, evidence } = await hear(sharedPath(file));
      for (const { place, top } of answers) {
        // −1 is the whole year.
        const { week = -1, ...where } = place ?? {};
        const question = await opened.ask({ ...where, ...(week > 0 ? { week } : {}), top: Number.POSITIVE_INFINITY });
        const { candidates } = await opened.answerer.reconsider(prediction, evidence, question);
        for (const [rank, { scientificName, confidence, score }] of top.entries()) {
          if (confidence < 0.05) continue;
          const found = candidates.find((candidate) => candidate.scientificName === scientificName);
          const about = `${file} ${JSON.stringify(place)} ${scientificName}`;
          // The reference judges further birds like the surest.
          if (rank === 0) expect(Math.abs((found?.confidence ?? 2) - confidence), about).toBeLessThanOrEqual(0.01);
          expect(Math.abs((found?.score ?? 2) - score), about).toBeLessThanOrEqual(0.01);
        }
        const [first, second] = top;
        if ((first?.confidence ?? 0) - (second?.confidence ?? 0) > 0.02) {
          expect(candidates[0]?.scientificName).toBe(first?.scientificName);
        }
      }
    }
  });

  it.each([
    [['soundscape.flac', 'soundscape.mp3', 'soundscape.ogg'], 'Junco hyemalis'],
    [['formats/certhia-familiaris--091713ed.m4a', 'formats/certhia-familiaris--c4c65743.webm'], 'Certhia familiaris'],
  ])('name the same bird first in each audio format (%j)', async (files, expected) => {
    for (const file of files) {
      const { candidates } = await identify(sharedPath(`fixtures/audio/${file}`));
      expect(candidates[0]?.scientificName).toBe(expected);
    }
  });

  it('have the same first bird after conversion to every format', async () => {
    const source = sharedPath('fixtures/audio/formats/corvus-monedula--04607669.flac');
    const reference = await identify(source);
    const formats = [
      ['a.wav', '-c:a', 'pcm_s24le'],
      ['f.wav', '-c:a', 'pcm_f32le'],
      ['stereo.wav', '-ac', '2'],
      ['ima.wav', '-c:a', 'adpcm_ima_wav'],
      ['mulaw.wav', '-c:a', 'pcm_mulaw'],
      ['a.aiff'],
      ['a.caf'],
      ['a.m4a', '-c:a', 'aac', '-b:a', '128k'],
      ['alac.m4a', '-c:a', 'alac'],
      ['a.mp3', '-b:a', '128k'],
      ['a.ogg', '-c:a', 'libvorbis'],
      ['a.opus', '-c:a', 'libopus'],
      ['a.webm', '-c:a', 'libopus'],
      ['a.wma', '-c:a', 'wmav2'],
      ['a.wv'],
      ['48k.flac', '-ar', '48000'],
    ] as const;
    for (const [name, ...args] of formats) {
      const { candidates } = await identify(await encode(source, folder.path, name, ...args));
      expect(candidates[0], name).toMatchObject({ scientificName: 'Corvus monedula' });
      expect(Math.abs((candidates[0]?.confidence ?? 0) - (reference.candidates[0]?.confidence ?? 0)), name).toBeLessThan(0.05);
    }
  });
});
