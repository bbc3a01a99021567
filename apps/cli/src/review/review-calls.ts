import { randomUUID } from 'node:crypto';
import {
  type ReviewClip,
  type ReviewState,
  reviewLabelBodySchema,
  reviewLabelledSchema,
  reviewNextBodySchema,
  reviewNextSchema,
  reviewStateSchema,
  reviewUndoneSchema,
} from '@chiffchaff/contract';
import type { Label, Review, ReviewedDetection } from '@chiffchaff/survey';
import type { z } from 'zod';
import type { LabelFile } from './label-file.ts';
import { CallError, type ReviewAnswers } from './review-server.ts';

/** Audio before and after a detection, as far as the recording has it. */
export const CONTEXT_SECONDS = 3;

interface Input {
  readonly detections: readonly ReviewedDetection[];
  readonly review: Review;
  readonly labels: LabelFile;
  readonly labelsName: string;
  readonly by: string;
  readonly target: number;
  /** The scientific name of a species that a person names; null for anything else. */
  readonly speciesOf: (name: string) => Promise<string | null>;
  /** called after each label and each undo */
  readonly onChange: (labelsOfThisRun: number) => void;
}

/** What the page may call, as `packages/contract/src/review.ts` describes it. */
export function createReviewCalls({ detections, review, labels, ...given }: Input): ReviewAnswers['calls'] {
  /** Labels of this person that can be undone, latest last. */
  const own = labels.labels.filter(({ by }) => by === given.by);
  let inThisRun = 0;

  const clipOf = (id: number): ReviewClip | null => {
    const found = detections[id];
    if (!found) return null;
    return { id, ...found, clipStartSeconds: Math.max(0, found.startSeconds - CONTEXT_SECONDS) };
  };
  const changed = (by: number) => {
    inThisRun += by;
    given.onChange(inThisRun);
  };
  const state = async (): Promise<ReviewState> => ({
    target: given.target,
    labelsName: given.labelsName,
    canUndo: own.length > 0,
    species: review.species(),
  });

  const next = async (body: unknown) => {
    const { species, held } = read(reviewNextBodySchema, body);
    const id = review.next(species, new Set(held));
    return reviewNextSchema.parse({ clip: id === null ? null : clipOf(id) });
  };

  const addLabel = async (body: unknown) => {
    const { clip, verdict, otherSpecies } = read(reviewLabelBodySchema, body);
    const detection = detections[clip];
    const known = detection && review.standingOf(detection.scientificName);
    if (!detection || !known) throw new CallError(404, 'There is no such detection.');
    const { commonName: _, ...heard } = detection;
    const other = verdict !== 'other' || otherSpecies === '' ? '' : await given.speciesOf(otherSpecies);
    if (other === null)
      throw new CallError(
        422,
        `“${otherSpecies}” is no species that the model knows. Choose one of the list, or leave the name out.`,
      );
    const label: Label = {
      id: randomUUID(),
      labelled: new Date().toISOString(),
      by: given.by,
      ...heard,
      verdict,
      otherSpecies: other,
    };
    await labels.add(label);
    own.push(label);
    review.add(label);
    changed(1);
    return reviewLabelledSchema.parse({ species: review.standingOf(detection.scientificName), canUndo: true });
  };

  const undo = async () => {
    const taken = own.at(-1);
    if (!taken) throw new CallError(409, 'There is no label to take back.');
    await labels.undo({ id: randomUUID(), labelled: new Date().toISOString(), by: given.by, undoes: taken.id });
    own.pop();
    review.remove(taken.id);
    changed(-1);
    const id = review.idOf(taken);
    return reviewUndoneSchema.parse({ clip: id === null ? null : clipOf(id), canUndo: own.length > 0 });
  };

  return {
    state: { method: 'GET', call: async () => reviewStateSchema.parse(await state()) },
    next: { method: 'POST', call: next },
    labels: { method: 'POST', call: addLabel },
    undo: { method: 'POST', call: undo },
  };
}

function read<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new CallError(400, `The call is not understood: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim());
}
