import { beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeProblem } from '../../testing/fake-data.ts';
import { nextRequest, overFakeTransport, useFakeTransport } from '../../testing/fake-transport.ts';
import { createHttpClient } from './http-client.ts';

beforeEach(useFakeTransport);

const session = { tokenForCall: vi.fn<() => Promise<string | null>>(), refused: vi.fn<(token: string) => void>() };
beforeEach(() => {
  session.tokenForCall.mockReset().mockResolvedValue('id.token');
  session.refused.mockReset();
});

async function call(status: number, body: unknown) {
  const answer = overFakeTransport(createHttpClient('', session))
    .get('/v1/account/terms')
    .catch(() => 'failed');
  const request = await nextRequest();
  request.answer(status, body);
  await answer;
  return request;
}

describe('A call of the API that needs an account', () => {
  it('carries the ID token', async () => {
    expect((await call(200, {})).requestHeaders.authorization).toBe('Bearer id.token');
    expect(session.tokenForCall).toHaveBeenCalledTimes(1);
  });

  it('carries no token for a visitor who is signed out', async () => {
    session.tokenForCall.mockResolvedValue(null);
    expect((await call(401, fakeProblem('SIGN_IN_REQUIRED'))).requestHeaders.authorization).toBeUndefined();
    expect(session.refused).not.toHaveBeenCalled();
  });

  it.each(['SIGN_IN_REQUIRED', 'SESSION_EXPIRED'])('ends the session if it is refused with 401 %s', async (code) => {
    await call(401, fakeProblem(code));
    expect(session.refused.mock.calls).toEqual([['id.token']]);
  });

  it.each([
    [401, 'busy'],
    [401, fakeProblem('NOT_FOUND')],
    [503, fakeProblem('SESSION_EXPIRED')],
    [200, fakeProblem('SESSION_EXPIRED')],
  ])('does not end the session if it is refused with another status or code: %i %j', async (status, body) => {
    await call(status, body);
    expect(session.refused).not.toHaveBeenCalled();
  });
});
