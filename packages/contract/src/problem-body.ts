import { z } from 'zod';

/** How a problem travels (RFC 9457, `application/problem+json`). Clients branch on `code`, never on text. */
export const problemBodySchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  /** The request's id: what a person can quote. */
  instance: z.string(),
  /** A code of the catalogue; a string, because a page may be older than the server it talks to. */
  code: z.string(),
  retryable: z.boolean(),
  /** What is wrong with single fields of the request, when that is the problem. */
  errors: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
});
export type ProblemBody = z.infer<typeof problemBodySchema>;
