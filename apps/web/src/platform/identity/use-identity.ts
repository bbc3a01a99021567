import { useQueryClient } from '@tanstack/react-query';
import { publicConfigQuery } from '../api/public-config.ts';
import type { IdentityClient } from './identity-client.ts';
import { IdentityFailure } from './identity-failure.ts';

/**
 * Finds the deployment's identity service; the first call loads client and configuration.
 *
 * @returns a function that rejects with an IdentityFailure when they cannot be loaded
 */
export function useIdentity(): () => Promise<IdentityClient> {
  const queries = useQueryClient();
  return async () => {
    try {
      const [{ createIdentityClient, identityOptionsOf }, config] = await Promise.all([
        import('./identity-client.ts'),
        queries.ensureQueryData(publicConfigQuery),
      ]);
      return createIdentityClient(identityOptionsOf(config));
    } catch (cause) {
      throw new IdentityFailure('Network Error', null, { cause });
    }
  };
}
