import { PredictionError, type PredictionErrorCode } from '../errors.ts';
import type { AnalysisService, ProgressReport } from '../service/analysis-service.ts';

export type OperationName = Exclude<keyof AnalysisService, 'close'>;

/** Calls to the process. Signals and functions cannot be sent: aborts and reports refer to a call by its number. */
export interface ProgramFunctions {
  call(id: number, name: OperationName, args: readonly unknown[]): Promise<Outcome>;
  abort(id: number): void;
}

/** Reports from the process. */
export interface ClientFunctions {
  progress(id: number, report: ProgressReport): void;
  saved(id: number): void;
  evidence(id: number, part: Uint8Array): void;
  warned(sentence: string): void;
}

export type Outcome = { readonly value: unknown } | { readonly failure: Failure };

/** An error as plain data: its class would be lost between processes. */
interface Failure {
  readonly message: string;
  /** system error code (`ENOSPC`) */
  readonly code?: string | undefined;
  readonly stack?: string | undefined;
  readonly problem?: Pick<PredictionError, 'code' | 'details'> | undefined;
  readonly cause?: Failure | undefined;
}

export function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { message: String(error) };
  const { message, stack, cause } = error;
  return {
    message,
    stack,
    ...('code' in error && typeof error.code === 'string' ? { code: error.code } : {}),
    ...(error instanceof PredictionError ? { problem: { code: error.code, details: error.details } } : {}),
    ...(cause === undefined ? {} : { cause: failureOf(cause) }),
  };
}

export function errorOf({ message, code, stack, problem, cause }: Failure): Error {
  const options = cause === undefined ? {} : { cause: errorOf(cause) };
  const error = problem
    ? new PredictionError<PredictionErrorCode>(problem.code, problem.details, options)
    : Object.assign(new Error(message, options), code === undefined ? {} : { code });
  if (stack !== undefined) error.stack = stack;
  return error;
}
