/**
 * Evidence as bytes, for keeping: logits as 16-bit multiples of `LOGIT_STEP` (evidence holds no others, so nothing is lost), labels
 * as gaps within their row, which compress well (deflate takes off 40 %). Little-endian, as all machines we run on.
 */
import { RecognizerError } from '../errors.ts';
import { clipCountOf, type Evidence, LOGIT_STEP, passageCountOf } from './evidence.ts';

const FORM = 2;
const HEADER_NUMBERS = 12;

/** About 440 kB for the first minute of sound, 2.3 MB for ten, 7.3 MB for an hour. */
export function encodeEvidence(evidence: Evidence): Uint8Array<ArrayBuffer> {
  const { clips, passages, modelId } = evidence;
  const header = Float64Array.of(
    FORM,
    modelId.length,
    evidence.labelCount,
    evidence.sampleRate,
    evidence.clipSamples,
    evidence.clipStepSamples,
    evidence.sampleCount,
    evidence.silentSamples,
    clips.floor,
    clipCountOf(evidence),
    passageCountOf(evidence),
    passages.clipCount,
  );
  return joinBytes([
    header,
    Uint8Array.from(modelId, (letter) => letter.charCodeAt(0)),
    clips.offsets,
    gapsOf(clips.labels, clips.offsets),
    toSteps(clips.logits),
    toSteps(clips.nonBirdPeaks),
    passages.firstClips,
    passages.offsets,
    gapsOf(passages.labels, passages.offsets),
    toSteps(passages.means),
    toSteps(passages.peaks),
    toSteps(passages.zs),
    passages.meanFloors,
    passages.restWeights,
  ]);
}

/**
 * @throws RecognizerError `EVIDENCE_UNREADABLE` when the bytes are of another form, or not whole
 */
export function decodeEvidence(bytes: Uint8Array): Evidence {
  let position = 0;
  const read = (length: number): ArrayBuffer => {
    const end = position + length;
    if (!(end <= bytes.length)) throw new RecognizerError('EVIDENCE_UNREADABLE', { reason: `ends after ${bytes.length} bytes` });
    // A copy: columns of two and four bytes must begin where such numbers may.
    const part = new Uint8Array(length);
    part.set(bytes.subarray(position, end));
    position = end;
    return part.buffer;
  };
  const readInts = (length: number): Uint32Array => new Uint32Array(read(4 * length));
  const readFloats = (length: number): Float32Array => new Float32Array(read(4 * length));
  const readLogits = (length: number): Float32Array =>
    Float32Array.from(new Int16Array(read(2 * length)), (steps) => steps * LOGIT_STEP);
  const readLabels = (offsets: Uint32Array): Uint16Array => labelsOf(new Uint16Array(read(2 * (offsets.at(-1) ?? 0))), offsets);

  const header = new Float64Array(read(8 * HEADER_NUMBERS));
  const [form, nameLength = 0, labelCount = 0, sampleRate = 0, clipSamples = 0, clipStepSamples = 0] = header;
  const [sampleCount = 0, silentSamples = 0, floor = 0, clipCount = 0, passageCount = 0, passageClips = 0] = header.subarray(6);
  if (form !== FORM) throw new RecognizerError('EVIDENCE_UNREADABLE', { reason: `form ${form}; ${FORM} is known` });
  const modelId = String.fromCharCode(...new Uint8Array(read(nameLength)));
  const clipOffsets = readInts(clipCount + 1);
  const clipLabels = readLabels(clipOffsets);
  const clips = {
    floor,
    offsets: clipOffsets,
    labels: clipLabels,
    logits: readLogits(clipLabels.length),
    nonBirdPeaks: readLogits(clipCount),
  };
  const firstClips = readInts(passageCount);
  const passageOffsets = readInts(passageCount + 1);
  const passageLabels = readLabels(passageOffsets);
  const passages = {
    firstClips,
    clipCount: passageClips,
    offsets: passageOffsets,
    labels: passageLabels,
    means: readLogits(passageLabels.length),
    peaks: readLogits(passageLabels.length),
    zs: readLogits(passageLabels.length),
    meanFloors: readFloats(passageCount),
    restWeights: readFloats(passageCount),
  };
  return { modelId, labelCount, sampleRate, clipSamples, clipStepSamples, sampleCount, silentSamples, clips, passages };
}

function joinBytes(columns: readonly (Float64Array | Float32Array | Uint32Array | Uint16Array | Int16Array | Uint8Array)[]) {
  const bytes = new Uint8Array(columns.reduce((length, column) => length + column.byteLength, 0));
  let position = 0;
  for (const column of columns) {
    bytes.set(new Uint8Array(column.buffer, column.byteOffset, column.byteLength), position);
    position += column.byteLength;
  }
  return bytes;
}

function toSteps(logits: Float32Array): Int16Array {
  return Int16Array.from(logits, (logit) => Math.round(logit / LOGIT_STEP));
}

function gapsOf(labels: Uint16Array, offsets: Uint32Array): Uint16Array {
  return mapRows(
    labels,
    offsets,
    (label, previous) => label - previous,
    (_, label) => label,
  );
}

function labelsOf(gaps: Uint16Array, offsets: Uint32Array): Uint16Array {
  return mapRows(
    gaps,
    offsets,
    (gap, previous) => previous + gap,
    (label) => label,
  );
}

/** Maps each row on its own; `carry` says what the next number of the row is told of this one. A row begins with 0. */
function mapRows(
  numbers: Uint16Array,
  offsets: Uint32Array,
  map: (number: number, carried: number) => number,
  carry: (mapped: number, number: number) => number,
): Uint16Array {
  const result = new Uint16Array(numbers.length);
  for (let row = 0; row + 1 < offsets.length; row++) {
    let carried = 0;
    for (let at = offsets[row] ?? 0; at < (offsets[row + 1] ?? 0); at++) {
      const number = numbers[at] ?? 0;
      const mapped = map(number, carried);
      carried = carry(mapped, number);
      result[at] = mapped;
    }
  }
  return result;
}
