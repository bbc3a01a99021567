import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { type AnalysisService, COPY_MEDIA_TYPE, PredictionError, type Stretch } from '@chiffchaff/analysis';
import {
  type KeepAudio,
  type KeptAudio,
  type Recording,
  SHORT_RECORDING_SECONDS,
  type SpectrogramQuery,
} from '@chiffchaff/contract';
import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '../../database/database.ts';
import { existing, HttpProblem } from '../../http/http-problem.ts';
import { type ConnectedRequester, createFairLimiter } from '../../http/limits/fair-limiter.ts';
import { repeat } from '../../repeat.ts';
import type { ByteRange, LocalFile, ObjectStorage } from '../../storage/object-storage.ts';
import { createCachedWork } from '../cached-work.ts';
import { createKeptAudioScheduler, LONG_SECONDS } from './kept-audio-scheduler.ts';
import {
  hasPart,
  missingParts,
  nameOfPart,
  playableAsSent,
  prepareSound,
  removeAllBut,
  type SoundKind,
  type SoundPart,
  sourceOf,
  wantedParts,
} from './prepare-sound.ts';
import { createSoundStore, type KeptSound } from './sound-store.ts';

export interface AudioRetentionOptions {
  readonly database: Database;
  /** kept audio is in its objects `audio/…` */
  readonly storage: ObjectStorage;
  readonly service: Pick<AnalysisService, 'copySound' | 'writeSpectrum' | 'drawTile' | 'cutClip'>;
  readonly log: FastifyBaseLogger;
  readonly retentionDays: number;
  /** How long a request waits for audio that is being prepared. */
  readonly patienceMs?: number;
  /** milliseconds since 1970 */
  readonly now?: (() => number) | undefined;
}

/** An account's recording that has just been answered, and what was asked to be kept of its audio. */
export interface AnsweredRecording {
  readonly accountId: string;
  readonly predictionId: string;
  /** The recording's name in the storage. It is removed after the call; to keep it, move it to another name. */
  readonly upload: string;
  readonly recording: Recording;
  readonly excerpts: KeptSound['moments'];
  /** null when the request did not say; then the account's setting counts */
  readonly keepAudio: KeepAudio | null;
  /** Whether the user asked for the whole recording for the next half hour, to listen to. */
  readonly listeningCopy: boolean;
}

/** The prediction whose audio is kept. */
export type SoundOf = Pick<KeptSound, 'accountId' | 'predictionId'>;

/** Audio to send. */
export interface PlayableSound {
  readonly bytes: number;
  /** Streams a range of it. @throws HttpProblem NOT_FOUND when it has been removed. @throws StorageError */
  read(range: ByteRange): Promise<Readable>;
  readonly mediaType: string;
}

const DAY_MS = 86_400_000;
const LISTENING_COPY_MS = 30 * 60_000;
const DEFAULT_PATIENCE_MS = 5_000;
const LOOK_EVERY_MS = 200;
/** A worker renews its lease on the audio it prepares every `TAKE_UP_EVERY_MS`. After this long without renewal it is presumed dead. */
const LEASE_MS = 30_000;
const TAKE_UP_EVERY_MS = 8_000;
/** Files are written right after the row. A row still without files after this long was left by a crash. */
const FILES_FOLLOW_MS = 60_000;
/** Preparation is retried for this long after the answer, in case a decoder, a disk or the machine fails and is repaired. */
const TRIED_AGAIN_FOR_MS = 3_600_000;
/** Nothing is kept any more, by every machine's clock. Such a row is due until it is deleted. */
const ENDED = { recordingUntilMs: 0, momentsUntilMs: 0 };

export type AudioRetention = Awaited<ReturnType<typeof openAudioRetention>>;
/** What predictions need from it. */
export type SoundsOfPredictions = Pick<AudioRetention, 'keepSound' | 'keptAudioOf' | 'forget' | 'forgetAccount'>;

