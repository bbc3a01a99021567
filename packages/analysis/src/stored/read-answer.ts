import { createInflate } from 'node:zlib';
import { type Correction, type Detection, type Prediction, predictionSchema } from '@chiffchaff/contract';
import { createChoice } from '@chiffchaff/recognizer';

const CHUNK_BYTES = 262_144;
const OPENING = '"detections":[';
/** A detection has no objects within; braces in a name are within quotes. */
const DETECTION = /,?\{(?:[^"{}]|"(?:[^"\\]|\\.)*")*\}/y;

/**
 * Reads an answer as a row holds it piece by piece: versions before the limit wrote hundreds of thousands of detections, and none of it is
 * held. Yields the detections as they come, by time, and returns the prediction without them.
 *
 * @param answer deflated JSON
 */
export async function* piecesOfAnswer(answer: Uint8Array): AsyncGenerator<readonly Detection[], Prediction> {
  const inflated = createInflate({ chunkSize: CHUNK_BYTES });
  inflated.end(answer);
  inflated.setEncoding('utf8');
  let before = '';
  let rest = '';
  for await (const chunk of inflated) {
    rest += chunk;
    if (before === '') {
      // Within a string, its quotes would be escaped.
      const end = rest.indexOf(OPENING) + OPENING.length;
      if (end < OPENING.length) continue;
      before = rest.slice(0, end);
      rest = rest.slice(end);
    }
    const end = endOfDetections(rest);
    if (end === 0) continue;
    // What is read back was written by `packAnalysis`.
    yield JSON.parse(`[${rest.slice(rest.startsWith(',') ? 1 : 0, end)}]`) as Detection[];
    rest = rest.slice(end);
  }
  const head = predictionSchema.parse(JSON.parse(before + rest));
  // Detections of another form than ours were not taken for such.
  if (head.detections.length > 0) yield head.detections;
  return { ...head, detections: [] };
}

/** How far whole detections go, one behind the other. */
function endOfDetections(text: string): number {
  let end = 0;
  DETECTION.lastIndex = 0;
  while (DETECTION.test(text)) end = DETECTION.lastIndex;
  return end;
}

/** The prediction without its detections, which `detectionsLeftOut` does not count. */
export async function readHead(answer: Uint8Array): Promise<Prediction> {
  const pieces = piecesOfAnswer(answer);
  for (;;) {
    const next = await pieces.next();
    if (next.done) return next.value;
  }
}

/** The prediction without its detections, and at most so many of these: of more, the best. */
export async function readParts(
  answer: Uint8Array,
  most: number,
): Promise<{ readonly head: Prediction; readonly detections: Detection[]; readonly leftOut: number }> {
  const choice = createChoice<Detection>(most, ({ scientificName: key, startSeconds, score }) => ({ key, startSeconds, score }));
  const pieces = piecesOfAnswer(answer);
  for (;;) {
    const next = await pieces.next();
    if (next.done) return { head: next.value, detections: choice.chosen(), leftOut: choice.leftOut };
    for (const detection of next.value) choice.add(detection);
  }
}

/** The prediction with at most so many detections. */
export async function readCapped(answer: Uint8Array, most: number): Promise<Prediction> {
  const parts = await readParts(answer, most);
  const leftOut = (parts.head.detectionsLeftOut ?? 0) + parts.leftOut;
  return { ...parts.head, detections: parts.detections, ...(leftOut === 0 ? {} : { detectionsLeftOut: leftOut }) };
}

/** An answer with what was said about its birds since it was stored. */
export function withCorrections(prediction: Prediction, corrections: readonly Correction[]): Prediction {
  return corrections.length === 0 ? prediction : { ...prediction, corrections: [...corrections] };
}
