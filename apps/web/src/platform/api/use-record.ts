import { useQuery } from '@tanstack/react-query';
import type { z } from 'zod';
import { useAccountApi } from '../session/session-context.tsx';
import { ask } from './ask.ts';
import { useFailureSentence } from './use-call.ts';

/**
 * What the API has for the account at a path. Refreshed with everything of its area: the account's settings, or what is made from its
 * predictions. `failure` says why it could not be read; null if it could.
 */
export function useRecord<Answer>(
  area: 'account' | 'predictions',
  path: string,
  schema: z.ZodType<Answer>,
  params: { readonly [name: string]: string } = {},
  enabled = true,
) {
  const { openHttp, localId } = useAccountApi();
  const failureOf = useFailureSentence();
  const record = useQuery({
    retry: area === 'account' ? 0 : 1,
    queryKey: [area, localId, path, params],
    queryFn: async ({ signal }) => ask(await openHttp(), schema, { url: path, params, signal }),
    enabled,
  });
  return { data: record.data, refetch: record.refetch, failure: failureOf(record.error) };
}
