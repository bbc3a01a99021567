import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { type AnalysisService, COPY_MEDIA_TYPE, PredictionError, type Stretch } from '@chiffchaff/analysis';
import type { KeepAudio, KeptAudio, Recording, SpectrogramQuery } from '@chiffchaff/contract';
import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '../../database/open-database.ts';
import { HttpProblem } from '../../http/http-problem.ts';
import type { ByteRange, LocalFile, ObjectStorage } from '../../storage/object-storage.ts';
import { createSweeper } from '../sweeper.ts';
import { createPreparations, LONG_SECONDS } from './preparations.ts';
import { missingParts, playableAsSent, prepareSound, sourceOf, wantedParts } from './prepare-sound.ts';
import { openSoundFolder, type SoundKind, type SoundPart } from './sound-folder.ts';
import { createSoundStore, type KeptSound } from './sound-store.ts';
import { createTiles } from './tiles.ts';

export interface AudioRetentionOptions {
  readonly database: Database;
  /** sound lies in `audio` of it */
  readonly storage: ObjectStorage;
  readonly service: Pick<AnalysisService, 'copySound' | 'writeOverview' | 'drawTile'>;
  readonly log: FastifyBaseLogger;
  readonly retentionDays: number;
  /** How long a request waits for sound that is being made. */
  readonly patienceMs?: number;
  /** milliseconds since 1970 */
  readonly now?: (() => number) | undefined;
}

/** A recording of an account that has just been answered, and what was asked to be kept of its sound. */
export interface AnsweredRecording {
  readonly accountId: string;
  readonly predictionId: string;
  /** The recording's name in the storage. It is removed after the call; what keeps it takes it over by giving it another. */
  readonly upload: string;
  readonly recording: Recording;
  readonly excerpts: KeptSound['moments'];
  /** null when the request did not say: the account's setting counts. */
  readonly keepAudio: KeepAudio | null;
  /** Whether the person chose to have all of it for the next half hour, to listen to. */
  readonly listeningCopy: boolean;
}

/** Sound to be sent. */
export interface PlayableSound {
  /** of a file of this machine; null where it comes from a bucket */
  readonly path: string | null;
  readonly bytes: number;
  /** All of it or a stretch, as it comes. @throws HttpProblem NOT_FOUND when it has been removed meanwhile. @throws StorageError */
  read(range: ByteRange): Promise<Readable>;
  readonly mediaType: string;
}

const DAY_MS = 86_400_000;
const LISTENING_COPY_MS = 30 * 60_000;
const SWEEP_EVERY_MS = 60_000;
const DEFAULT_PATIENCE_MS = 5_000;
const LOOK_EVERY_MS = 100;
const LOOK_IN_BUCKET_EVERY_MS = 500;
/** A worker that is at a sound says so as often as it looks for others; after so long without that it is believed to be gone. */
const LEASE_MS = 30_000;
const TAKE_UP_EVERY_MS = 8_000;
/** Rows and files are compared, for what a killed process has left. */
const CHECK_EVERY_MS = DAY_MS;
const CHECKED_AT_ONCE = 500;
/** A sound's files come right behind its row; when they have not by then, they never will. */
const FILES_FOLLOW_MS = 60_000;
/** A decoder or a disk that fails is given so long to be mended, counted from the answer. */
const TRIED_AGAIN_FOR_MS = 3_600_000;

export type AudioRetention = Awaited<ReturnType<typeof openAudioRetention>>;
/** What predictions need of it. */
export type SoundsOfPredictions = Pick<AudioRetention, 'keepSound' | 'keptAudioOf' | 'forget' | 'forgetAccount'>;

/**
 * What is kept of recordings' sound, and for how long, beside the predictions. Ids are those of predictions, never idempotency keys. It sweeps
 * from `start()` on.
 */
