import { type ReadBytes, readWaveChunks } from '@chiffchaff/recognizer/audio';
import { startsWith } from './bytes.ts';
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

/** Finds one of the parts that follow each other from an offset. @param lengthOf all of a part, with its head */
async function findPart(
  { readPart, start, headBytes }: { readonly readPart: ReadBytes; readonly start: number; readonly headBytes: number },
  isWanted: (head: Buffer) => boolean,
  lengthOf: (head: Buffer) => number,
): Promise<{ readonly head: Buffer; readonly offset: number } | null> {
  let offset = start;
  for (let part = 0; part < MAX_CHUNKS; part++) {
    const head = Buffer.from(await readPart(offset, headBytes));
    if (head.length < headBytes) return null;
    if (isWanted(head)) return { head, offset };
    offset += lengthOf(head);
  }
  return null;
}

const isData = (head: Buffer): boolean => startsWith(head, 'data');

async function readWave64Ending(size: number, readPart: ReadBytes): Promise<Ending | null> {
  const lengthOf = (head: Buffer): number => Number(head.readBigUInt64LE(16));
  const found = await findPart(
    { readPart, start: 40, headBytes: 24 },
    isData,
    (head) => Math.ceil(Math.max(24, lengthOf(head)) / 8) * 8,
  );
  return found && compare(lengthOf(found.head) - 24, size - found.offset - 24);
}

async function readCafEnding(size: number, readPart: ReadBytes): Promise<Ending | null> {
  const lengthOf = (head: Buffer): number => Number(head.readBigInt64BE(4));
  const found = await findPart({ readPart, start: 8, headBytes: 12 }, isData, (head) => 12 + Math.max(0, lengthOf(head)));
  return found && compare(lengthOf(found.head), size - found.offset - 12);
}

const ASF_FILE_PROPERTIES = '\xa1\xdc\xab\x8c\x47\xa9\xcf\x11\x8e\xe4\x00\xc0\x0c\x20\x53\x65';

async function readAsfEnding(size: number, readPart: ReadBytes): Promise<Ending | null> {
  const found = await findPart(
    { readPart, start: 30, headBytes: 92 },
    (head) => startsWith(head, ASF_FILE_PROPERTIES),
    (head) => Math.max(24, Number(head.readBigUInt64LE(16))),
  );
  const isBroadcast = ((found?.head.readUInt32LE(88) ?? 0) & 1) === 1;
  return found && !isBroadcast ? compare(Number(found.head.readBigUInt64LE(40)), size) : null;
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
