import { codeOf } from '@chiffchaff/acquire';
import { type IdentityErrorBody, type IdentityErrorCode, problemSentence, problems } from '@chiffchaff/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import { statusOf } from '../../http/error-handler.ts';
import { HttpProblem } from '../../http/http-problem.ts';
import { storageProblemOf } from '../../http/storage-problem.ts';
import { IdentityError, isRefusal } from '../identity-error.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * The SDK calls this method when a page loads. Any JSON error signs the person out for good, while other errors count as a bad network.
     * The server's own failures are therefore not sent as JSON here.
     */
    signsOutOnJsonError?: boolean;
  }
}

/** A refusal of the request itself, before any account is involved. */
export class RequestRefusal extends Error {
  override readonly name = 'RequestRefusal';
  readonly row: RefusalRow;

  constructor(row: RefusalRow) {
    super(row.message);
    this.row = row;
  }
}

interface RefusalRow {
  readonly httpStatus: number;
  readonly reason: string;
  readonly message: string;
  /** that of the HTTP status if absent */
  readonly status?: string | undefined;
  /** Google's machine-readable reason, for `details` */
  readonly detail?: string | undefined;
}

const refusal = (httpStatus: number, reason: string, message: string, detail?: string): RefusalRow => ({
  httpStatus,
  reason,
  message,
  detail,
});

const BAD_BEARER = 'Request had invalid authentication credentials. Expected a valid bearer token.';
const OVERLOAD = 'TOO_MANY_ATTEMPTS_TRY_LATER : Your network has sent too many requests. Try again in a moment.';

/** In Google's words, because clients compare these texts. */
export const refusals = {
  apiKeyInvalid: refusal(400, 'badRequest', 'API key not valid. Please pass a valid API key.', 'API_KEY_INVALID'),
  apiKeyMissing: refusal(403, 'forbidden', 'The request is missing a valid API key.'),
  badBearer: refusal(401, 'authError', BAD_BEARER),
  notFound: refusal(404, 'notFound', 'Not Found'),
  notOffered: refusal(501, 'notImplemented', 'OPERATION_NOT_ALLOWED : This way of signing in is not available here.'),
  tooLarge: refusal(413, 'uploadTooLarge', 'Request payload size exceeds the limit.'),
  timedOut: refusal(408, 'timeout', 'The request did not arrive in time.'),
  tooManyRequests: refusal(429, 'rateLimitExceeded', OVERLOAD),
  internal: refusal(500, 'backendError', 'INTERNAL'),
};

const invalidPayload = (found: string): RefusalRow => refusal(400, 'parseError', `Invalid JSON payload received. ${found}`);

/** Google's names of HTTP statuses; those that are missing here are INVALID_ARGUMENT. */
const statuses: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  408: 'DEADLINE_EXCEEDED',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  501: 'UNIMPLEMENTED',
  503: 'UNAVAILABLE',
  507: 'RESOURCE_EXHAUSTED',
};

/**
 * Statuses other than INVALID_ARGUMENT. The HTTP status is 400 for every code, as in Identity Toolkit; clients read the code in the
 * message.
 */
const otherStatuses: Partial<Readonly<Record<IdentityErrorCode, string>>> = {
  INSUFFICIENT_PERMISSION: 'PERMISSION_DENIED',
  TOO_MANY_ATTEMPTS_TRY_LATER: 'RESOURCE_EXHAUSTED',
  RESET_PASSWORD_EXCEED_LIMIT: 'RESOURCE_EXHAUSTED',
};

/** Sends an error of an identity route in Google's envelope, with both its long form (`errors`) and its short one (`status`). */
export function answerIdentityError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const storageProblem = storageProblemOf(error);
  if (storageProblem !== null) request.log.warn({ err: error, code: storageProblem.code }, 'problem');
  const problem = storageProblem ?? (error instanceof HttpProblem ? error : null);
  const row = problem === null ? rowOf(error) : refusalOf(problem);
  if (row === refusals.internal) request.log.error({ err: error }, 'unexpected error in identity');
  if (problem !== null && 'retryAfterSeconds' in problem.details) {
    reply.header('retry-after', String(problem.details.retryAfterSeconds));
  }
  const isOurTrouble = row === refusals.internal || problem !== null;
  const isLimited = isRefusal(error, 'TOO_MANY_ATTEMPTS_TRY_LATER');
  if ((isOurTrouble || isLimited) && request.routeOptions.config.signsOutOnJsonError) {
    return reply.code(503).type('text/plain; charset=utf-8').serializer(String).send('Not ready. Please try again.\n');
  }
  return send(reply, row);
}

function send(
  reply: FastifyReply,
  { httpStatus, status = statuses[httpStatus], message, reason, detail }: RefusalRow,
): FastifyReply {
  const body: IdentityErrorBody = {
    error: {
      code: httpStatus,
      message,
      errors: [{ message, domain: 'global', reason }],
      status: status ?? 'INVALID_ARGUMENT',
      ...(detail === undefined ? {} : { details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: detail }] }),
    },
  };
  // Serialized here, because the route's response schema does not describe errors.
  const write = (value: unknown) => JSON.stringify(value);
  return reply
    .code(httpStatus)
    .type('application/json; charset=utf-8')
    .header('cache-control', 'no-store')
    .serializer(write)
    .send(body);
}

/** A storage problem has the same code and sentence as everywhere else in the API. */
function refusalOf({ code, details }: HttpProblem): RefusalRow {
  if (code === 'UPLOAD_TIMEOUT') return refusals.timedOut;
  if (code === 'TOO_MANY_REQUESTS') return refusals.tooManyRequests;
  return refusal(problems[code].status, 'backendError', `${code} : ${problemSentence(code, details)}`);
}

function rowOf(error: unknown): RefusalRow {
  if (error instanceof RequestRefusal) return error.row;
  if (error instanceof IdentityError) return { ...refusal(400, 'invalid', error.message), status: otherStatuses[error.code] };
  if (hasZodFastifySchemaValidationErrors(error)) {
    const fields = error.validation.map(({ instancePath }) => instancePath.slice(1).replaceAll('/', '.') || 'the request');
    return invalidPayload(`Invalid value at ${fields.join(', ')}.`);
  }
  const code = codeOf(error);
  const statusCode = statusOf(error);
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return refusals.tooLarge;
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return invalidPayload('The content type must be application/json.');
  if (statusCode >= 400 && statusCode < 500) return invalidPayload('The request could not be read.');
  return refusals.internal;
}
