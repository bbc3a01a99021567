import type { Recording } from '@chiffchaff/contract';

/** Larger ones are copied: what is kept for a month should not weigh more than what is heard of it. */
const LARGEST_BYTES = 20 * 1024 * 1024;

/** Codings that every browser plays, in containers that hold nothing but sound and can be entered anywhere; by container. */
const PLAYABLE: Readonly<Record<string, { readonly type: string; readonly codecs: readonly string[] }>> = {
  wav: { type: 'audio/wav', codecs: ['pcm_u8', 'pcm_s16le', 'pcm_s24le', 'pcm_s32le', 'pcm_f32le'] },
  flac: { type: 'audio/flac', codecs: ['flac'] },
  mp3: { type: 'audio/mpeg', codecs: ['mp3'] },
};

/** The media type of a recording that is kept as it was sent, or null when a copy is made of it. @param bytes of the file */
export function playableAsSent(recording: Recording, bytes: number): string | null {
  const { container, codec, channels, sampleRate, truncated } = recording;
  const kind = PLAYABLE[container];
  if (kind === undefined || !kind.codecs.includes(codec)) return null;
  if (bytes > LARGEST_BYTES || channels > 2 || truncated || sampleRate > 192_000) return null;
  return kind.type;
}
