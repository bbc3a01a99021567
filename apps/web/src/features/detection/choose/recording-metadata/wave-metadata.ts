import { type BoundedReader, textAt } from './bounded-reader.ts';
import type { Findings } from './read-recording-metadata.ts';
import { calendarDate, placeOfNumbers, writtenDate } from './written-values.ts';

const MOST_CHUNKS = 64;
const MOST_TEXT = 64 * 1024;
const BEXT_DATE_OFFSET = 256 + 32 + 32;

/** AudioMoth's comment: `Recorded at 05:12:44 01/05/2026 (UTC+2) by AudioMoth …`. */
function audioMothDate(comment: string): string | null {
  const found = /Recorded at [\d:.]{5,15} (\d\d)\/(\d\d)\/(\d{4})/.exec(comment.slice(0, 500));
  return found ? calendarDate(found[3], found[2], found[1]) : null;
}

/** `LIST` of the type `INFO`: comment (ICMT) and date of creation (ICRD). */
function readInfo(chunk: DataView<ArrayBuffer>, findings: Findings): void {
  if (textAt(chunk, 0, 4) !== 'INFO') return;
  let offset = 4;
  for (let count = 0; count < MOST_CHUNKS && offset + 8 <= chunk.byteLength; count += 1) {
    const size = chunk.getUint32(offset + 4, true);
    const name = textAt(chunk, offset, 4);
    if (name === 'ICMT') findings.date ??= audioMothDate(textAt(chunk, offset + 8, size));
    if (name === 'ICRD') findings.date ??= writtenDate(textAt(chunk, offset + 8, size));
    offset += 8 + size + (size % 2);
  }
}

/** GUANO: `Key: value`, a line each. */
function readGuano(chunk: DataView<ArrayBuffer>, findings: Findings): void {
  for (const line of textAt(chunk, 0).split('\n', 500)) {
    const colon = line.indexOf(':');
    const [key, value] = [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
    if (key === 'Timestamp') findings.date = writtenDate(value) ?? findings.date;
    if (key === 'Loc Position') findings.place ??= placeOfNumbers(value);
  }
}

/** RIFF, RF64 and BW64: what AudioMoth, GUANO (bat and bird recorders) and `bext` (Zoom, Sony, Tascam) say. */
export async function readWaveMetadata(reader: BoundedReader): Promise<Findings> {
  const findings: Findings = { date: null, madeOn: null, place: null };
  let offset = 12;
  let longDataSize = 0;
  for (let count = 0; count < MOST_CHUNKS && offset + 8 <= reader.size; count += 1) {
    const header = await reader.read(offset, 8);
    if (header.byteLength < 8) break;
    const name = textAt(header, 0, 4);
    let size = header.getUint32(4, true);
    const content = (most = MOST_TEXT) => reader.read(offset + 8, Math.min(size, most));
    if (name === 'ds64') {
      const sizes = await content(16);
      if (sizes.byteLength === 16) longDataSize = Number(sizes.getBigUint64(8, true));
    } else if (name === 'LIST') readInfo(await content(), findings);
    else if (name === 'guan') readGuano(await content(), findings);
    else if (name === 'bext') findings.date ??= writtenDate(textAt(await content(BEXT_DATE_OFFSET + 10), BEXT_DATE_OFFSET));
    else if (name === 'data' && size === 0xffffffff) size = longDataSize;
    offset += 8 + size + (size % 2);
  }
  return findings;
}
