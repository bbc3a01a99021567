import { lifeListSchema } from '@chiffchaff/contract';
import { useAuthSnapshot } from '../session/session-context.tsx';
import { useRecord } from './use-record.ts';

/** Scientific names of the birds that are confirmed on the account's life list; undefined until they are known, and without an account. */
export function useOwnBirds(): ReadonlySet<string> | undefined {
  const isSignedIn = useAuthSnapshot().state.token !== null;
  const { data } = useRecord('predictions', '/v1/life-list', lifeListSchema, {}, isSignedIn);
  return data && new Set(data.species.flatMap(({ scientificName, first }) => (first.confirmed ? [scientificName] : [])));
}
