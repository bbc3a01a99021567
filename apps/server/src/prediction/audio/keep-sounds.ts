import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { type AnalysisService, COPY_MEDIA_TYPE, PredictionError } from '@chiffchaff/analysis';
import type { KeepAudio, KeptAudio, SpectrogramQuery } from '@chiffchaff/contract';
import type { FastifyBaseLogger } from 'fastify';
import { HttpProblem } from '../../http/http-problem.ts';
import type { HeardSound, SoundKeeper } from '../sound-keeper.ts';
import { playableAsSent } from './playable-as-sent.ts';
import { createPreparations, LONG_SECONDS } from './preparations.ts';
import { missingParts, prepareSound, sourceOf, wantedParts } from './prepare-sound.ts';
import type { SoundFolder, SoundKind, SoundPart } from './sound-folder.ts';
import type { KeptSound, SoundStore } from './sound-store.ts';
import { createTiles } from './tiles.ts';

export interface KeepSoundsOptions {
  readonly store: SoundStore;
  readonly folder: SoundFolder;
  readonly service: Pick<AnalysisService, 'copySound' | 'writeOverview' | 'drawTile'>;
  readonly log: FastifyBaseLogger;
  readonly retentionDays: number;
  /** How long a request waits for sound that is being made. */
  readonly patienceMs?: number;
  /** milliseconds since 1970 */
  readonly now?: (() => number) | undefined;
}

/** Sound to be sent. */
export interface PlayableSound {
  readonly path: string;
  readonly mediaType: string;
}

export interface KeptSounds extends SoundKeeper {
  readonly store: SoundStore;
  /** Everything that is kept of an account, for its export. */
  exportAccount(accountId: string): Promise<readonly (KeptAudio & { readonly predictionId: string })[]>;
  /**
   * Sound of an account's prediction.
   *
   * @throws HttpProblem NOT_FOUND, SOUND_NOT_READY
   */
  play(accountId: string, predictionId: string, signal: AbortSignal): Promise<PlayableSound>;
  /**
   * What a stretch of it looks like.
   *
   * @throws HttpProblem NOT_FOUND, SOUND_NOT_READY, SERVER_BUSY
   */
  show(accountId: string, predictionId: string, query: SpectrogramQuery, signal: AbortSignal): Promise<Uint8Array>;
  /** Removes what is due and what nobody owns, and takes up what an earlier run has left unfinished. Runs by itself once started. */
  sweep(): Promise<void>;
  /** Sweeps now and from now on. */
  start(): Promise<void>;
  /** Breaks off what is being made; the next start takes it up. */
  close(): Promise<void>;
}

const DAY_MS = 86_400_000;
const LISTENING_COPY_MS = 30 * 60_000;
const SWEEP_EVERY_MS = 60_000;
const DEFAULT_PATIENCE_MS = 5_000;
const LOOK_EVERY_MS = 100;
/** A sound's files come right behind its row; when they have not by then, they never will. */
const FILES_FOLLOW_MS = 60_000;
/** A decoder or a disk that fails is given so long to be mended, counted from the answer. */
const TRIED_AGAIN_FOR_MS = 3_600_000;

