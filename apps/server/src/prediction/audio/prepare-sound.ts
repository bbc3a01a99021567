/**
 * The parts of kept audio, each an object `audio/ID/PART`, and how they are made from the recording as it was sent. Audio retention calls
 * this for whatever it keeps.
 */
import { type AnalysisService, lengthOf } from '@chiffchaff/analysis';
import type { Recording } from '@chiffchaff/contract';
import { type ObjectStorage, writeObject } from '../../storage/object-storage.ts';
import type { KeptSound } from './sound-store.ts';

export type SoundKind = 'recording' | 'moments';
/**
 * `original`: the recording as it was sent, until its copies are made · `recording`, `moments`: for playback · `.spectrum`: for
 * spectrograms
 */
export type SoundPart = 'original' | SoundKind | `${SoundKind}.spectrum`;

const PARTS: readonly SoundPart[] = ['original', 'recording', 'moments', 'recording.spectrum', 'moments.spectrum'];

/** The object name of a part. */
export const nameOfPart = (id: string, part: SoundPart): string => `audio/${id}/${part}`;

export const hasPart = async (storage: ObjectStorage, id: string, part: SoundPart): Promise<boolean> =>
  (await storage.bytesOf(nameOfPart(id, part))) !== null;

export const removeAllBut = (storage: ObjectStorage, id: string, kept: readonly SoundPart[]): Promise<void> =>
  storage.remove(PARTS.filter((part) => !kept.includes(part)).map((part) => nameOfPart(id, part)));

export interface PrepareSoundOptions {
  readonly storage: ObjectStorage;
  readonly service: Pick<AnalysisService, 'copySound' | 'writeSpectrum'>;
  readonly signal: AbortSignal;
  /** A request waits for this. */
  readonly isWaitedFor: boolean;
}

/** The part that still holds the recording as it was sent; null when there is none. */
export async function sourceOf(storage: ObjectStorage, { id, asSentType }: KeptSound): Promise<SoundPart | null> {
  if (await hasPart(storage, id, 'original')) return 'original';
  return asSentType !== null && (await hasPart(storage, id, 'recording')) ? 'recording' : null;
}

/** The parts that exist once kept audio is prepared. */
export const wantedParts = ({ recordingUntilMs, momentsUntilMs }: KeptSound): readonly SoundPart[] => [
  ...(momentsUntilMs === null ? [] : (['moments', 'moments.spectrum'] as const)),
  ...(recordingUntilMs === null ? [] : (['recording.spectrum', 'recording'] as const)),
];

/** The wanted parts that do not exist yet. */
export async function missingParts(storage: ObjectStorage, sound: KeptSound): Promise<readonly SoundPart[]> {
  const wanted = wantedParts(sound);
  const found = await Promise.all(wanted.map((part) => hasPart(storage, sound.id, part)));
  return wanted.filter((_part, index) => !found[index]);
}

/**
 * Makes the missing parts: excerpts and their spectra (these first if a request waits), the spectrum of the whole recording, and last,
 * because it takes longest, its copy. Then removes the original and what a killed process had begun. Can be restarted at any point.
 *
 * @throws PredictionError when the recording cannot be read
 * @throws the signal's reason when it aborts
 */
export async function prepareSound(sound: KeptSound, options: PrepareSoundOptions): Promise<void> {
  const { storage, service, signal, isWaitedFor } = options;
  const { id, durationSeconds, channels, moments, asSentType } = sound;
  const source = await sourceOf(storage, sound);
  const missing = new Set(await missingParts(storage, sound));

  async function make(
    part: SoundPart,
    from: SoundPart | null,
    write: (paths: { readonly path: string; readonly target: string }) => Promise<void>,
  ): Promise<void> {
    await using file = from && (await storage.open(nameOfPart(id, from), signal));
    if (file === null) throw new Error('Nothing is left to make the sound from.');
    await writeObject(storage, nameOfPart(id, part), (target) => write({ path: file.path, target }));
  }
  const draw = (part: SoundPart, from: SoundPart | null, seconds: number, stretches?: KeptSound['moments']): Promise<void> =>
    make(part, from, (paths) => {
      const urgency = isWaitedFor ? 'waitedFor' : 'analysis';
      return service.writeSpectrum({ ...paths, durationSeconds: seconds, stretches, urgency }, signal);
    });
  const copy = (part: SoundPart, stretches?: KeptSound['moments']): Promise<void> =>
    make(part, source, (paths) => {
      const urgency = isWaitedFor ? 'waitedFor' : 'idle';
      return service.copySound({ ...paths, channels, durationSeconds, stretches, urgency }, signal);
    });

  if (isWaitedFor && source !== null && missing.delete('moments.spectrum')) {
    // Sooner than from the copy. For long recordings, which are never hurried, this would decode everything twice.
    await draw('moments.spectrum', source, durationSeconds, moments);
  }
  if (missing.has('moments')) await copy('moments', moments);
  if (missing.has('moments.spectrum')) await draw('moments.spectrum', 'moments', lengthOf(moments));
  if (missing.has('recording.spectrum')) await draw('recording.spectrum', source ?? 'recording', durationSeconds);
  if (missing.has('recording')) {
    if (asSentType === null) await copy('recording');
    else if (source === null || !(await storage.move(nameOfPart(id, source), nameOfPart(id, 'recording'))))
      throw new Error('A part of a sound is gone.');
  }
  signal.throwIfAborted();
  await removeAllBut(storage, id, wantedParts(sound));
}

/** Larger recordings are copied: a month of storage should not cost more than what is audible. */
const LARGEST_BYTES = 20 * 1024 * 1024;

/** Codecs that every browser plays, by container; the containers hold only audio and allow seeking. */
const PLAYABLE: Readonly<Record<string, { readonly type: string; readonly codecs: readonly string[] }>> = {
  wav: { type: 'audio/wav', codecs: ['pcm_u8', 'pcm_s16le', 'pcm_s24le', 'pcm_s32le', 'pcm_f32le'] },
  flac: { type: 'audio/flac', codecs: ['flac'] },
  mp3: { type: 'audio/mpeg', codecs: ['mp3'] },
};

/** The media type of a recording that is kept as it was sent, or null when it is copied. @param bytes of the file */
export function playableAsSent(recording: Recording, bytes: number): string | null {
  const { container, codec, channels, sampleRate, truncated, durationSeconds } = recording;
  const kind = PLAYABLE[container];
  if (kind === undefined || !kind.codecs.includes(codec)) return null;
  if (bytes > LARGEST_BYTES || channels > 2 || truncated || sampleRate > 192_000) return null;
  // An AudioMoth left out quiet parts, which a browser would not put back.
  if (container === 'wav' && durationSeconds * sampleRate * channels > bytes) return null;
  return kind.type;
}