export async function openAudioRetention(options: AudioRetentionOptions) {
  const { database, storage, service, log, retentionDays, patienceMs = DEFAULT_PATIENCE_MS, now = Date.now } = options;
  const store = createSoundStore(database);
  const folder = await openSoundFolder(storage);
  const isShared = storage.bucket !== null;
  const preparations = createPreparations({
    async prepare(sound, { signal, isWaitedFor }) {
      await prepareSound(sound, { folder, service, signal, isWaitedFor });
      await endPreparation(sound);
    },
    async onFailure(sound, error) {
      log.error({ err: error, predictionId: sound.predictionId }, 'the audio of a recording could not be prepared');
      // The next sweep tries again what may be no fault of the recording's.
      if (!isOfRecording(error) && now() - sound.createdAtMs <= TRIED_AGAIN_FOR_MS) return;
      await discard(sound).catch((failure: unknown) => log.error({ err: failure }, 'kept audio could not be removed yet'));
    },
  });
  const drawTile = createTiles(service);
  // A start looks through a folder at once: nothing else notices what is gone from it.
  let checkedAtMs = isShared ? performance.now() : Number.NEGATIVE_INFINITY;

  /** What is kept of a sound now: all of it as long as there is that, else moments. */
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
      ...{ kind, keptUntil: iso(recordingUntilMs) },
      ...(momentsUntilMs === null ? {} : { momentsKeptUntil: iso(momentsUntilMs) }),
    };
  }

  function planSound(heard: AnsweredRecording, keepAudio: KeepAudio, bytes: number): KeptSound | null {
    const { accountId, predictionId, recording, excerpts: moments, listeningCopy } = heard;
    const keptUntilMs = now() + retentionDays * DAY_MS;
    const copyUntilMs = listeningCopy ? now() + LISTENING_COPY_MS : null;
    const recordingUntilMs = keepAudio === 'recording' ? keptUntilMs : copyUntilMs;
    const momentsUntilMs = keepAudio === 'moments' && moments.length > 0 ? keptUntilMs : null;
    if (recordingUntilMs === null && momentsUntilMs === null) return null;
    const { durationSeconds, channels } = recording;
    return {
      ...{ id: randomUUID(), accountId, predictionId, createdAtMs: now() },
      ...{ recordingUntilMs, momentsUntilMs, moments, durationSeconds, channels },
      asSentType: recordingUntilMs === null ? null : playableAsSent(recording, bytes),
      ...{ preparedAtMs: null, preparingUntilMs: isShared ? leaseEnd() : null },
    };
  }

  /** Removes a sound for good: first the row, so that it is not found any more. */
  async function discard({ id }: KeptSound): Promise<void> {
    await store.end(id, 'all');
    await folder.removeAll(id);
  }

  async function stopAndDiscard(sound: KeptSound): Promise<void> {
    await store.end(sound.id, 'all');
    await preparations.stop(sound.id);
    await folder.removeAll(sound.id);
  }

  /**
   * Files first: a row that is left tells the next sweep what is still to be done. Only a recording of which moments are still to be made,
   * as after hours without a server, goes the other way round: it is not found any more, and its files go when these are made.
   */
  async function expire(sound: KeptSound): Promise<void> {
    const isDue = (untilMs: number | null): boolean => untilMs !== null && untilMs <= now();
    const staysRecording = sound.recordingUntilMs !== null && !isDue(sound.recordingUntilMs);
    const staysMoments = sound.momentsUntilMs !== null && !isDue(sound.momentsUntilMs);
    if (!staysRecording && !staysMoments) return stopAndDiscard(sound);
    // What is still being made is begun again without what is due.
    await preparations.stop(sound.id);
    if (isDue(sound.recordingUntilMs)) {
      const missing = staysMoments ? await missingParts(folder, { ...sound, recordingUntilMs: null }) : [];
      if (!missing.some(needsSource)) await folder.remove(sound.id, ['recording', 'recording.spectrum']);
      await store.end(sound.id, 'recording');
    }
    if (isDue(sound.momentsUntilMs)) {
      await folder.remove(sound.id, ['moments', 'moments.spectrum']);
      await store.end(sound.id, 'moments');
    }
    const left = await store.find(sound.accountId, sound.predictionId);
    // In a bucket a worker takes it up.
    if (left !== null && !isShared) await takeUp(left);
  }

  const leaseEnd = (): number => now() + LEASE_MS;

  /** Another machine may have ended some of it, or all, while it was made here. */
  async function endPreparation({ id }: KeptSound): Promise<void> {
    const current = await store.notePrepared(id, now());
    if (current === null) await folder.removeAll(id);
    else await folder.removeAllBut(id, wantedParts(current));
  }

  async function takeUp(sound: KeptSound): Promise<void> {
    if (preparations.has(sound.id)) return;
    const missing = await missingParts(folder, sound);
    if (missing.length === 0) {
      return sound.preparedAtMs === null ? endPreparation(sound) : folder.removeAllBut(sound.id, wantedParts(sound));
    }
    if ((await sourceOf(folder, sound)) !== null || !missing.some(needsSource)) return preparations.begin(sound);
    if (now() - sound.createdAtMs < FILES_FOLLOW_MS) return;
    log.warn({ predictionId: sound.predictionId }, 'kept audio is missing');
    await discard(sound);
  }

  async function check(): Promise<void> {
    // Files first: what is made meanwhile has its row already.
    const found = await folder.ids();
    for (let first = 0; first < found.length; first += CHECKED_AT_ONCE) {
      const some = found.slice(first, first + CHECKED_AT_ONCE);
      const known = await store.known(some);
      for (const id of some) if (!known.has(id)) await folder.removeAll(id);
    }
    // To ask a bucket for each file would take too long.
    if (!isShared) for (const sound of await store.all()) await takeUp(sound);
  }

  async function takeUpUnprepared(): Promise<void> {
    await store.renew(preparations.ids(), leaseEnd());
    for (const sound of await store.claimUnprepared(now(), leaseEnd())) await takeUp(sound);
  }

  async function sweep(): Promise<void> {
    for (const sound of await store.due(now())) await expire(sound);
    // In a bucket, workers take these up by themselves.
    if (!isShared) for (const sound of await store.unprepared()) await takeUp(sound);
    if (performance.now() < checkedAtMs + CHECK_EVERY_MS) return;
    checkedAtMs = performance.now();
    await check();
  }

  /** Waits until one of the parts is there. @returns its name, and whatever is known of the sound by then */
  async function whenThere(
    ...[accountId, predictionId, signal, parts]: [string, string, AbortSignal, (sound: KeptSound) => readonly SoundPart[]]
  ): Promise<{ sound: KeptSound; part: SoundPart }> {
    const givesUpAt = performance.now() + patienceMs;
    for (;;) {
      const sound = await store.find(accountId, predictionId);
      if (sound === null || kindNow(sound) === null) throw new HttpProblem('NOT_FOUND', {});
      for (const part of parts(sound)) if (await folder.has(sound.id, part)) return { sound, part };
      preparations.hurry(sound.id);
      if (performance.now() > givesUpAt) {
        throw new HttpProblem('SOUND_NOT_READY', { retryAfterSeconds: sound.durationSeconds > LONG_SECONDS ? 10 : 2 });
      }
      await wait(isShared ? LOOK_IN_BUCKET_EVERY_MS : LOOK_EVERY_MS, undefined, { signal });
    }
  }

  async function open(sound: KeptSound, part: SoundPart, signal: AbortSignal): Promise<LocalFile> {
    const file = await folder.open(sound.id, part, signal);
    if (file === null) throw new HttpProblem('NOT_FOUND', {});
    return file;
  }

  /** Reads of a sound what is there; once more where the original, which goes when its copy is there, went meanwhile. */
  async function readOfSound<T>(sound: KeptSound, signal: AbortSignal, read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      if (signal.aborted || (await folder.has(sound.id, 'original')) || !(await folder.has(sound.id, kindOf(sound)))) throw error;
      return read();
    }
  }

  /** Only asked where something is kept. */
  const kindOf = (sound: KeptSound): SoundKind => kindNow(sound) ?? 'moments';
  /** To be looked at, the original will do in place of a copy. */
  const visible = (sound: KeptSound): readonly SoundPart[] => [kindOf(sound), 'original'];

  const sweeper = createSweeper(sweep, SWEEP_EVERY_MS, (error) => log.error({ err: error }, 'kept audio could not be checked'));

  const worker = createSweeper(takeUpUnprepared, TAKE_UP_EVERY_MS, (error) =>
    log.error({ err: error }, 'unfinished audio could not be resumed'),
  );

  return {
    store,
    /** In a bucket: makes what no other machine makes, from now on. */
    startPreparing: worker.start,
    /**
     * Removes what is due, and takes up what is unfinished; reads nothing else. Checks everything once a day, in a folder also the first time.
     * Runs by itself once started.
     */
    sweep,
    /** Compares all rows with all files: removes files that nothing owns, and takes up sounds of which files are gone. */
    check,

    /**
     * Called when the prediction is stored and before its upload is removed; the answer waits for it, so what takes long is done afterwards.
     * Called again for the same prediction when a killed process may not have come to its end: then the upload may have been taken over already.
     */
    async keepSound(heard: AnsweredRecording): Promise<void> {
      const { accountId, predictionId, upload } = heard;
      let sound = await store.find(accountId, predictionId);
      let isNew = false;
      if (sound === null) {
        const bytes = await storage.bytesOf(upload);
        if (bytes === null) return;
        const plan = planSound(heard, heard.keepAudio ?? (await store.settingOf(accountId)), bytes);
        if (plan === null) return;
        sound = await store.add(plan);
        isNew = sound.id === plan.id;
      }
      if ((await sourceOf(folder, sound)) === null && (await missingParts(folder, sound)).some(needsSource)) {
        await folder.takeOver(sound.id, sound.asSentType === null ? 'original' : 'recording', upload);
      }
      if (isNew || !isShared) await takeUp(sound);
    },

    /** What is kept now of these predictions; an id that is absent has nothing. */
    async keptAudioOf(accountId: string, predictionIds: readonly string[]): Promise<ReadonlyMap<string, KeptAudio>> {
      const kept = new Map<string, KeptAudio>();
      for (const sound of await store.findAll(accountId, predictionIds)) {
        const described = describe(sound);
        if (described !== null) kept.set(sound.predictionId, described);
      }
      return kept;
    },

    /** Removes all sound of one prediction; called when its deletion cannot be undone any more. Does no harm twice. */
    async forget(accountId: string, predictionId: string): Promise<void> {
      const sound = await store.find(accountId, predictionId);
      if (sound !== null) await stopAndDiscard(sound);
    },

    /** Removes all sound of an account that was deleted, and its setting, or only sound kept until a moment. Does no harm twice. */
    async forgetAccount(accountId: string, createdUntilMs?: number): Promise<void> {
      if (createdUntilMs === undefined) await store.forgetSetting(accountId);
      for (const sound of await store.ofAccount(accountId)) {
        if (createdUntilMs === undefined || sound.createdAtMs <= createdUntilMs) await stopAndDiscard(sound);
      }
    },

    /** Everything that is kept of an account, for its export. */
    async exportAccount(accountId: string): Promise<readonly (KeptAudio & { readonly predictionId: string })[]> {
      return (await store.ofAccount(accountId)).flatMap((sound) => {
        const kept = describe(sound);
        return kept === null ? [] : [{ predictionId: sound.predictionId, ...kept }];
      });
    },

    /** A prediction's sound. @throws HttpProblem NOT_FOUND, SOUND_NOT_READY. @throws StorageError */
    async play(accountId: string, predictionId: string, signal: AbortSignal): Promise<PlayableSound> {
      const { sound, part } = await whenThere(accountId, predictionId, signal, (found) => [kindOf(found)]);
      const mediaType = part === 'moments' ? COPY_MEDIA_TYPE : (sound.asSentType ?? COPY_MEDIA_TYPE);
      const bytes = await folder.bytesOf(sound.id, part);
      if (bytes === null) throw new HttpProblem('NOT_FOUND', {});
      return {
        ...{ path: folder.localPathOf(sound.id, part), bytes, mediaType },
        async read(range) {
          const stream = await folder.read(sound.id, part, range, signal);
          if (stream === null) throw new HttpProblem('NOT_FOUND', {});
          return stream;
        },
      };
    },

    /** What a stretch of it looks like. @throws HttpProblem NOT_FOUND, SOUND_NOT_READY, SERVER_BUSY */
    async show(accountId: string, predictionId: string, query: SpectrogramQuery, signal: AbortSignal): Promise<Uint8Array> {
      const { sound } = await whenThere(accountId, predictionId, signal, (found) => [`${kindOf(found)}.spectrum`]);
      const kind = kindOf(sound);
      const whole = [{ startSeconds: 0, endSeconds: sound.durationSeconds, offsetSeconds: 0 }];
      return readOfSound(sound, signal, async () => {
        const { part } = await whenThere(accountId, predictionId, signal, visible);
        await using file = await open(sound, part, signal);
        await using overview = await open(sound, `${kind}.spectrum`, signal);
        const files = { path: file.path, overviewPath: overview.path };
        const moments = kind === 'recording' ? whole : sound.moments;
        const isWhole = part !== 'moments';
        return await drawTile({ ...files, moments, isWhole, query }, signal);
      });
    },

    /**
     * Reads a stretch of a recording from a file that has it.
     *
     * @param read is told the file and where the stretch is in it; called again where the file went meanwhile
     * @throws HttpProblem NOT_FOUND where it is not kept, SOUND_NOT_READY
     */
    async readStretch<T>(
      ...[accountId, predictionId, stretch, signal, read]: [
        ...[accountId: string, predictionId: string, stretch: Stretch, signal: AbortSignal],
        read: (path: string, stretch: Stretch) => Promise<T>,
      ]
    ): Promise<T> {
      const { sound } = await whenThere(accountId, predictionId, signal, visible);
      const whole = { startSeconds: 0, endSeconds: sound.durationSeconds, offsetSeconds: 0 };
      const kept = kindOf(sound) === 'recording' ? [whole] : sound.moments;
      const home = kept.find((one) => one.startSeconds <= stretch.startSeconds && stretch.endSeconds <= one.endSeconds);
      if (home === undefined) throw new HttpProblem('NOT_FOUND', {});
      return readOfSound(sound, signal, async () => {
        const { part } = await whenThere(accountId, predictionId, signal, visible);
        const laterSeconds = part === 'moments' ? home.offsetSeconds - home.startSeconds : 0;
        await using file = await open(sound, part, signal);
        return await read(file.path, {
          startSeconds: stretch.startSeconds + laterSeconds,
          endSeconds: stretch.endSeconds + laterSeconds,
        });
      });
    },

    /** Resolves when this process makes nothing of any sound. */
    settled: preparations.settled,

    /** Sweeps now and from now on. */
    start: sweeper.start,

    /** Breaks off what is being made; the next start takes it up. */
    async close(): Promise<void> {
      await sweeper.close();
      await worker.close();
      await preparations.close();
    },
  };
}

/** Whether it lies in the recording that something cannot be made of it. */
const isOfRecording = (error: unknown): boolean => error instanceof PredictionError && error.code.startsWith('RECORDING_');

/** Parts that can be made from the recording as it was sent only. */
const needsSource = (part: SoundPart): boolean => part === 'recording' || part === 'moments';
