import { FORM_TYPE, form, type Part } from './multipart.ts';
import type { TestServer } from './test-server.ts';

// Tests state what they read of it in their expectations.
// biome-ignore lint/suspicious/noExplicitAny: answers of every route
type Answer = any;

/** A person with an account of the embedded service, and their requests to the server. */
export interface SignedInUser {
  readonly token: string;
  readonly accountId: string;
  readonly headers: { readonly authorization: string };
  send(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    url: string,
    body?: object,
  ): Promise<{ status: number; body: Answer; text: string; headers: Record<string, unknown> }>;
  predict(parts: readonly Part[], key?: string): Promise<{ status: number; body: Answer }>;
}

export const signUp = (server: TestServer, email: string): Promise<SignedInUser> => enter(server, 'signUp', email);

/** Starts another session of an account that `signUp` created. */
export const signInAgain = (server: TestServer, email: string): Promise<SignedInUser> =>
  enter(server, 'signInWithPassword', email);

async function enter({ app }: TestServer, method: 'signUp' | 'signInWithPassword', email: string): Promise<SignedInUser> {
  const entered = await app.inject({
    method: 'POST',
    url: `/v1/accounts:${method}?key=any`,
    payload: { email, password: 'two short notes', returnSecureToken: true },
  });
  const { idToken, localId } = entered.json();
  const headers = { authorization: `Bearer ${idToken}` };
  return {
    token: idToken,
    accountId: localId,
    headers,
    async send(method, url, payload) {
      const answer = await app.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) });
      const isJson = String(answer.headers['content-type']).includes('json');
      return {
        status: answer.statusCode,
        body: isJson ? answer.json() : null,
        text: answer.body,
        headers: answer.headers,
      };
    },
    async predict(parts, key) {
      const answer = await app.inject({
        method: 'POST',
        url: '/get_prediction',
        headers: { ...headers, 'content-type': FORM_TYPE, ...(key === undefined ? {} : { 'idempotency-key': key }) },
        payload: form(parts),
      });
      return { status: answer.statusCode, body: answer.json() };
    },
  };
}
