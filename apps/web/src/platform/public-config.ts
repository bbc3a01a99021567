import type { PublicConfig } from '@chiffchaff/contract';
import { queryOptions, useQuery } from '@tanstack/react-query';

const isObject = (value: unknown): value is { readonly [name: string]: unknown } => typeof value === 'object' && value !== null;
const isPositive = (value: unknown): value is number => typeof value === 'number' && value > 0;

/**
 * Checks the answer of /config.json. The contract's own schema would say the same, but zod is too heavy for the landing page's
 * first load; a test holds the two together.
 *
 * @throws Error when it is not a configuration (another server, an error page)
 */
export function parsePublicConfig(body: unknown): PublicConfig {
  if (isObject(body) && isObject(body.limits) && typeof body.apiOrigin === 'string' && typeof body.openPrediction === 'boolean') {
    const { limits, model, languages, acceptedFormats } = body;
    const { maxUploadBytes, maxRecordingSeconds, minRecordingSeconds } = limits;
    const text = (name: string) => (isObject(model) && typeof model[name] === 'string' ? model[name] : '');
    if (
      isPositive(maxUploadBytes) &&
      isPositive(maxRecordingSeconds) &&
      isPositive(minRecordingSeconds) &&
      Array.isArray(languages) &&
      Array.isArray(acceptedFormats) &&
      typeof body.version === 'string' &&
      (model === null || (isObject(model) && text('id') !== ''))
    )
      return {
        apiOrigin: body.apiOrigin,
        openPrediction: body.openPrediction,
        limits: { maxUploadBytes, maxRecordingSeconds, minRecordingSeconds },
        acceptedFormats: acceptedFormats.filter((format) => typeof format === 'string'),
        version: body.version,
        languages: languages.filter((language) => typeof language === 'string'),
        model: model && {
          id: text('id'),
          version: text('version'),
          sha256: text('sha256'),
          licence: text('licence'),
          attribution: text('attribution'),
        },
      };
  }
  throw new Error('/config.json is not the configuration of a Chiffchaff server');
}

/** By plain `fetch`: the HTTP client is made from this answer. */
async function loadPublicConfig(signal: AbortSignal): Promise<PublicConfig> {
  const response = await fetch('/config.json', { signal, headers: { accept: 'application/json' } });
  if (response.status !== 200) throw new Error(`/config.json answered ${response.status}`);
  const body: unknown = await response.json();
  return parsePublicConfig(body);
}

export const publicConfigQuery = queryOptions({
  queryKey: ['public-config'],
  queryFn: ({ signal }) => loadPublicConfig(signal),
  staleTime: Number.POSITIVE_INFINITY,
});

/** The deployment's public configuration, read once per page load. */
export function usePublicConfig() {
  return useQuery(publicConfigQuery);
}
