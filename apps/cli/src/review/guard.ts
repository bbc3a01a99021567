import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { REVIEW_TOKEN_HEADER } from '@chiffchaff/contract';

/** 128 bits, for one run of the command. */
export const createToken = (): string => randomBytes(16).toString('base64url');

/** Why a request is rejected; null when it is allowed. */
export type Refusal = { readonly status: 401 | 403 | 421; readonly message: string } | null;

const foreign: Refusal = { status: 403, message: 'This review answers no other page.' };

/**
 * Checks that a request comes from our own page. Other pages in the same browser can reach every port of this machine: `Origin` reveals
 * them, and `Host` reveals a name that was pointed here.
 *
 * @param port that the server listens on
 */
export function refusalOf({ headers, method }: Pick<IncomingMessage, 'headers' | 'method'>, port: number): Refusal {
  const own = `127.0.0.1:${port}`;
  if (headers.host !== own) return { status: 421, message: `This review is only served at http://${own}.` };
  if (headers.origin !== undefined && headers.origin !== `http://${own}`) return foreign;
  const site = headers['sec-fetch-site'];
  // `none`: the user typed the address or opened it from a terminal, which only loads the page.
  const isOpened = site === 'none' && (method === 'GET' || method === 'HEAD');
  return site === undefined || site === 'same-origin' || isOpened ? null : foreign;
}

/** Checks that a request for recordings or labels has the token of this run. */
export function tokenRefusal({ headers }: Pick<IncomingMessage, 'headers'>, token: string): Refusal {
  if (isToken(headers[REVIEW_TOKEN_HEADER], token)) return null;
  return { status: 401, message: 'The token of this review is missing or wrong. Open the address that the command printed.' };
}

function isToken(given: string | readonly string[] | undefined, token: string): boolean {
  if (typeof given !== 'string') return false;
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}
