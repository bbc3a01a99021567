import { type ConfidenceEvidence, confidenceEvidenceSchema } from '@chiffchaff/contract';
import { usePublic } from './read-public.ts';

export const evidencePath = (modelId: string): string => `/v1/models/${encodeURIComponent(modelId)}/evidence`;

/** How often the model's confidence words were right; null while this is not known, and for a model that was not tested. */
export function useConfidenceEvidence(modelId: string | null): ConfidenceEvidence | null {
  return useEvidence(modelId).data ?? null;
}

/** Whether loading has finished, successfully or not, or there is nothing to load. */
export function useIsEvidenceSettled(modelId: string | null): boolean {
  return useEvidence(modelId).fetchStatus === 'idle';
}

const useEvidence = (modelId: string | null) =>
  usePublic(evidencePath(modelId ?? ''), confidenceEvidenceSchema, {
    enabled: modelId !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
