import type { PublicConfig } from '@chiffchaff/contract';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { matchIn, openCache, readJson, writeItem } from '../storage/registry.ts';

type Fields = { readonly [Name in keyof PublicConfig]: readonly (string & keyof NonNullable<PublicConfig[Name]>)[] };

/** The fields of the configuration and the fields of those. */
const fields: Fields = {
  apiOrigin: [],
  openPrediction: [],
  identity: ['mode', 'baseUrl', 'tokenBaseUrl', 'apiKey', 'mailAvailable', 'signUp'],
  limits: ['maxUploadBytes', 'maxRecordingSeconds', 'minRecordingSeconds'],
  retentionDays: [],
  // biome-ignore format: in groups, as in the terms
  terms: [
    'businessName', 'siteName', 'effectiveDate', 'state', 'county', 'country', 'disputeYears', 'negotiationDays',
    'liabilityMonths', 'liabilityAmount', 'contactEmail', 'contactAddress', 'contactPhone', 'copyrightAgent',
  ],
  termsFingerprint: [],
  defaultLanguage: [],
  speciesPictures: [],
  version: [],
  commit: [],
  acceptedFormats: [],
  defaultPlace: ['latitude', 'longitude', 'name'],
  languages: [],
  model: ['id', 'version', 'sha256', 'licence', 'attribution', 'words'],
};

/**
 * Whether nothing is missing, as in what an earlier version of the page has stored or an older server sends. The server checks the values
 * with the contract's schema; zod is too heavy for the first page.
 */
export const isPageConfig = (body: unknown): body is PublicConfig =>
  Object.entries(fields).every(([name, inner]) => {
    const value: unknown = Object(body)[name];
    return value === null || (value !== undefined && inner.every((field) => Object(value)[field] !== undefined));
  });

/** Uses plain `fetch`, since the HTTP client is created from this configuration. */
export async function loadPageConfig(signal: AbortSignal): Promise<PublicConfig> {
  const response = await fetch('/config.json', { signal, headers: { accept: 'application/json' } });
  if (response.status !== 200) throw new Error(`/config.json answered ${response.status}`);
  const body: unknown = await response.json();
  if (!isPageConfig(body)) throw new Error('/config.json is not the configuration of a Chiffchaff server');
  keepConfig(body);
  return body;
}

/** How long the page waits for the server before it opens with the last known configuration. */
const PATIENCE_MS = 4000;
const LAST_ADDRESS = '/config.json';

/** The configuration of an earlier visit; null if none is stored, as on plain http. */
async function readLast(): Promise<PublicConfig | null> {
  try {
    const kept: unknown = await (await matchIn('config', LAST_ADDRESS))?.json();
    return isPageConfig(kept) ? kept : null;
  } catch {
    return null;
  }
}

/** Stores the configuration for this visit and, next to the page's own files, for later ones without a connection. */
function keepConfig(config: PublicConfig): void {
  writeItem('sessionStorage', 'config', JSON.stringify(config));
  openCache('config')
    .then((cache) => cache.put(LAST_ADDRESS, Response.json(config)))
    .catch(() => {}); // a page that is opened offline then has no configuration
}

export const publicConfigQuery = queryOptions({
  queryKey: ['public-config'],
  async queryFn({ signal, client, queryKey }) {
    const openWithLast = async () => {
      const last = await readLast();
      if (last && !signal.aborted) client.setQueryData<PublicConfig>(queryKey, (present) => present ?? last);
    };
    const impatience = setTimeout(openWithLast, PATIENCE_MS);
    try {
      return await loadPageConfig(signal);
    } catch (error) {
      await openWithLast();
      throw error; // fetched again when the connection is back
    } finally {
      clearTimeout(impatience);
    }
  },
  initialData() {
    const kept = readJson('sessionStorage', 'config');
    return isPageConfig(kept) ? kept : undefined;
  },
  // The configuration that the tab has kept is stale at once, as is one from before the model had loaded; any other stays fresh.
  staleTime: ({ state }) => (state.dataUpdateCount > 0 && state.data?.model ? Number.POSITIVE_INFINITY : 0),
});

export function usePublicConfig() {
  return useQuery(publicConfigQuery);
}
