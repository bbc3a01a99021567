/**
 * Evidence as bytes, for storage: logits as 16-bit multiples of `LOGIT_STEP` (lossless, because collected evidence holds no
 * others), labels as gaps within their row, which compress well (deflate saves 40 %). Little-endian, like all machines we run on.
 */
import { gatherBytes } from '../../bytes.ts';
import { RecognizerError } from '../../errors.ts';
import type { TypedNumbers } from './columns.ts';
import { clipCountOf, type Evidence, LOGIT_STEP, type Logits, passageCountOf } from './evidence.ts';

const FORM = 4;
/** Numbers of evidence in the header, after the form and the length of the model's id. */
const SIZES = [
  'labelCount',
  'sampleRate',
  'clipSamples',
  'clipStepSamples',
  'sampleCount',
  'silentSamples',
  'steadyClips',
  'windyClips',
] as const;
const HEADER_NUMBERS = 2 + SIZES.length + 4;
const LEAST_BYTES = 262_144;

/**
 * About 440 kB for the first minute of audio, 2.3 MB for ten minutes, 7.3 MB for an hour, in pieces of 256 to 768 kB (the last may be
 * smaller), so that hours of evidence are not held twice and short evidence is few pieces.
 */
export function encodeEvidenceInPieces(evidence: Evidence): Generator<Uint8Array, void> {
  return gatherBytes(piecesOfAll(evidence), LEAST_BYTES);
}

function* piecesOfAll(evidence: Evidence): Generator<Uint8Array, void> {
  const { clips, passages, modelId, logitUnit } = evidence;
  const header = Float64Array.of(
    FORM,
    modelId.length,
    ...SIZES.map((size) => evidence[size]),
    clips.floor,
    clipCountOf(evidence),
    passageCountOf(evidence),
    passages.clipCount,
  );
  yield bytesOf(header);
  yield Uint8Array.from(modelId, (letter) => letter.charCodeAt(0));
  yield* piecesOf(clips.offsets);
  yield* gapPiecesOf(clips.labels, clips.offsets);
  yield* piecesOf(stepsOf(clips.logits, logitUnit));
  yield* piecesOf(stepsOf(clips.nonBirdPeaks, logitUnit));
  yield* piecesOf(passages.firstClips);
  yield* piecesOf(passages.offsets);
  yield* gapPiecesOf(passages.labels, passages.offsets);
  yield* piecesOf(stepsOf(passages.means, logitUnit));
  yield* piecesOf(stepsOf(passages.peaks, logitUnit));
  yield* piecesOf(stepsOf(passages.zs, logitUnit));
  yield* piecesOf(passages.meanFloors);
  yield* piecesOf(passages.restWeights);
}

/** 256 kB in most columns, 512 kB in some. */
const PIECE_NUMBERS = 131_072;

/** Views of the column, not copies: evidence does not change. */
function* piecesOf(column: TypedNumbers): Generator<Uint8Array, void> {
  for (let from = 0; from < column.length; from += PIECE_NUMBERS) yield bytesOf(column.subarray(from, from + PIECE_NUMBERS));
}

/** The gaps between the labels of each row; the first one is the row's first label. */
function* gapPiecesOf(labels: Uint16Array, offsets: Uint32Array): Generator<Uint8Array, void> {
  let row = 0;
  for (let from = 0; from < labels.length; from += PIECE_NUMBERS) {
    const gaps = new Uint16Array(Math.min(PIECE_NUMBERS, labels.length - from));
    for (let index = 0; index < gaps.length; index++) {
      const at = from + index;
      while ((offsets[row] ?? labels.length) < at) row += 1;
      gaps[index] = (labels[at] ?? 0) - (offsets[row] === at ? 0 : (labels[at - 1] ?? 0));
    }
    yield bytesOf(gaps);
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: TypedNumbers): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** @throws RecognizerError `EVIDENCE_UNREADABLE` if the bytes have another format or are incomplete */
export function decodeEvidence(bytes: Uint8Array): Evidence {
  let position = 0;
  const read = (length: number): ArrayBuffer => {
    const end = position + length;
    if (!(end <= bytes.length)) throw new RecognizerError('EVIDENCE_UNREADABLE', { reason: `ends after ${bytes.length} bytes` });
    // A copy, because columns of two- and four-byte numbers must be aligned.
    const part = new Uint8Array(length);
    part.set(bytes.subarray(position, end));
    position = end;
    return part.buffer;
  };
  const readInts = (length: number): Uint32Array => new Uint32Array(read(4 * length));
  const readFloats = (length: number): Float32Array => new Float32Array(read(4 * length));
  const readLogits = (length: number): Int16Array => new Int16Array(read(2 * length));
  const readLabels = (offsets: Uint32Array): Uint16Array => labelsOf(new Uint16Array(read(2 * (offsets.at(-1) ?? 0))), offsets);

  const header = new Float64Array(read(8 * HEADER_NUMBERS));
  const [form, nameLength = 0, ...rest] = header;
  const [floor = 0, clipCount = 0, passageCount = 0, passageClips = 0] = rest.slice(SIZES.length);
  const sizes = Object.fromEntries(SIZES.map((size, at) => [size, rest[at] ?? 0])) as Pick<Evidence, (typeof SIZES)[number]>;
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
  return { modelId, logitUnit: LOGIT_STEP, ...sizes, clips, passages };
}

function stepsOf(logits: Logits, unit: number): Int16Array {
  if (unit === LOGIT_STEP && logits instanceof Int16Array) return logits;
  const steps = new Int16Array(logits.length);
  // By index: `from` first collects all numbers as objects, too many for hours of evidence.
  for (let index = 0; index < logits.length; index++) steps[index] = Math.round(((logits[index] ?? 0) * unit) / LOGIT_STEP);
  return steps;
}

/** @param gaps replaced by the labels in place */
function labelsOf(gaps: Uint16Array, offsets: Uint32Array): Uint16Array {
  for (let row = 0; row + 1 < offsets.length; row++) {
    let label = 0;
    for (let at = offsets[row] ?? 0; at < (offsets[row + 1] ?? 0); at++) {
      label += gaps[at] ?? 0;
      gaps[at] = label;
    }
  }
  return gaps;
}
