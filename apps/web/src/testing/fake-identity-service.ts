import axios from 'axios';
import { beforeEach } from 'vitest';
import { type FakeRequest, nextRequest, useFakeTransport } from './fake-transport.ts';

/** Makes every HTTP client of the page use the fake transport, in each test of the file. */
export function answerEveryClient(): void {
  beforeEach(() => {
    useFakeTransport();
    axios.defaults.adapter = 'xhr';
  });
}

/** A refusal in the format of identity services. */
export const fakeRefusal = (message: string) => ({
  error: { code: 400, message, errors: [{ message, domain: 'global', reason: 'invalid' }], status: 'INVALID_ARGUMENT' },
});

export const fakeTokens = { localId: 'u1', idToken: 'id.token', refreshToken: 'refresh', expiresIn: '3600' };

/** The next request with its parsed JSON body; `call` is `METHOD path`, without the API key. */
export async function nextCall(): Promise<{ readonly call: string; readonly body: unknown; readonly request: FakeRequest }> {
  const request = await nextRequest();
  const body: unknown =
    typeof request.body === 'string' && request.body.startsWith('{') ? JSON.parse(request.body) : request.body;
  return { call: `${request.method} ${request.url.replace(/\?key=.*$/, '')}`, body, request };
}
