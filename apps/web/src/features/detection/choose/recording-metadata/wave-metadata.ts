import { type ByteReader, lettersAt, numberAt, textOf } from './byte-reader.ts';
import { type Findings, nothingFound } from './findings.ts';
import { calendarDate, writtenDate } from './written-date.ts';
import { placeOfNumbers } from './written-place.ts';

const mostChunks = 64;
const mostText = 64 * 1024;
/** Behind names and references of fixed width. */
const originationDateOffset = 256 + 32 + 32;

/** AudioMoth's comment: `Recorded at 05:12:44 01/05/2026 (UTC+2) by AudioMoth …`. */
function audioMothDate(comment: string): string | null {
  const found = /Recorded at [\d:.]{5,15} (\d\d)\/(\d\d)\/(\d{4})/.exec(comment.slice(0, 500));
  return found ? calendarDate(found[3], found[2], found[1]) : null;
}

/** `LIST` of the type `INFO`: comment (ICMT) and date of creation (ICRD). */
function readInfo(chunk: Uint8Array, findings: Findings): void {
  if (lettersAt(chunk, 0, 4) !== 'INFO') return;
  let offset = 4;
  for (let count = 0; count < mostChunks && offset + 8 <= chunk.length; count += 1) {
    const size = numberAt(chunk, offset + 4, 4, 'little');
    const text = textOf(chunk.subarray(offset + 8, offset + 8 + size));
    const name = lettersAt(chunk, offset, 4);
    if (name === 'ICMT') findings.date ??= audioMothDate(text);
    if (name === 'ICRD') findings.date ??= writtenDate(text);
    offset += 8 + size + (size % 2);
  }
}

/** GUANO: `Key: value`, a line each. */
function readGuano(chunk: Uint8Array, findings: Findings): void {
  for (const line of textOf(chunk).split('\n', 500)) {
    const colon = line.indexOf(':');
    const [key, value] = [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
    if (key === 'Timestamp') findings.date = writtenDate(value) ?? findings.date;
    if (key === 'Loc Position') findings.place ??= placeOfNumbers(value);
  }
}

/** RIFF, RF64 and BW64: what AudioMoth, GUANO (bat and bird recorders) and `bext` (Zoom, Sony, Tascam) say. */
export async function readWaveMetadata(reader: ByteReader): Promise<Findings> {
  const findings = nothingFound();
  let offset = 12;
  let longDataSize = 0;
  for (let count = 0; count < mostChunks && offset + 8 <= reader.size; count += 1) {
    const header = await reader.read(offset, 8);
    if (header.length < 8) break;
    const name = lettersAt(header, 0, 4);
    let size = numberAt(header, 4, 4, 'little');
    const content = (most = mostText) => reader.read(offset + 8, Math.min(size, most));
    if (name === 'ds64') longDataSize = numberAt(await content(16), 8, 8, 'little');
    else if (name === 'LIST') readInfo(await content(), findings);
    else if (name === 'guan') readGuano(await content(), findings);
    else if (name === 'bext')
      findings.date ??= writtenDate(
        textOf((await content(originationDateOffset + 10)).subarray(originationDateOffset, originationDateOffset + 10)),
      );
    else if (name === 'data' && size === 0xffffffff) size = longDataSize;
    offset += 8 + size + (size % 2);
  }
  return findings;
}