/** What is kept of recordings' audio, and for how long. Ids are those of predictions, never idempotency keys. */
export async function openAudioRetention(options: AudioRetentionOptions) {
  const { database, storage, service, log, retentionDays, patienceMs = DEFAULT_PATIENCE_MS, now = () => Date.now() } = options;
  const store = createSoundStore(database);
  const isShared = storage.isShared;
  /** Until when not to retry what failed by its recording: each time about twice as long. */
  const restsUntilMs = new Map<string, number>();
  const scheduler = createKeptAudioScheduler({
    async prepare(sound, { signal, isWaitedFor }) {
      await prepareSound(sound, { storage, service, signal, isWaitedFor });
      await endPreparation(sound);
    },
    async onFailure(sound, error) {
      log.error({ err: error, predictionId: sound.predictionId }, 'the audio of a recording could not be prepared');
      const ageMs = now() - sound.createdAtMs;
      if (ageMs <= TRIED_AGAIN_FOR_MS) {
        // A sweep retries. The recording has been answered, so it is not alone at fault; but one that is takes little of the machine.
        if (isOfRecording(error)) restsUntilMs.set(sound.id, now() + ageMs);
        return;
      }
      await discard(sound).catch((failure: unknown) => log.error({ err: failure }, 'kept audio could not be removed yet'));
    },
  });
  /** One is decoded while another is transformed. A page of the history draws as many tiles as it has entries. */
  const limiter = createFairLimiter({ atOnce: 2, eachAtOnce: 2, mostEach: 64, most: 192 });
  /** The latest tiles, because panning back and forth requests the same ones, and clips: each less than a megabyte. */
  const made = createCachedWork<Uint8Array>(64);

  /** What is kept now: the whole recording if there is one, else excerpts. */
  function kindNow({ recordingUntilMs, momentsUntilMs }: KeptSound): SoundKind | null {
    if (recordingUntilMs !== null && recordingUntilMs > now()) return 'recording';
    return momentsUntilMs !== null && momentsUntilMs > now() ? 'moments' : null;
  }

  function describe(sound: KeptSound): KeptAudio | null {
    const kind = kindNow(sound);
    if (kind === null) return null;
    const { recordingUntilMs, momentsUntilMs, moments } = sound;
    const iso = (untilMs: number | null): string => new Date(untilMs ?? 0).toISOString();
    if (kind === 'moments') return { kind, keptUntil: iso(momentsUntilMs), moments: [...moments] };
    return {
      kind,
      keptUntil: iso(recordingUntilMs),
      ...(momentsUntilMs === null ? {} : { momentsKeptUntil: iso(momentsUntilMs) }),
    };
  }

  /** What is kept now of an account's predictions, or only of these, by their ids. Those of which nothing is kept are left out. */
  async function keptAudioOf(accountId: string, predictionIds?: readonly string[]): Promise<ReadonlyMap<string, KeptAudio>> {
    const sounds = await store.ofAccount(accountId, predictionIds);
    return new Map(
      sounds.flatMap((sound) => {
        const kept = describe(sound);
        return kept === null ? [] : [[sound.predictionId, kept]];
      }),
    );
  }

  function planSound(answered: AnsweredRecording, keepAudio: KeepAudio, bytes: number): KeptSound | null {
    const { accountId, predictionId, recording, excerpts: moments, listeningCopy } = answered;
    const { durationSeconds, channels } = recording;
    const kept = keepAudio === 'shortRecording' ? kindByLength(durationSeconds) : keepAudio;
    const keptUntilMs = now() + retentionDays * DAY_MS;
    const copyUntilMs = listeningCopy ? now() + LISTENING_COPY_MS : null;
    const recordingUntilMs = kept === 'recording' ? keptUntilMs : copyUntilMs;
    const momentsUntilMs = kept === 'moments' && moments.length > 0 ? keptUntilMs : null;
    if (recordingUntilMs === null && momentsUntilMs === null) return null;
    return {
      id: randomUUID(),
      accountId,
      predictionId,
      createdAtMs: now(),
      recordingUntilMs,
      momentsUntilMs,
      moments,
      durationSeconds,
      channels,
      asSentType: recordingUntilMs === null ? null : playableAsSent(recording, bytes),
      preparedAtMs: null,
      preparingUntilMs: isShared ? leaseEnd() : null,
    };
  }

  /**
   * Removes audio for good that only this machine may be preparing, and is not. It is no longer found from the first step on. If a later
   * one fails, the row is still due, and the next sweep repeats this.
   */
  async function discard({ id }: KeptSound): Promise<void> {
    restsUntilMs.delete(id);
    await store.update([id], ENDED, { freesRoom: true });
    await removeAllBut(storage, id, []);
    await store.remove(id);
  }

  /** Like `discard`, for any audio. If another machine is preparing it, the row stays until that has ended, for what it may yet write. */
  async function stopAndDiscard({ id }: KeptSound): Promise<void> {
    await store.update([id], ENDED, { freesRoom: true });
    const isOurs = scheduler.has(id);
    await scheduler.stop(id);
    await removeAllBut(storage, id, []);
    await store.remove(id, isOurs ? null : now());
  }

  /** Ends what has expired. Its files go at once, unless excerpts that stay are still to be made from them. */
  async function expire(sound: KeptSound): Promise<void> {
    const untilLater = (untilMs: number | null): number | null => (untilMs !== null && untilMs > now() ? untilMs : null);
    const { id, recordingUntilMs, momentsUntilMs } = sound;
    const kept = { recordingUntilMs: untilLater(recordingUntilMs), momentsUntilMs: untilLater(momentsUntilMs) };
    if (kept.recordingUntilMs === null && kept.momentsUntilMs === null) return stopAndDiscard(sound);
    // Preparation restarts without the expired parts, and removes them. With a bucket, a worker restarts it.
    await scheduler.stop(id);
    await store.update([id], { ...kept, preparedAtMs: null }, { freesRoom: true });
    if (!isShared) await takeUp({ ...sound, ...kept });
  }

  const leaseEnd = (): number => now() + LEASE_MS;

  /** Another machine may have ended parts, or all of it, during preparation. */
  async function endPreparation(sound: KeptSound): Promise<void> {
    restsUntilMs.delete(sound.id);
    await store.update([sound.id], { preparedAtMs: now(), preparingUntilMs: null }, { patient: true });
    const current = await store.find(sound.accountId, sound.predictionId);
    if (current === null || kindNow(current) === null) await discard(sound);
    else await removeAllBut(storage, sound.id, wantedParts(current));
  }

  async function takeUp(sound: KeptSound): Promise<void> {
    if (scheduler.has(sound.id) || now() < (restsUntilMs.get(sound.id) ?? 0)) return;
    const missing = await missingParts(storage, sound);
    if (missing.length === 0) return endPreparation(sound);
    if ((await sourceOf(storage, sound)) !== null || !missing.some(needsSource)) return scheduler.begin(sound);
    if (now() - sound.createdAtMs < FILES_FOLLOW_MS) return;
    log.warn({ predictionId: sound.predictionId }, 'kept audio is missing');
    await discard(sound);
  }

  async function takeUpUnprepared(): Promise<void> {
    await store.update(scheduler.ids(), { preparingUntilMs: leaseEnd() });
    for (const sound of await store.claimUnprepared(now(), leaseEnd())) await takeUp(sound);
  }

  async function sweep(): Promise<void> {
    const movedMs = await store.noteSweep(now());
    if (movedMs !== 0) {
      log.warn(
        { days: Math.round(movedMs / DAY_MS) },
        'no server ran, or the clock was changed; the end of all kept audio moved by as many days',
      );
      restsUntilMs.clear();
    }
    for (const sound of await store.due(now())) await expire(sound);
    // With a bucket, workers resume these.
    if (!isShared) for (const sound of await store.unprepared()) await takeUp(sound);
  }

  /** Waits until one of the parts exists. @returns its name, and the current row */
  async function waitForAnyPart(
    { accountId, predictionId }: SoundOf,
    signal: AbortSignal,
    parts: (sound: KeptSound) => readonly SoundPart[],
  ): Promise<{ sound: KeptSound; part: SoundPart }> {
    const givesUpAt = performance.now() + patienceMs;
    for (;;) {
      const sound = await store.find(accountId, predictionId);
      if (sound === null || kindNow(sound) === null) throw new HttpProblem('NOT_FOUND', {});
      for (const part of parts(sound)) if (await hasPart(storage, sound.id, part)) return { sound, part };
      scheduler.hurry(sound.id);
      if (performance.now() > givesUpAt) {
        throw new HttpProblem('SOUND_NOT_READY', { retryAfterSeconds: sound.durationSeconds > LONG_SECONDS ? 10 : 2 });
      }
      await wait(LOOK_EVERY_MS, undefined, { signal });
    }
  }

  async function open(sound: KeptSound, part: SoundPart, signal: AbortSignal): Promise<LocalFile> {
    return existing(await storage.open(nameOfPart(sound.id, part), signal));
  }

  /**
   * Reads kept audio, or the original instead of a copy that does not exist yet. Reads again if the original was deleted meanwhile because
   * its copy was finished.
   */
  async function readAudio<T>(of: SoundOf, signal: AbortSignal, read: (path: string, part: SoundPart) => Promise<T>): Promise<T> {
    const { sound, part } = await waitForAnyPart(of, signal, visible);
    try {
      await using file = await open(sound, part, signal);
      return await read(file.path, part);
    } catch (error) {
      const isMoved = part === 'original' && !(await hasPart(storage, sound.id, part));
      if (signal.aborted || !isMoved) throw error;
      return readAudio(of, signal, read);
    }
  }

  /** Call this only where something is kept. */
  const kindOf = (sound: KeptSound): SoundKind => kindNow(sound) ?? 'moments';
  const stretchesOf = (sound: KeptSound): KeptSound['moments'] =>
    kindOf(sound) === 'moments' ? sound.moments : [{ startSeconds: 0, endSeconds: sound.durationSeconds, offsetSeconds: 0 }];
  /** A spectrogram can be drawn from the original instead of a copy. */
  const visible = (sound: KeptSound): readonly SoundPart[] => [kindOf(sound), 'original'];

  let preparing: { close(): Promise<void> } | null = null;

  return {
    store,
    /** With a bucket: starts to prepare what no other machine prepares. */
    async startPreparing(): Promise<void> {
      await takeUpUnprepared();
      preparing = repeat(takeUpUnprepared, TAKE_UP_EVERY_MS, (error) =>
        log.error({ err: error }, 'unfinished audio could not be resumed'),
      );
    },
    /** Removes what has expired and resumes what is unfinished, without reading anything else. */
    sweep,
    /** Of these ids, parts seem to be missing: they are made again, or the audio is given up if it is not there and has no source. */
    prepareAgain: (ids: readonly string[]): Promise<void> => store.update(ids, { preparedAtMs: null }),

    /**
     * Called when the prediction is stored and before its upload is removed. The answer waits for it, so slow work is done afterwards.
     * Called again for the same prediction after a crash; its upload may already have been taken over then.
     */
    async keepSound(answered: AnsweredRecording): Promise<void> {
      const { accountId, predictionId, upload } = answered;
      let sound = await store.find(accountId, predictionId);
      let isNew = false;
      if (sound === null) {
        const bytes = await storage.bytesOf(upload);
        if (bytes === null) return;
        const plan = planSound(answered, answered.keepAudio ?? (await store.settingOf(accountId)), bytes);
        if (plan === null) return;
        sound = await store.add(plan);
        isNew = sound.id === plan.id;
      }
      if ((await sourceOf(storage, sound)) === null && (await missingParts(storage, sound)).some(needsSource)) {
        await storage.move(upload, nameOfPart(sound.id, sound.asSentType === null ? 'original' : 'recording'));
      }
      if (isNew || !isShared) await takeUp(sound);
    },

    keptAudioOf,

    /** Removes all audio of one prediction; called when its deletion can no longer be undone. Idempotent. */
    async forget(accountId: string, predictionId: string): Promise<void> {
      const sound = await store.find(accountId, predictionId);
      if (sound !== null) await stopAndDiscard(sound);
    },

    /** Removes all audio of a deleted account and its setting, or only audio kept up to a time. Idempotent. */
    async forgetAccount(accountId: string, createdUntilMs?: number): Promise<void> {
      if (createdUntilMs === undefined) await store.forgetSetting(accountId);
      for (const sound of await store.ofAccount(accountId)) {
        if (createdUntilMs === undefined || sound.createdAtMs <= createdUntilMs) await stopAndDiscard(sound);
      }
    },

    /** A prediction's kept audio. @throws HttpProblem NOT_FOUND, SOUND_NOT_READY. @throws StorageError */
    async play(accountId: string, predictionId: string, signal: AbortSignal): Promise<PlayableSound> {
      const { sound, part } = await waitForAnyPart({ accountId, predictionId }, signal, (found) => [kindOf(found)]);
      const mediaType = part === 'moments' ? COPY_MEDIA_TYPE : (sound.asSentType ?? COPY_MEDIA_TYPE);
      const name = nameOfPart(sound.id, part);
      const bytes = existing(await storage.bytesOf(name));
      return {
        bytes,
        mediaType,
        read: async (range) => existing(await storage.read(name, range, signal)),
      };
    },

    /** The spectrogram of a stretch. @throws HttpProblem NOT_FOUND, SOUND_NOT_READY, SERVER_BUSY */
    async show(of: SoundOf, query: SpectrogramQuery, requester: ConnectedRequester): Promise<Uint8Array> {
      const { sound, part: spectrumPart } = await waitForAnyPart(of, requester.signal, (found) => [`${kindOf(found)}.spectrum`]);
      const moments = stretchesOf(sound);
      return made([sound.id, spectrumPart, query], requester.signal, (signal) =>
        readAudio(of, signal, async (path, part) => {
          await using spectrum = await open(sound, spectrumPart, signal);
          const task = { path, spectrumPath: spectrum.path, moments, isWhole: part !== 'moments', query };
          return await limiter.run({ ...requester, signal }, () => service.drawTile(task, signal));
        }),
      );
    },

    /** A stretch as a file of its own. @throws HttpProblem NOT_FOUND if it is not kept, SOUND_NOT_READY, SERVER_BUSY */
    async cut(of: SoundOf, stretch: Stretch, requester: ConnectedRequester): Promise<Uint8Array> {
      const { sound } = await waitForAnyPart(of, requester.signal, visible);
      const { startSeconds, endSeconds } = stretch;
      const home = existing(stretchesOf(sound).find((one) => one.startSeconds <= startSeconds && endSeconds <= one.endSeconds));
      return made([sound.id, stretch], requester.signal, (signal) =>
        readAudio(of, signal, (path, part) => {
          const laterSeconds = part === 'moments' ? home.offsetSeconds - home.startSeconds : 0;
          const inFile = { startSeconds: startSeconds + laterSeconds, endSeconds: endSeconds + laterSeconds };
          return limiter.run({ ...requester, signal }, () => service.cutClip({ path, stretch: inFile }, signal));
        }),
      );
    },

    /** Resolves when this process is preparing no audio. */
    settled: scheduler.settled,

    /** Interrupts preparation; the next start resumes it. */
    async close(): Promise<void> {
      await preparing?.close();
      await scheduler.close();
    },
  };
}

/** Whether the recording seems to be at fault. */
export const isOfRecording = (error: unknown): boolean => error instanceof PredictionError && error.code.startsWith('RECORDING_');

/** What is kept of a recording where only short ones are kept whole. */
const kindByLength = (durationSeconds: number): SoundKind =>
  durationSeconds < SHORT_RECORDING_SECONDS ? 'recording' : 'moments';

/** Parts that can be made only from the recording as it was sent. */
const needsSource = (part: SoundPart): boolean => part === 'recording' || part === 'moments';
