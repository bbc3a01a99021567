import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { publicConfigQuery } from '../api/public-config.ts';
import type { IdentityClient } from './identity-client.ts';
import { IdentityFailure } from './identity-failure.ts';

/** The deployment's identity service; the first call loads client and configuration. @throws IdentityFailure when that fails */
export async function openIdentity(queries: QueryClient): Promise<IdentityClient> {
  try {
    const [{ createIdentityClient, identityOptionsOf }, config] = await Promise.all([
      import('./identity-client.ts'),
      queries.ensureQueryData(publicConfigQuery),
    ]);
    return createIdentityClient(identityOptionsOf(config));
  } catch (cause) {
    throw new IdentityFailure('Network Error', null, { cause });
  }
}

export function useIdentity(): () => Promise<IdentityClient> {
  const queries = useQueryClient();
  return () => openIdentity(queries);
}
