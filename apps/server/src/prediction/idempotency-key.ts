import type { FastifyRequest } from 'fastify';
import { invalidFields } from '../http/http-problem.ts';

/** The key that a client gives a request, so that repeating it does no harm; null without one. @throws HttpProblem REQUEST_INVALID */
export function idempotencyKeyOf({ headers }: FastifyRequest): string | null {
  const key = headers['idempotency-key'];
  if (key === undefined || key === '') return null;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,100}$/.test(key)) return key;
  throw invalidFields([{ field: 'Idempotency-Key', message: 'must be 1 to 100 visible ASCII characters' }]);
}
