import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { PROBLEM_TYPE, problemBody } from './http-problem.ts';

/** Answers input that is not a valid HTTP request, or not complete in time, if the connection can still be written to. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  // Browsers open spare connections; a connection without a request gets no response.
  if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesWritten > 0 || (isLate && socket.bytesRead === 0)) {
    socket.destroy();
    return;
  }
  const found =
    error.code === 'HPE_HEADER_OVERFLOW' ? 'The headers of this request are too long.' : 'This is not a valid HTTP request.';
  const instance = randomUUID();
  const problem = isLate ? problemBody('UPLOAD_TIMEOUT', {}, instance) : problemBody('REQUEST_INVALID', { found }, instance);
  const body = JSON.stringify(problem);
  socket.end(
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\nConnection: close\r\nContent-Type: ${PROBLEM_TYPE}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
