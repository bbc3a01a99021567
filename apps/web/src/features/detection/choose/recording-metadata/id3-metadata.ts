import { type ByteReader, lettersAt, numberAt, textOf } from './byte-reader.ts';
import { type Findings, nothingFound } from './findings.ts';
import { calendarDate, writtenDate } from './written-date.ts';

const mostFrames = 64;
const mostText = 256;

/** Seven bits a byte, so that no size looks like sound. */
const safeNumberAt = (bytes: Uint8Array, offset: number): number =>
  [0, 1, 2, 3].reduce((value, index) => value * 128 + ((bytes[offset + index] ?? 0) & 0x7f), 0);

/** Text of a frame by its first byte, the encoding. */
function frameText(content: Uint8Array): string {
  const text = content.subarray(1);
  if (content[0] === 1) return text[0] === 0xfe ? textOf(text.subarray(2), 'utf-16be') : textOf(text.subarray(2), 'utf-16le');
  if (content[0] === 2) return textOf(text, 'utf-16be');
  return textOf(text, content[0] === 3 ? 'utf-8' : 'latin1');
}

/** ID3v2.3 and 2.4: when it was recorded (TDRC; before that, TYER with TDAT, day and month). */
export async function readId3Metadata(reader: ByteReader): Promise<Findings> {
  const findings = nothingFound();
  const header = await reader.read(0, 10);
  const version = header[3] ?? 0;
  if (version !== 3 && version !== 4) return findings;
  const end = 10 + safeNumberAt(header, 6);
  const texts = new Map<string, string>();
  let offset = 10;
  if (((header[5] ?? 0) & 0x40) !== 0) {
    const extended = await reader.read(offset, 4);
    offset += version === 4 ? safeNumberAt(extended, 0) : 4 + numberAt(extended, 0, 4, 'big');
  }
  for (let count = 0; count < mostFrames && offset + 10 <= end; count += 1) {
    const frame = await reader.read(offset, 10 + mostText);
    const name = lettersAt(frame, 0, 4);
    const size = version === 4 ? safeNumberAt(frame, 4) : numberAt(frame, 4, 4, 'big');
    if (!/^[A-Z0-9]{4}$/.test(name) || size === 0) break;
    if (['TDRC', 'TYER', 'TDAT'].includes(name)) texts.set(name, frameText(frame.subarray(10, 10 + Math.min(size, mostText))));
    offset += 10 + size;
  }
  const day = texts.get('TDAT') ?? '';
  findings.date =
    writtenDate(texts.get('TDRC') ?? '') ?? calendarDate(texts.get('TYER')?.slice(0, 4), day.slice(2, 4), day.slice(0, 2));
  return findings;
}
