import { problemBodySchema } from '@chiffchaff/contract';
import axios, { type AxiosInstance } from 'axios';
import type { AuthSession } from '../session/create-auth-session.ts';

const signInCodes = ['SIGN_IN_REQUIRED', 'SESSION_EXPIRED'];

/**
 * Creates the page's API client: one base address, no timeout unless a call sets one, and only status 200 is success.
 *
 * @param apiOrigin from the public configuration; empty means the page's own origin
 * @param session provides the ID token for `Authorization: Bearer`; a 401 for this token ends the session
 * @param onNoAnswer called when a request fails because of the network
 */
export function createHttpClient(
  apiOrigin: string,
  session: Pick<AuthSession, 'tokenForCall' | 'refused'> | null = null,
  onNoAnswer: () => void = () => {},
): AxiosInstance {
  const http = axios.create({
    baseURL: apiOrigin,
    timeout: 0,
    validateStatus: (status) => status === 200,
    headers: { Accept: 'application/json' },
    transitional: { clarifyTimeoutError: true },
  });
  http.interceptors.request.use(async (request) => {
    const token = (await session?.tokenForCall()) ?? null;
    if (token !== null) request.headers.set('Authorization', `Bearer ${token}`);
    return request;
  });
  http.interceptors.response.use(null, (error: unknown) => {
    if (axios.isAxiosError<unknown>(error)) {
      if (error.code === 'ERR_NETWORK') onNoAnswer();
      const problem = error.response?.status === 401 ? problemBodySchema.safeParse(error.response.data) : null;
      const sent = /^Bearer (.+)$/.exec(String(error.config?.headers.get('Authorization') ?? ''))?.[1];
      if (sent !== undefined && problem?.success && signInCodes.includes(problem.data.code)) session?.refused(sent);
    }
    return Promise.reject(error);
  });
  return http;
}
