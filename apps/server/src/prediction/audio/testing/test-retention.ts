import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { chooseExcerpts, createAnalysisService } from '@chiffchaff/analysis';
import { ffmpegPath, makeWav, samplePrediction, type WavShape } from '@chiffchaff/analysis/testing';
import type { Detection, Prediction } from '@chiffchaff/contract';
import { pino } from 'pino';
import type { Database } from '../../../database/database.ts';
import { openFolderStorage } from '../../../storage/folder-storage.ts';
import { dropTestDatabase, openTestDatabase } from '../../../testing/test-database.ts';
import { type AnsweredRecording, type AudioRetention, openAudioRetention } from '../audio-retention.ts';

/** Audio retention with its own folder and database, and a clock that a test can set. */
export interface TestRetention {
  readonly sounds: AudioRetention;
  readonly database: Database;
  readonly logged: Record<string, unknown>[];
  /** milliseconds since 1970 */
  clock: number;
  /** The error of looking for a decoder; null for none. */
  noDecoder: Error | null;
  /** A recording that has just been answered. */
  hear(options?: HearOptions): Promise<AnsweredRecording & { readonly uploadPath: string }>;
  /** Waits until all wanted parts exist. */
  settled(): Promise<void>;
  /** Paths below the folder of kept audio; each recording's folder is called `sound`. */
  files(): Promise<string[]>;
  readonly folder: string;
  /** Restarts as after kill -9: nothing is finished or cleaned up. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export interface HearOptions extends Partial<Pick<AnsweredRecording, 'accountId' | 'keepAudio' | 'listeningCopy'>> {
  readonly wav?: WavShape;
  readonly detections?: readonly Detection[];
  readonly recording?: Partial<Prediction['recording']>;
}

export const detection = (startSeconds: number, endSeconds: number, score = 0.9, scientificName = 'Parus major'): Detection => ({
  ...{ scientificName, commonName: scientificName, startSeconds, endSeconds, score, confidence: score },
  ...{ occurrence: null, hidden: false },
});

export async function createTestRetention(patienceMs = 20_000): Promise<TestRetention> {
  const dataDir = await mkdtemp(join(tmpdir(), 'chiffchaff-sounds-'));
  const folder = join(dataDir, 'audio');
  const storage = openFolderStorage(dataDir);
  const logged: Record<string, unknown>[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => logged.push(JSON.parse(line)) });
  const database = await openTestDatabase(dataDir);
  const started: AudioRetention[] = [];

  async function start(): Promise<AudioRetention> {
    const sounds = await openAudioRetention({
      ...{ database, storage },
      service: createAnalysisService({
        openInstalled: async () => ({ missing: [] }),
        async findFfmpeg() {
          if (keeping.noDecoder !== null) throw keeping.noDecoder;
          return ffmpegPath;
        },
        modelFolderPath: '/nowhere',
      }),
      ...{ log, retentionDays: 30, patienceMs, now: () => keeping.clock },
    });
    started.push(sounds);
    return sounds;
  }

  const keeping = {
    clock: Date.parse('2026-05-01T06:00:00Z'),
    noDecoder: null as Error | null, // widened
    sounds: undefined as unknown as AudioRetention, // set below, before anybody can ask
    database,
    folder,
    logged,
    async hear({ wav = {}, detections = [detection(1, 4)], recording = {}, ...asked }: HearOptions = {}) {
      const upload = randomUUID();
      const uploadPath = join(dataDir, upload);
      const { seconds = 10, sampleRate = 48_000, channels = 1 } = wav;
      await writeFile(uploadPath, makeWav({ seconds, ...wav }));
      const predictionId = randomUUID();
      const heard = samplePrediction({ fileName: 'x.wav', durationSeconds: seconds, sampleRate, channels, ...recording });
      return {
        accountId: 'owner',
        predictionId,
        ...{ upload, uploadPath },
        recording: heard.recording,
        excerpts: chooseExcerpts({ ...heard, detections: [...detections] }),
        keepAudio: null,
        listeningCopy: false,
        ...asked,
      };
    },
    async settled() {
      for (;;) {
        const names = await keeping.files();
        const rows = await database.query.selectFrom('keptSounds').selectAll().execute();
        const wanted = rows.flatMap(({ momentsUntilMs, recordingUntilMs }) => [
          ...(momentsUntilMs === null ? [] : ['moments', 'moments.spectrum']),
          ...(recordingUntilMs === null ? [] : ['recording', 'recording.spectrum']),
        ]);
        const there = wanted.map((part) => `sound/${part}`).sort();
        if (isDeepStrictEqual(there, names)) return;
        await wait(50);
      }
    },
    async files() {
      const names: string[] = [];
      for await (const { name } of storage.list('audio/')) names.push(`sound/${name.split('/').at(-1)}`);
      return names.sort();
    },
    async restart() {
      // What still runs belongs to a process that is gone: its folder and database stay as they are.
      keeping.sounds = await start();
    },
    async close() {
      for (const sounds of started) await sounds.close();
      await database.close();
      await dropTestDatabase(dataDir);
      await rm(dataDir, { recursive: true, force: true });
    },
  } satisfies TestRetention;
  keeping.sounds = await start();
  return keeping;
}
