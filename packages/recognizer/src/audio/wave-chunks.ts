/** Bytes from an offset; fewer, or none, at the end of the file. */
export type ReadBytes = (offset: number, length: number) => Promise<Uint8Array>;

interface WaveChunk {
  readonly name: string;
  /** of its content */
  readonly offset: number;
  /** Bytes of its content. It may reach beyond the end of the file. */
  readonly length: number;
  /** the 32-bit length in its header */
  readonly statedLength: number;
}

/** The chunks of a WAV file: RIFF, or with 64-bit sizes RF64 and BW64. */
export interface WaveChunks {
  /** RF64 or BW64 */
  isLong: boolean;
  /** as far as the file goes, at most `MOST_CHUNKS` */
  readonly chunks: WaveChunk[];
  /** The samples, or the first of several chunks of them; null when the file has none. */
  data: WaveChunk | null;
  /** The header states no length, so the samples go on to the end: a recorder lost power, or it was written to a pipe. */
  isOpen: boolean;
  /** The samples go on behind the length that the header states, or are not where it says. Programs that trust it lose sound. */
  isWrong: boolean;
  /** An AudioMoth recorded it with a trigger, and may have left out quiet parts. Not if it was saved again with other samples. */
  isTriggered: boolean;
}

const MOST_CHUNKS = 64;
/** A length that is not known, or is in the chunk `ds64`. */
const ALL_ONES = 0xffff_ffff;
/** Bytes; a shorter rest behind the samples is rubbish. */
const LEAST_SOUND = 4096;
/** Chunks that also count when the file ends within them. */
const USUAL = /^(LIST|guan|wamd|bext|iXML|id3 |ID3 |cue |fact|JUNK)$/;
const USUALS = /LIST|guan|wamd|bext|iXML|id3 |ID3 |cue /g;
/** Bytes at the end of the file in which chunks behind samples of unknown length are looked for. */
const MOST_BEHIND = 65_536;
const LONGEST_COMMENT = 1024;
/** Bytes: AudioMoths write one channel of 16 bits. */
const AUDIO_MOTH_FRAME = 2;

/**
 * Reads the headers of all chunks, a few bytes each, whatever they claim. An odd chunk may lack its padding byte. The decoder, the readers
 * of metadata and the page use it, so that all agree on where the sound is.
 *
 * @param size of the file in bytes
 * @returns null when this is no WAV file
 */
export async function readWaveChunks(size: number, read: ReadBytes): Promise<WaveChunks | null> {
  const headerAt = async (offset: number) => {
    const bytes = await read(offset, 24);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    return { name: textOf(bytes.subarray(0, 4)), view, length: view.byteLength < 8 ? 0 : view.getUint32(4, true) };
  };
  /** Whether a chunk, or nothing at all, begins there. */
  const isEndAt = async (offset: number): Promise<boolean> => {
    if (offset + 8 > size) return true;
    const { name, length } = await headerAt(offset);
    return USUAL.test(name) || (/^(?=.*[a-z])[ -~]{4}$/i.test(name) && offset + 8 + length <= size + 1);
  };
  const isSoundAt = async (offset: number): Promise<boolean> => {
    if (size - offset < LEAST_SOUND || (await isEndAt(offset)) || (await isEndAt(offset + 1))) return false;
    // Some recorders fill up the file with zeros.
    const ends = [await read(offset, LEAST_SOUND), await read(size - LEAST_SOUND, LEAST_SOUND)];
    return ends.some((bytes) => bytes.some((byte) => byte !== 0));
  };

  /** Whether chunks fill the file from there to its end. */
  const areChunksFrom = async (start: number): Promise<boolean> => {
    let offset = start;
    while (offset + 8 <= size) {
      const { name, length } = await headerAt(offset);
      if (!/^[ -~]{4}$/.test(name)) return false;
      offset += 8 + length + (length % 2);
    }
    return offset === size || offset === size + 1;
  };
  /** Where samples of unknown length end: at the chunks that fill the rest of the file, or at its end. */
  const endOfSound = async (content: number): Promise<number> => {
    const start = Math.max(content, size - MOST_BEHIND);
    const behind = Array.from(await read(start, MOST_BEHIND), (byte) => String.fromCharCode(byte)).join('');
    for (const { index } of behind.matchAll(USUALS)) if (await areChunksFrom(start + index)) return start + index;
    return size;
  };

  const form = await headerAt(0);
  const isLong = form.name === 'RF64' || form.name === 'BW64';
  if ((!isLong && form.name !== 'RIFF') || textOf(await read(8, 4)) !== 'WAVE') return null;
  const wave: WaveChunks = { isLong, chunks: [], data: null, isOpen: false, isWrong: false, isTriggered: false };
  let longLength = 0;
  let frameBytes = 0;
  let hasTrigger = false;
  for (let offset = 12; wave.chunks.length < MOST_CHUNKS && offset + 8 <= size; ) {
    const { name, view, length: statedLength } = await headerAt(offset);
    if (view.byteLength < 8) break;
    const content = offset + 8;
    let length = statedLength;
    if (name === 'fmt ' && view.byteLength === 24) frameBytes = view.getUint16(20, true);
    if (name === 'LIST') {
      hasTrigger ||= /AudioMoth.* threshold was /s.test(textOf(await read(content, LONGEST_COMMENT)));
    }
    if (name === 'ds64' && view.byteLength === 24) longLength = Number(view.getBigUint64(16, true));
    if (name === 'data') {
      if (isLong && statedLength === ALL_ONES) length = longLength;
      // Some programs write an empty chunk in front of others.
      const isEmpty = length === 0 && (await isEndAt(content));
      const isOpen = !isEmpty && (length === 0 || length === ALL_ONES);
      const goesOn = !isOpen && !isEmpty && (await isSoundAt(content + length));
      const end = isOpen || goesOn || content + length > size ? await endOfSound(content) : size;
      if (isOpen || goesOn || end < size) length = end - content;
      // Programs believe `ds64` even when it states nothing.
      wave.isWrong ||= goesOn || isEmpty || (isLong && isOpen) || end < size || Boolean(wave.data?.length);
      const chunk = { name, offset: content, length, statedLength };
      if (!wave.data?.length) Object.assign(wave, { data: chunk, isOpen });
    }
    wave.chunks.push({ name, offset: content, length, statedLength });
    offset = content + length + (length % 2);
    if (length % 2 === 1 && !(await isEndAt(offset)) && (await isEndAt(offset - 1))) {
      offset -= 1;
      wave.isWrong ||= wave.data === null;
    }
  }
  wave.isTriggered = hasTrigger && frameBytes === AUDIO_MOTH_FRAME;
  return wave;
}

const textOf = (bytes: Uint8Array): string => String.fromCharCode(...bytes);
