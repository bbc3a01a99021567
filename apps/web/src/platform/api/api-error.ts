import { type ProblemBody, type ProblemCode, problemBodySchema } from '@chiffchaff/contract';
import type { AxiosError } from 'axios';

/** Why a call failed. `message` is for state and console; people read `errorSentence`. */
export type ApiError =
  | {
      readonly kind: 'problem';
      readonly message: string;
      readonly problem: ProblemBody;
      readonly retryAfterSeconds: number | null;
    }
  | { readonly kind: 'network'; readonly message: 'Network Error' }
  | { readonly kind: 'aborted'; readonly message: 'Request aborted' }
  | { readonly kind: 'timeout'; readonly message: string }
  /** Analysis on this device failed. `undecodable`: this browser cannot open the recording · `failed`: the recogniser failed */
  | { readonly kind: 'device'; readonly message: string; readonly why: 'undecodable' | 'failed' }
  | { readonly kind: 'unexpected'; readonly message: string; readonly status: number | null };

export const isProblem = (error: ApiError, code: ProblemCode): boolean => error.kind === 'problem' && error.problem.code === code;

/** What `axios.isAxiosError` says, without loading axios: a screen that sends nothing needs none. */
const isAxiosError = (error: unknown): error is AxiosError<unknown> => error instanceof Error && 'isAxiosError' in error;

export function toApiError(error: unknown): ApiError {
  if (error instanceof DOMException && error.name === 'AbortError') return { kind: 'aborted', message: 'Request aborted' };
  if (!isAxiosError(error))
    return { kind: 'unexpected', message: error instanceof Error ? error.message : String(error), status: null };
  const { response, code, config } = error;
  if (response) {
    const body = problemBodySchema.safeParse(response.data);
    if (!body.success) return { kind: 'unexpected', message: error.message, status: response.status };
    // Our server never sends the form with a date, which counts as absent.
    const seconds = Number.parseInt(String(response.headers['retry-after']), 10);
    const retryAfterSeconds = seconds >= 0 ? seconds : null;
    return { kind: 'problem', message: body.data.detail, problem: body.data, retryAfterSeconds };
  }
  if (code === 'ETIMEDOUT') return { kind: 'timeout', message: `timeout of ${config?.timeout ?? 0} ms exceeded` };
  if (code === 'ECONNABORTED' || code === 'ERR_CANCELED') return { kind: 'aborted', message: 'Request aborted' };
  if (code === 'ERR_NETWORK') return { kind: 'network', message: 'Network Error' };
  return { kind: 'unexpected', message: error.message, status: null };
}
