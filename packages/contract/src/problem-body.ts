import { z } from 'zod';

/** The body of a problem response (RFC 9457, `application/problem+json`). Clients branch on `code`, never on text. */
export const problemBodySchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  /** The request's id, which people can quote. */
  instance: z.string(),
  /** A code of the catalogue; a string, because a page may be older than its server. */
  code: z.string(),
  retryable: z.boolean(),
  /** The fields of the request that are invalid, if that is the problem. */
  errors: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
});
export type ProblemBody = z.infer<typeof problemBodySchema>;
