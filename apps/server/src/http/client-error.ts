import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { PROBLEM_TYPE, problemBody } from './http-problem.ts';

/** Answers bytes that are no HTTP request, as far as the connection still can be answered. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesWritten > 0) {
    socket.destroy();
    return;
  }
  const found =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? 'The headers of this request are too long.'
      : 'This is not an HTTP request that can be understood.';
  const body = JSON.stringify(problemBody('REQUEST_INVALID', { found }, randomUUID()));
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: ${PROBLEM_TYPE}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
