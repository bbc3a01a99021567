import type { PublicConfig, SignUp } from '@chiffchaff/contract';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { matchIn, openCache, readJson, writeItem } from '../storage/registry.ts';

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isFlag: Check = (value) => typeof value === 'boolean';
const isPositive: Check = (value) => typeof value === 'number' && value > 0;
const isTextList: Check = (value) => Array.isArray(value) && value.every(isText);
const isObjectOf =
  (checks: { readonly [name: string]: Check }): Check =>
  (value) =>
    typeof value === 'object' && Object.entries(checks).every(([name, check]) => check(Object(value)[name]));
const identityModes: readonly unknown[] = ['embedded', 'firebase', 'emulator'] satisfies PublicConfig['identity']['mode'][];
const signUps: readonly unknown[] = ['open', 'invite', 'closed'] satisfies SignUp[];
const isBlank: Check = (value) => value === null || isText(value);
const isShare: Check = (value) => typeof value === 'number' && value >= 0 && value <= 1;
const isWords = isObjectOf({ veryLikely: isShare, likely: isShare, perhaps: isShare, notSure: isShare });
const isDegrees =
  (most: number): Check =>
  (value) =>
    typeof value === 'number' && Math.abs(value) <= most;
const isPlace = isObjectOf({ latitude: isDegrees(90), longitude: isDegrees(180), name: isText });
const isModel = isObjectOf({ id: isText, version: isText, sha256: isText, licence: isText, attribution: isText, words: isWords });

const checks: { readonly [Name in keyof PublicConfig]: Check } = {
  apiOrigin: isText,
  openPrediction: isFlag,
  identity: isObjectOf({
    mode: (value) => identityModes.includes(value),
    baseUrl: isText,
    tokenBaseUrl: isText,
    apiKey: isText,
    mailAvailable: isFlag,
    signUp: (value) => signUps.includes(value),
  }),
  limits: isObjectOf({ maxUploadBytes: isPositive, maxRecordingSeconds: isPositive, minRecordingSeconds: isPositive }),
  retentionDays: (value) => Number.isSafeInteger(value) && isPositive(value),
  terms: isObjectOf({
    businessName: isBlank,
    siteName: isBlank,
    effectiveDate: isBlank,
    state: isBlank,
    county: isBlank,
    country: isBlank,
    disputeYears: isBlank,
    negotiationDays: isBlank,
    liabilityMonths: isBlank,
    liabilityAmount: isBlank,
    contactEmail: isBlank,
    contactAddress: isBlank,
    contactPhone: isBlank,
    copyrightAgent: isBlank,
  } satisfies { readonly [Blank in keyof PublicConfig['terms']]: Check }),
  termsFingerprint: isText,
  defaultLanguage: isBlank,
  speciesPictures: isFlag,
  version: isText,
  commit: isBlank,
  acceptedFormats: isTextList,
  defaultPlace: (value) => value === null || isPlace(value),
  languages: isTextList,
  model: (value) => value === null || isModel(value),
};

/** The same check as the contract's schema, without zod, which is too heavy for the first page; a test compares the two. */
export const isPageConfig = (body: unknown): body is PublicConfig => isObjectOf(checks)(body);

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
