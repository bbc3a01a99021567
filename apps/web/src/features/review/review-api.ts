import {
  REVIEW_TOKEN_HEADER,
  type ReviewLabelBody,
  reviewLabelledSchema,
  reviewNextSchema,
  reviewProblemSchema,
  reviewStateSchema,
  reviewUndoneSchema,
} from '@chiffchaff/contract';
import type { z } from 'zod';

/** The audio around a detection. */
export interface ClipSound {
  readonly recording: Blob;
  readonly durationSeconds: number;
}

/** A refused call. `sentence` is the command's own; null if the command has ended, or the page was opened without its token. */
export class ReviewError extends Error {
  override readonly name = 'ReviewError';
  readonly sentence: string | null;
  constructor(sentence: string | null) {
    super(sentence ?? 'The command does not answer.');
    this.sentence = sentence;
  }
}

/** @param token from the page's address */
export function createReviewApi(token: string) {
  const ask = async (path: string, body?: unknown): Promise<Response> => {
    const response = await fetch(`/review/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { [REVIEW_TOKEN_HEADER]: token, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch(() => {
      throw new ReviewError(null);
    });
    if (response.ok) return response;
    const problem = reviewProblemSchema.safeParse(await response.json().catch(() => null));
    throw new ReviewError(problem.data?.message ?? `HTTP ${response.status}`);
  };
  const call = async <Schema extends z.ZodType>(schema: Schema, path: string, body?: unknown): Promise<z.output<Schema>> =>
    schema.parse(await (await ask(path, body)).json());
  return {
    state: () => call(reviewStateSchema, 'state'),
    next: async (species: string | null, held: readonly number[]) =>
      (await call(reviewNextSchema, 'next', { species, held })).clip,
    async sound(clip: number): Promise<ClipSound> {
      const response = await ask(`clips/${clip}`);
      return { durationSeconds: Number(response.headers.get('x-duration-seconds')), recording: await response.blob() };
    },
    label: (label: ReviewLabelBody) => call(reviewLabelledSchema, 'labels', label),
    undo: () => call(reviewUndoneSchema, 'undo', {}),
  };
}

/** Calls to the command. Each throws ReviewError when the command refuses it or does not respond. */
export type ReviewApi = ReturnType<typeof createReviewApi>;
