import { type UseQueryOptions, useQuery } from '@tanstack/react-query';
import type { z } from 'zod';
import { usePublicConfig } from './public-config.ts';

/**
 * Fetches a public resource. The browser may cache it, so that it stays readable for a while without a connection.
 *
 * @returns null when the server has no such resource (404)
 * @throws TypeError when the request fails
 */
export async function fetchPublic(address: string, signal: AbortSignal): Promise<Response | null> {
  const response = await fetch(address, { signal });
  if (response.status === 404) return null;
  if (!response.ok) throw new TypeError(`${address} answered ${response.status}`);
  return response;
}

/** Half an hour: people who look at other birds and return, even offline, find the page as it was. */
const KEPT_MS = 1_800_000;

export const publicKey = (address: string) => ['public', address];

/** What the API has for everyone at a path; null if it has nothing. */
export function usePublic<Value>(
  path: string,
  schema: z.ZodType<Value>,
  {
    enabled = true,
    ...options
  }: Pick<UseQueryOptions<Value | null>, 'retry' | 'retryDelay' | 'staleTime'> & { enabled?: boolean | undefined } = {},
) {
  const { data: config } = usePublicConfig();
  const address = `${config?.apiOrigin ?? ''}${path}`;
  return useQuery<Value | null>({
    queryKey: publicKey(address),
    async queryFn({ signal }) {
      const response = await fetchPublic(address, signal);
      return response && schema.parse(await response.json());
    },
    enabled: config !== undefined && enabled,
    staleTime: KEPT_MS,
    gcTime: KEPT_MS,
    ...options,
  });
}
