import { beforeEach, describe, expect, it, vi } from 'vitest';
import { madeUpProblem } from '../../testing/made-up.ts';
import { nextRequest, overMadeUpTransport, useMadeUpTransport } from '../../testing/made-up-transport.ts';
import { createHttpClient } from './http-client.ts';

beforeEach(useMadeUpTransport);

const session = { tokenForCall: vi.fn<() => Promise<string | null>>(), refused: vi.fn<(token: string) => void>() };
beforeEach(() => {
  session.tokenForCall.mockReset().mockResolvedValue('id.token');
  session.refused.mockReset();
});

async function call(status: number, body: unknown) {
  const answer = overMadeUpTransport(createHttpClient('', session))
    .get('/v1/account/terms')
    .catch(() => 'failed');
  const request = await nextRequest();
  request.answer(status, body);
  await answer;
  return request;
}

describe('a call for whoever is signed in', () => {
  it('carries the ID token', async () => {
    expect((await call(200, {})).requestHeaders.authorization).toBe('Bearer id.token');
    expect(session.tokenForCall).toHaveBeenCalledTimes(1);
  });

  it('carries none where nobody is', async () => {
    session.tokenForCall.mockResolvedValue(null);
    expect((await call(401, madeUpProblem('SIGN_IN_REQUIRED'))).requestHeaders.authorization).toBeUndefined();
    expect(session.refused).not.toHaveBeenCalled();
  });

  it.each(['SIGN_IN_REQUIRED', 'SESSION_EXPIRED'])('ends the session when it is refused with 401 %s', async (code) => {
    await call(401, madeUpProblem(code));
    expect(session.refused.mock.calls).toEqual([['id.token']]);
  });

  it.each([
    [401, 'busy'],
    [401, madeUpProblem('NOT_FOUND')],
    [503, madeUpProblem('SESSION_EXPIRED')],
    [200, madeUpProblem('SESSION_EXPIRED')],
  ])('does not end it for anything else: %i %j', async (status, body) => {
    await call(status, body);
    expect(session.refused).not.toHaveBeenCalled();
  });
});
