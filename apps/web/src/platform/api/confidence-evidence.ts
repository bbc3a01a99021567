import { type ConfidenceEvidence, confidenceEvidenceSchema } from '@chiffchaff/contract';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { usePublicConfig } from './public-config.ts';
import { readPublic } from './read-public.ts';

export const confidenceEvidenceQuery = (apiOrigin: string, modelId: string) =>
  queryOptions({
    queryKey: ['confidence-evidence', apiOrigin, modelId],
    // A model that was never tested is no failure: the result is null.
    queryFn: ({ signal }) =>
      readPublic(`${apiOrigin}/v1/models/${encodeURIComponent(modelId)}/evidence`, confidenceEvidenceSchema, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** How often the model's confidence words were right; null while this is not known, and for a model that was not tested. */
export function useConfidenceEvidence(modelId: string | null): ConfidenceEvidence | null {
  return useEvidenceQuery(modelId).data ?? null;
}

/** Whether loading has finished, successfully or not, or there is nothing to load. */
export function useIsEvidenceSettled(modelId: string | null): boolean {
  return useEvidenceQuery(modelId).fetchStatus === 'idle';
}

function useEvidenceQuery(modelId: string | null) {
  const { data: config } = usePublicConfig();
  return useQuery({
    ...confidenceEvidenceQuery(config?.apiOrigin ?? '', modelId ?? ''),
    enabled: config !== undefined && modelId !== null,
  });
}
