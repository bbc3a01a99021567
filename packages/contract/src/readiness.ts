import { z } from 'zod';

/** `GET /readyz` when predictions can be answered; otherwise it is the problem NOT_READY. */
export const readinessSchema = z.object({
  status: z.literal('ready'),
  model: z.literal(true),
  decoder: z.literal(true),
  storage: z.literal(true),
});
