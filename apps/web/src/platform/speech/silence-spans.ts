import { readWaveChunks, waveHeader } from '@chiffchaff/recognizer/audio';
import { interleave } from '../decoding/interleave.ts';
import { openSound } from '../decoding/open-sound.ts';
import type { Span } from '../format/format.ts';
import { BYTES_PER_SAMPLE, guanoChunk, toPcm, type WaveMetadata } from '../recording/wave-file.ts';

/**
 * Silences some spans of a recording. In a WAV, these bytes become silence and all others stay as they are; anything else becomes a 16-bit
 * WAV.
 *
 * @param spans by time, apart from each other, as `speechIn` returns them
 * @param metadata of the recording, for a newly written WAV
 * @throws Undecodable
 */
export async function silenceSpans(file: File, spans: readonly Span[], metadata: WaveMetadata): Promise<File> {
  const wave = await readWave(file);
  const parts = wave ? silencedParts(file, wave, spans) : await decodedParts(file, spans, metadata);
  const name = wave ? file.name : `${file.name.replace(/\.[^.]*$/, '')}.wav`;
  return new File(parts, name, { type: 'audio/wav', lastModified: file.lastModified });
}

/** Bytes of silence by format number: A-law and μ-law have no zero. */
const SILENCE: { readonly [format: number]: number } = { 6: 0xd5, 7: 0xff };

/** Finds the samples of a WAV; null for any other file, and where a trigger left out parts, so that times are not those of the file. */
async function readWave(file: Blob) {
  const read = async (offset: number, length: number) => new Uint8Array(await file.slice(offset, offset + length).arrayBuffer());
  const wave = await readWaveChunks(file.size, read);
  const format = wave?.chunks.find(({ name }) => name === 'fmt ');
  if (!wave?.data || !format || wave.isTriggered) return null;
  const fields = new DataView((await read(format.offset, 16)).buffer);
  if (fields.byteLength < 16) return null;
  const { offset: dataOffset, length } = wave.data;
  return {
    sampleRate: fields.getUint32(4, true),
    /** bytes per frame */
    blockAlign: fields.getUint16(12, true),
    /** byte value of silence */
    silence: SILENCE[fields.getUint16(0, true)] ?? (fields.getUint16(14, true) === 8 ? 128 : 0),
    dataOffset,
    dataEnd: Math.min(file.size, dataOffset + length),
  };
}

function silencedParts(
  file: Blob,
  { sampleRate, blockAlign, silence, dataOffset, dataEnd }: NonNullable<Awaited<ReturnType<typeof readWave>>>,
  spans: readonly Span[],
): BlobPart[] {
  const byteAt = (frame: number): number => Math.min(dataEnd, dataOffset + frame * blockAlign);
  const parts: BlobPart[] = [];
  let written = 0;
  for (const { startSeconds, endSeconds } of spans) {
    const start = byteAt(Math.floor(startSeconds * sampleRate));
    const end = byteAt(Math.ceil(endSeconds * sampleRate));
    parts.push(file.slice(written, start), new Uint8Array(end - start).fill(silence));
    written = end;
  }
  return [...parts, file.slice(written)];
}

async function decodedParts(file: Blob, spans: readonly Span[], metadata: WaveMetadata): Promise<BlobPart[]> {
  const { pieces, sampleRate, channels } = await openSound(file);
  const parts: BlobPart[] = [];
  let frames = 0;
  for await (const planes of pieces) {
    const length = planes[0]?.length ?? 0;
    for (const { startSeconds, endSeconds } of spans) {
      const start = Math.floor(startSeconds * sampleRate) - frames;
      const end = Math.ceil(endSeconds * sampleRate) - frames;
      if (start < length && end > 0) for (const plane of planes) plane.fill(0, Math.max(0, start), end);
    }
    // A Blob lives in the browser's storage, not in this page's memory.
    parts.push(new Blob([toPcm(interleave(planes))]));
    frames += length;
  }
  const shape = { sampleRate, channels, bytesPerSample: BYTES_PER_SAMPLE };
  return [waveHeader(shape, frames * channels * BYTES_PER_SAMPLE, guanoChunk(metadata)), ...parts];
}
