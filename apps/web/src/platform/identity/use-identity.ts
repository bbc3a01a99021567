import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { publicConfigQuery } from '../api/public-config.ts';
import type { IdentityClient } from './identity-client.ts';
import { IdentityFailure } from './identity-failure.ts';

/** The identity service that the deployment names; client and configuration are fetched when they are first needed. */
type FindIdentity = () => Promise<IdentityClient>;

/** @returns a function that rejects with an IdentityFailure when the service cannot be found out */
export function useIdentity(): FindIdentity {
  const queries = useQueryClient();
  return useCallback(async () => {
    try {
      const [{ createIdentityClient, identityOptionsOf }, config] = await Promise.all([
        import('./identity-client.ts'),
        queries.ensureQueryData(publicConfigQuery),
      ]);
      return createIdentityClient(identityOptionsOf(config));
    } catch (cause) {
      throw new IdentityFailure('Network Error', null, { cause });
    }
  }, [queries]);
}
