import type { AnalysisService } from '@chiffchaff/analysis';
import type { Recording } from '@chiffchaff/contract';
import type { LocalFile } from '../../storage/object-storage.ts';
import type { SoundFolder, SoundPart } from './sound-folder.ts';
import type { KeptSound } from './sound-store.ts';

export interface PrepareSoundOptions {
  readonly folder: SoundFolder;
  readonly service: Pick<AnalysisService, 'copySound' | 'writeSpectrum'>;
  readonly signal: AbortSignal;
  /** A request waits for this. */
  readonly isWaitedFor: boolean;
}

/** The part that still holds the recording as it was sent; null when there is none. */
export async function sourceOf(folder: SoundFolder, sound: KeptSound): Promise<SoundPart | null> {
  if (await folder.has(sound.id, 'original')) return 'original';
  if (sound.asSentType !== null && (await folder.has(sound.id, 'recording'))) return 'recording';
  return null;
}

/** The parts that exist once kept audio is prepared. */
export const wantedParts = ({ recordingUntilMs, momentsUntilMs }: KeptSound): readonly SoundPart[] => [
  ...(momentsUntilMs === null ? [] : (['moments', 'moments.spectrum'] as const)),
  ...(recordingUntilMs === null ? [] : (['recording.spectrum', 'recording'] as const)),
];

/** The wanted parts that do not exist yet. */
export async function missingParts(folder: SoundFolder, sound: KeptSound): Promise<readonly SoundPart[]> {
  const wanted = wantedParts(sound);
  const found = await Promise.all(wanted.map((part) => folder.has(sound.id, part)));
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
  const { folder, service, signal, isWaitedFor } = options;
  const { id, durationSeconds, channels, moments, asSentType } = sound;
  const source = await sourceOf(folder, sound);
  const missing = new Set(await missingParts(folder, sound));
  const needed = async (part: SoundPart | null): Promise<LocalFile> => {
    const file = part && (await folder.open(id, part, signal));
    if (file === null) throw new Error('Nothing is left to make the sound from.');
    return file;
  };
  async function draw(part: SoundPart, from: SoundPart | null, seconds: number, stretches?: KeptSound['moments']): Promise<void> {
    await using file = await needed(from);
    const { path } = file;
    await folder.write(id, part, (target) => {
      const urgency = isWaitedFor ? 'waitedFor' : 'analysis';
      return service.writeSpectrum({ path, target, durationSeconds: seconds, stretches, urgency }, signal);
    });
  }
  async function copy(part: SoundPart, stretches?: KeptSound['moments']): Promise<void> {
    await using file = await needed(source);
    const { path } = file;
    await folder.write(id, part, (target) => {
      const urgency = isWaitedFor ? 'waitedFor' : 'idle';
      return service.copySound({ path, target, channels, durationSeconds, stretches, urgency }, signal);
    });
  }

  if (isWaitedFor && source !== null && missing.delete('moments.spectrum')) {
    // Sooner than from the copy. For long recordings, which are never hurried, this would decode everything twice.
    await draw('moments.spectrum', source, durationSeconds, moments);
  }
  if (missing.has('moments')) await copy('moments', moments);
  if (missing.has('moments.spectrum')) {
    const seconds = moments.reduce((sum, { startSeconds, endSeconds }) => sum + endSeconds - startSeconds, 0);
    await draw('moments.spectrum', 'moments', seconds);
  }
  if (missing.has('recording.spectrum')) await draw('recording.spectrum', source ?? 'recording', durationSeconds);
  if (missing.has('recording')) {
    if (asSentType === null) await copy('recording');
    else if (source !== null) await folder.rename(id, source, 'recording');
  }
  signal.throwIfAborted();
  await folder.removeAllBut(id, wantedParts(sound));
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
