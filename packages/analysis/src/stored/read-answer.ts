import { createInflate } from 'node:zlib';
import { type BirdReview, type Detection, type Prediction, predictionSchema } from '@chiffchaff/contract';
import { createChoice } from '@chiffchaff/recognizer';

const CHUNK_BYTES = 262_144;
const OPENING = '"detections":[';
/** A detection contains no objects; braces in names are within quotes. */
const DETECTION = /,?\{(?:[^"{}]|"(?:[^"\\]|\\.)*")*\}/y;

/**
 * Reads a stored answer piece by piece, without holding it: versions before the limit wrote hundreds of thousands of detections. Yields the
 * detections by time and returns the prediction without them.
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
      // In a string, its quotes would be escaped.
      const end = rest.indexOf(OPENING) + OPENING.length;
      if (end < OPENING.length) continue;
      before = rest.slice(0, end);
      rest = rest.slice(end);
    }
    const end = endOfDetections(rest);
    if (end === 0) continue;
    // Written by `packAnalysis`.
    yield JSON.parse(`[${rest.slice(rest.startsWith(',') ? 1 : 0, end)}]`) as Detection[];
    rest = rest.slice(end);
  }
  const head = predictionSchema.parse(JSON.parse(before + rest));
  // Detections of another form than ours do not match the pattern.
  if (head.detections.length > 0) yield head.detections;
  return { ...head, detections: [] };
}

/** Where the last complete detection ends. */
function endOfDetections(text: string): number {
  let end = 0;
  DETECTION.lastIndex = 0;
  while (DETECTION.test(text)) end = DETECTION.lastIndex;
  return end;
}

/** The prediction without its detections, which are not counted in `detectionsLeftOut`. */
export async function readHead(answer: Uint8Array): Promise<Prediction> {
  const pieces = piecesOfAnswer(answer);
  for (;;) {
    const next = await pieces.next();
    if (next.done) return next.value;
  }
}

/** The prediction without its detections, and the detections, at most `most`: the best if there are more. */
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

/** The prediction with at most `most` detections. */
export async function readCapped(answer: Uint8Array, most: number): Promise<Prediction> {
  const parts = await readParts(answer, most);
  const leftOut = (parts.head.detectionsLeftOut ?? 0) + parts.leftOut;
  return { ...parts.head, detections: parts.detections, ...(leftOut === 0 ? {} : { detectionsLeftOut: leftOut }) };
}

/** Adds the owner's reviews since the answer was stored. */
export function withReviews(prediction: Prediction, reviews: readonly BirdReview[]): Prediction {
  return reviews.length === 0 ? prediction : { ...prediction, reviews: [...reviews] };
}
