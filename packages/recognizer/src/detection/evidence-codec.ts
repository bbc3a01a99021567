/**
 * Evidence as bytes, for keeping: logits as 16-bit multiples of `LOGIT_STEP` (evidence holds no others, so nothing is lost), labels
 * as gaps within their row, which compress well (deflate takes off 40 %). Little-endian, as all machines we run on.
 */
import { RecognizerError } from '../errors.ts';
import { clipCountOf, type Evidence, LOGIT_STEP, passageCountOf } from './evidence.ts';

const FORM = 2;
const HEADER_NUMBERS = 12;

type Numbers = Float64Array | Float32Array | Uint32Array | Uint16Array | Int16Array | Uint8Array;

/** About 440 kB for the first minute of sound, 2.3 MB for ten, 7.3 MB for an hour. */
export function encodeEvidence(evidence: Evidence): Uint8Array<ArrayBuffer> {
  return joinBytes([...encodeEvidenceInPieces(evidence)]);
}

/** The same bytes in pieces of no more than 512 kB: evidence of hours need not be held twice. */
export function* encodeEvidenceInPieces(evidence: Evidence): Generator<Uint8Array<ArrayBuffer>, void> {
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
  yield bytesOf(header);
  yield Uint8Array.from(modelId, (letter) => letter.charCodeAt(0));
  yield* piecesOf(clips.offsets);
  yield* piecesOf(gapsOf(clips.labels, clips.offsets));
  yield* piecesOf(clips.logits, toSteps);
  yield* piecesOf(clips.nonBirdPeaks, toSteps);
  yield* piecesOf(passages.firstClips);
  yield* piecesOf(passages.offsets);
  yield* piecesOf(gapsOf(passages.labels, passages.offsets));
  yield* piecesOf(passages.means, toSteps);
  yield* piecesOf(passages.peaks, toSteps);
  yield* piecesOf(passages.zs, toSteps);
  yield* piecesOf(passages.meanFloors);
  yield* piecesOf(passages.restWeights);
}

const PIECE_NUMBERS = 131_072;

function* piecesOf<Column extends Float32Array | Uint32Array | Uint16Array>(
  column: Column,
  write: (piece: Column) => Numbers = (piece) => piece,
): Generator<Uint8Array<ArrayBuffer>, void> {
  for (let from = 0; from < column.length; from += PIECE_NUMBERS) {
    // A part of a column is one of its kind.
    yield bytesOf(write(column.subarray(from, from + PIECE_NUMBERS) as Column));
  }
}

/** A copy: what is compressed meanwhile must not change. */
function bytesOf(numbers: Numbers): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength));
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
  const readLogits = (length: number): Float32Array => fromSteps(new Int16Array(read(2 * length)));
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

function joinBytes(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let position = 0;
  for (const piece of pieces) {
    bytes.set(piece, position);
    position += piece.length;
  }
  return bytes;
}

// Both by index: `from` lists all numbers as objects first, which hours of evidence are too long for.

function toSteps(logits: Float32Array): Int16Array {
  const steps = new Int16Array(logits.length);
  for (let index = 0; index < logits.length; index++) steps[index] = Math.round((logits[index] ?? 0) / LOGIT_STEP);
  return steps;
}

function fromSteps(steps: Int16Array): Float32Array {
  const logits = new Float32Array(steps.length);
  for (let index = 0; index < steps.length; index++) logits[index] = (steps[index] ?? 0) * LOGIT_STEP;
  return logits;
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
