import { type ProblemBody, type ProblemCode, type ProblemDetails, problemSentence, problems } from '@chiffchaff/contract';
import type { FastifyReply } from 'fastify';

/** What is wrong with one field of a request. */
export interface FieldFault {
  readonly field: string;
  readonly message: string;
}

/** How long a client that gets SERVER_BUSY should wait: about as long as a short recording takes to arrive. */
export const RETRY_AFTER_SECONDS = 5;

/** A problem of the catalogue that is not about a recording. Thrown anywhere below a route, sent by the error handler. */
export class HttpProblem<Code extends ProblemCode = ProblemCode> extends Error {
  override readonly name = 'HttpProblem';
  readonly code: Code;
  readonly details: ProblemDetails[Code];
  readonly errors: readonly FieldFault[];

  constructor(
    code: Code,
    details: ProblemDetails[Code],
    { errors = [], cause }: { errors?: readonly FieldFault[]; cause?: unknown } = {},
  ) {
    super(code, { cause });
    this.code = code;
    this.details = details;
    this.errors = errors;
  }
}

/** The problem for invalid fields: one sentence that names them all, and each of them in `errors`. */
export function invalidFields(errors: readonly FieldFault[]): HttpProblem<'REQUEST_INVALID'> {
  const found = errors.map(({ field, message }) => `${field} ${message}.`).join(' ');
  return new HttpProblem('REQUEST_INVALID', { found: `Some fields are not valid: ${found}` }, { errors });
}

/** What was looked up. @throws HttpProblem NOT_FOUND if there is no such thing */
export function existing<Value>(found: Value | null | undefined): Value {
  if (found === null || found === undefined) throw new HttpProblem('NOT_FOUND', {});
  return found;
}

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** RFC 9457 with our `code`, `retryable` and `errors`. `instance` is the id of the request, which the log has too. */
export function problemBody<Code extends ProblemCode>(
  code: Code,
  details: ProblemDetails[Code],
  instance: string,
  errors: readonly FieldFault[] = [],
): ProblemBody {
  const { status, title, retryable } = problems[code];
  return {
    type: `urn:chiffchaff:problem:${code.toLowerCase().replaceAll('_', '-')}`,
    title,
    status,
    detail: problemSentence(code, details),
    instance,
    code,
    retryable,
    ...(errors.length > 0 ? { errors: [...errors] } : {}),
  };
}

/** Sends a problem. Serialized here, because the route's response schema does not describe it. */
export function sendProblem<Code extends ProblemCode>(
  reply: FastifyReply,
  code: Code,
  details: ProblemDetails[Code],
  errors?: readonly FieldFault[],
): FastifyReply {
  if ('retryAfterSeconds' in details) reply.header('retry-after', String(details.retryAfterSeconds));
  return reply
    .code(problems[code].status)
    .type(PROBLEM_TYPE)
    .header('cache-control', 'no-store')
    .serializer((body: unknown) => JSON.stringify(body))
    .send(problemBody(code, details, reply.request.id, errors));
}
