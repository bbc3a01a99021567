import type { ApiError } from './api-error.ts';

/** Whether the same request may succeed when it is sent again. */
export function isRetryable(error: ApiError): boolean {
  return error.kind === 'problem' ? error.problem.retryable : error.kind !== 'unexpected';
}
