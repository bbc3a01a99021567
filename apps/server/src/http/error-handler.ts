import { codeOf } from '@chiffchaff/acquire';
import { AnalysisInterrupted, PredictionError } from '@chiffchaff/analysis';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import { HttpProblem, invalidFields, sendProblem } from './http-problem.ts';
import { storageProblemOf } from './storage-problem.ts';

/**
 * The only place that turns errors into responses. Problems of the catalogue are sent as they are. Anything unexpected is logged with its
 * cause, and its response contains only a reference to that log line.
 */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof HttpProblem) {
    if (error.cause !== undefined) request.log.warn({ err: error.cause, code: error.code }, 'problem');
    return sendProblem(reply, error.code, error.details, error.errors);
  }
  const storageProblem = storageProblemOf(error);
  if (storageProblem !== null) return answerError(storageProblem, request, reply);
  if (error instanceof AnalysisInterrupted) return answerError(interrupted(error), request, reply);
  if (error instanceof PredictionError) return sendProblem(reply, error.code, error.details);
  if (hasZodFastifySchemaValidationErrors(error)) {
    const errors = error.validation.map(({ instancePath, message = 'is not valid' }) => ({
      field: instancePath.replace(/^\//, '') || 'request',
      message,
    }));
    return answerError(invalidFields(errors), request, reply);
  }
  const status = statusOf(error);
  if (status === 404) return sendProblem(reply, 'NOT_FOUND', {});
  if (status >= 400 && status < 500) {
    return sendProblem(reply, 'REQUEST_INVALID', { found: sentences[codeOf(error)] ?? 'This request could not be understood.' });
  }
  request.log.error({ err: error }, 'unexpected error');
  return sendProblem(reply, 'INTERNAL', { reference: request.id });
}

/** The client waits while another process starts and loads the model. */
const interrupted = (cause: AnalysisInterrupted): HttpProblem =>
  new HttpProblem('SERVER_BUSY', { retryAfterSeconds: 5 }, { cause });

/** Sentences for requests that fastify refuses before a route sees them. */
const sentences: Readonly<Record<string, string>> = {
  FST_ERR_BAD_URL: 'The URL of this request is malformed.',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'This address does not accept that content type.',
  FST_ERR_CTP_BODY_TOO_LARGE: 'The body of this request is too large for this address.',
  FST_ERR_CTP_INVALID_JSON_BODY: 'The body of this request is not valid JSON.',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'The body of this request is empty.',
};

export const statusOf = (error: unknown): number =>
  error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500;
