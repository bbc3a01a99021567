import { type ReadBytes, readWaveChunks } from '@chiffchaff/recognizer/audio';
import { readUint32, startsWith } from './bytes.ts';
import type { RecordingKind } from './recording-kinds.ts';

/** Whether a file ends earlier than its header states. ffmpeg reads such files to the end without a warning. */
export interface Ending {
  readonly isEarly: boolean;
  /** Share of the recording that is missing, 0–1; 0 if the file does not say. */
  readonly missingShare: number;
}

/** @returns null if the container does not state how long the file should be */
export async function readEnding(recording: RecordingKind, size: number, readPart: ReadBytes): Promise<Ending | null> {
  switch (recording.container) {
    case 'wav':
    case 'rf64':
      return readRiffEnding(size, readPart);
    case 'w64':
      return readWave64Ending(size, readPart);
    case 'caf':
      return readCafEnding(size, readPart);
    case 'asf':
      return readAsfEnding(size, readPart);
    case 'ogg':
      return readOggEnding(size, readPart);
    default:
      return null;
  }
}

/** More chunks in front of the samples than any real file has; bounds the reading of malicious files. */
const MAX_CHUNKS = 256;

function compare(statedBytes: number, presentBytes: number): Ending | null {
  if (!(statedBytes > 0)) return null;
  const missing = Math.max(0, statedBytes - presentBytes);
  return { isEarly: missing > 0, missingShare: missing / statedBytes };
}

async function readRiffEnding(size: number, readPart: ReadBytes): Promise<Ending | null> {
  const wave = await readWaveChunks(size, readPart);
  return wave?.data && !wave.isOpen ? compare(wave.data.length, size - wave.data.offset) : null;
}

async function readWave64Ending(size: number, readPart: ReadBytes): Promise<Ending | null> {
  let offset = 40;
  for (let chunk = 0; chunk < MAX_CHUNKS; chunk++) {
    const bytes = await readPart(offset, 24);
    if (bytes.length < 24) return null;
    const length = littleEndian(bytes, 16, 8);
    if (startsWith(bytes, 'data')) return compare(length - 24, size - offset - 24);
    if (length < 24) return null;
    offset += Math.ceil(length / 8) * 8;
  }
  return null;
}

async function readCafEnding(size: number, readPart: ReadBytes): Promise<Ending | null> {
  let offset = 8;
  for (let chunk = 0; chunk < MAX_CHUNKS; chunk++) {
    const bytes = await readPart(offset, 12);
    const high = readUint32(bytes, 4);
    const low = readUint32(bytes, 8);
    if (high === undefined || low === undefined || high === 0xffff_ffff) return null;
    const length = high * 2 ** 32 + low;
    if (startsWith(bytes, 'data')) return compare(length, size - offset - 12);
    offset += 12 + length;
  }
  return null;
}

const ASF_FILE_PROPERTIES = '\xa1\xdc\xab\x8c\x47\xa9\xcf\x11\x8e\xe4\x00\xc0\x0c\x20\x53\x65';

async function readAsfEnding(size: number, readPart: ReadBytes): Promise<Ending | null> {
  let offset = 30;
  for (let object = 0; object < MAX_CHUNKS; object++) {
    const bytes = await readPart(offset, 92);
    if (bytes.length < 92) return null;
    if (startsWith(bytes, ASF_FILE_PROPERTIES)) {
      const isBroadcast = (littleEndian(bytes, 88, 4) & 1) === 1;
      return isBroadcast ? null : compare(littleEndian(bytes, 40, 8), size);
    }
    offset += Math.max(24, littleEndian(bytes, 16, 8));
  }
  return null;
}

const LONGEST_OGG_PAGE = 65_307;

/** Behind the last page: tags of other formats. */
const MOST_REST = 1024;

/** Ogg states no length, but a truncated or damaged file hardly ever ends with a page. */
async function readOggEnding(size: number, readPart: ReadBytes): Promise<Ending | null> {
  const start = Math.max(0, size - LONGEST_OGG_PAGE);
  const tail = await readPart(start, LONGEST_OGG_PAGE);
  for (let offset = tail.length - 4; offset >= 0; offset--) {
    if (!startsWith(tail, 'OggS\0', offset)) continue;
    const segments = tail[offset + 26];
    if (segments === undefined) return { isEarly: true, missingShare: 0 };
    const table = tail.subarray(offset + 27, offset + 27 + segments);
    const pageBytes = 27 + segments + table.reduce((sum, bytes) => sum + bytes, 0);
    const rest = tail.length - offset - pageBytes;
    return { isEarly: table.length < segments || rest < 0 || rest > MOST_REST, missingShare: 0 };
  }
  return { isEarly: true, missingShare: 0 };
}

function littleEndian(bytes: Uint8Array, offset: number, length: number): number {
  let value = 0;
  for (let i = length - 1; i >= 0; i--) value = value * 256 + (bytes[offset + i] ?? 0);
  return value;
}
