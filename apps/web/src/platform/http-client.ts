import axios, { type AxiosInstance } from 'axios';

/**
 * The page's one way to the prediction API: one base address, no timeout unless a call sets one, and only 200 is success.
 * It adds no header of its own: which origins may call is the server's to say.
 *
 * @param apiOrigin from the public configuration; empty means the page's own origin
 */
export function createHttpClient(apiOrigin: string): AxiosInstance {
  return axios.create({
    baseURL: apiOrigin,
    timeout: 0,
    validateStatus: (status) => status === 200,
    headers: { Accept: 'application/json' },
    transitional: { clarifyTimeoutError: true },
  });
}
