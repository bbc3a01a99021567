import { type ConfidenceEvidence, confidenceEvidenceSchema } from '@chiffchaff/contract';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { usePublicConfig } from './public-config.ts';
import { readPublic } from './read-public.ts';

export const confidenceEvidenceQuery = (apiOrigin: string, modelId: string) =>
  queryOptions({
    queryKey: ['confidence-evidence', apiOrigin, modelId],
    // A model that was never tested is no failure: then nothing is said.
    queryFn: ({ signal }) =>
      readPublic(`${apiOrigin}/v1/models/${encodeURIComponent(modelId)}/evidence`, confidenceEvidenceSchema, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** How often the words of a model were right; null while that is not known, and where it was not tested. */
export function useConfidenceEvidence(modelId: string | null): ConfidenceEvidence | null {
  return useEvidenceQuery(modelId).data ?? null;
}

/** Whether it is clear by now what is known of a model's words; also when nothing is, or the call failed. */
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