export function createKeptSounds(options: KeepSoundsOptions): KeptSounds {
  const { store, folder, service, log, retentionDays, patienceMs = DEFAULT_PATIENCE_MS, now = Date.now } = options;
  const preparations = createPreparations({
    prepare: (sound, { signal, isWaitedFor }) => prepareSound(sound, { folder, service, signal, isWaitedFor }),
    async onFailure(sound, error) {
      log.error({ err: error, predictionId: sound.predictionId }, 'the sound of a recording could not be prepared');
      // The next sweep tries again what may be no fault of the recording's.
      if (!isOfRecording(error) && now() - sound.createdAtMs <= TRIED_AGAIN_FOR_MS) return;
      await discard(sound).catch((failure: unknown) => log.error({ err: failure }, 'kept sound could not be removed yet'));
    },
  });
  const drawTile = createTiles(service);
  let sweeping: Promise<void> = Promise.resolve();
  let sweeps: NodeJS.Timeout | undefined;

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

  function planSound(heard: HeardSound, keepAudio: KeepAudio, bytes: number): KeptSound | null {
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
    };
  }

  /** Removes a sound for good: first the row, so that nobody is told of it any more. */
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
   * as after hours without a server, goes the other way round: nobody is told of it any more, and its files go when these are made.
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
    if (left !== null) await takeUp(left);
  }

  async function takeUp(sound: KeptSound): Promise<void> {
    if (preparations.has(sound.id)) return;
    const missing = await missingParts(folder, sound);
    if (missing.length === 0) return folder.removeAllBut(sound.id, wantedParts(sound));
    if ((await sourceOf(folder, sound)) !== null || !missing.some(needsSource)) return preparations.begin(sound);
    if (now() - sound.createdAtMs < FILES_FOLLOW_MS) return;
    log.warn({ predictionId: sound.predictionId }, 'kept sound is gone');
    await discard(sound);
  }

  async function sweep(): Promise<void> {
    // Folders first: one that is made meanwhile has its row already.
    const found = await folder.ids();
    const sounds = await store.all();
    const known = new Set(sounds.map(({ id }) => id));
    for (const id of found) if (!known.has(id)) await folder.removeAll(id);
    for (const sound of sounds) {
      const { recordingUntilMs, momentsUntilMs } = sound;
      if ([recordingUntilMs, momentsUntilMs].some((untilMs) => untilMs !== null && untilMs <= now())) await expire(sound);
      else await takeUp(sound);
    }
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
      await wait(LOOK_EVERY_MS, undefined, { signal });
    }
  }

  /** Only asked where something is kept. */
  const kindOf = (sound: KeptSound): SoundKind => kindNow(sound) ?? 'moments';
  /** To be looked at, the original will do in place of a copy. */
  const visible = (sound: KeptSound): readonly SoundPart[] => [kindOf(sound), 'original'];

  return {
    store,
    sweep,

    async keepSound(heard) {
      const { accountId, predictionId, uploadPath } = heard;
      let sound = await store.find(accountId, predictionId);
      if (sound === null) {
        const bytes = await stat(uploadPath).then(
          ({ size }) => size,
          () => null,
        );
        if (bytes === null) return;
        const plan = planSound(heard, heard.keepAudio ?? (await store.settingOf(accountId)), bytes);
        if (plan === null) return;
        sound = await store.add(plan);
      }
      if ((await sourceOf(folder, sound)) === null && (await missingParts(folder, sound)).some(needsSource)) {
        await folder.takeOver(sound.id, sound.asSentType === null ? 'original' : 'recording', uploadPath);
      }
      await takeUp(sound);
    },

    async keptAudioOf(accountId, predictionIds) {
      const kept = new Map<string, KeptAudio>();
      for (const sound of await store.findAll(accountId, predictionIds)) {
        const described = describe(sound);
        if (described !== null) kept.set(sound.predictionId, described);
      }
      return kept;
    },

    async forget(accountId, predictionId) {
      const sound = await store.find(accountId, predictionId);
      if (sound !== null) await stopAndDiscard(sound);
    },

    async forgetAccount(accountId) {
      await store.forgetSetting(accountId);
      for (const sound of await store.ofAccount(accountId)) await stopAndDiscard(sound);
    },

    async exportAccount(accountId) {
      return (await store.ofAccount(accountId)).flatMap((sound) => {
        const kept = describe(sound);
        return kept === null ? [] : [{ predictionId: sound.predictionId, ...kept }];
      });
    },

    async play(accountId, predictionId, signal) {
      const { sound, part } = await whenThere(accountId, predictionId, signal, (found) => [kindOf(found)]);
      const mediaType = part === 'moments' ? COPY_MEDIA_TYPE : (sound.asSentType ?? COPY_MEDIA_TYPE);
      return { path: folder.pathOf(sound.id, part), mediaType };
    },

    async show(accountId, predictionId, query, signal) {
      const { sound } = await whenThere(accountId, predictionId, signal, (found) => [`${kindOf(found)}.spectrum`]);
      const kind = kindOf(sound);
      const whole = [{ startSeconds: 0, endSeconds: sound.durationSeconds, offsetSeconds: 0 }];
      const tile = async (): Promise<Uint8Array> => {
        const { part } = await whenThere(accountId, predictionId, signal, visible);
        const files = { path: folder.pathOf(sound.id, part), overviewPath: folder.pathOf(sound.id, `${kind}.spectrum`) };
        const moments = kind === 'recording' ? whole : sound.moments;
        const isWhole = part !== 'moments';
        return drawTile({ ...files, moments, isWhole, query }, signal);
      };
      try {
        return await tile();
      } catch (error) {
        // The original goes when its copy is there.
        if (signal.aborted || (await folder.has(sound.id, 'original')) || !(await folder.has(sound.id, kind))) throw error;
        return tile();
      }
    },

    async start() {
      await sweep();
      sweeps = setInterval(() => {
        sweeping = sweep().catch((error: unknown) => log.error({ err: error }, 'kept sound could not be looked through'));
      }, SWEEP_EVERY_MS);
      sweeps.unref();
    },

    async close() {
      clearInterval(sweeps);
      await preparations.close();
      await sweeping;
    },
  };
}

/** Whether it lies in the recording that something cannot be made of it. */
const isOfRecording = (error: unknown): boolean => error instanceof PredictionError && error.code.startsWith('RECORDING_');

/** Parts that can be made from the recording as it was sent only. */
const needsSource = (part: SoundPart): boolean => part === 'recording' || part === 'moments';
