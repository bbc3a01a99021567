import type { PublicConfig } from '@chiffchaff/contract';
import { queryOptions, useQuery } from '@tanstack/react-query';

export type PageConfig = Pick<
  PublicConfig,
  'apiOrigin' | 'openPrediction' | 'identity' | 'limits' | 'acceptedFormats' | 'languages' | 'model' | 'retentionDays' | 'terms'
>;

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isFlag: Check = (value) => typeof value === 'boolean';
const isPositive: Check = (value) => typeof value === 'number' && value > 0;
const isTextList: Check = (value) => Array.isArray(value) && value.every(isText);
const isObjectOf =
  (checks: { readonly [name: string]: Check }): Check =>
  (value) => {
    if (typeof value !== 'object' || value === null) return false;
    const fields: { readonly [name: string]: unknown } = { ...value };
    return Object.entries(checks).every(([name, check]) => check(fields[name]));
  };
const identityModes: readonly unknown[] = ['embedded', 'firebase', 'emulator'] satisfies PublicConfig['identity']['mode'][];
const isBlank: Check = (value) => value === null || isText(value);
const isShare: Check = (value) => typeof value === 'number' && value >= 0 && value <= 1;
const isWords = isObjectOf({ veryLikely: isShare, likely: isShare, perhaps: isShare, notSure: isShare });
const isModel = isObjectOf({ id: isText, version: isText, sha256: isText, licence: isText, attribution: isText, words: isWords });

const checks: { readonly [Name in keyof PageConfig]: Check } = {
  apiOrigin: isText,
  openPrediction: isFlag,
  identity: isObjectOf({
    mode: (value) => identityModes.includes(value),
    baseUrl: isText,
    tokenBaseUrl: isText,
    apiKey: isText,
    mailAvailable: isFlag,
    signUpOpen: isFlag,
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
  acceptedFormats: isTextList,
  languages: isTextList,
  model: (value) => value === null || isModel(value),
};

/** The contract's schema says the same, but zod is too heavy for the first page; a test holds the two together. */
export function isPageConfig(body: unknown): body is PageConfig {
  return isObjectOf(checks)(body);
}

/** By plain `fetch`: the HTTP client is made from this answer. */
async function loadPageConfig(signal: AbortSignal): Promise<PageConfig> {
  const response = await fetch('/config.json', { signal, headers: { accept: 'application/json' } });
  if (response.status !== 200) throw new Error(`/config.json answered ${response.status}`);
  const body: unknown = await response.json();
  if (!isPageConfig(body)) throw new Error('/config.json is not the configuration of a Chiffchaff server');
  keepConfig(body);
  return body;
}

const KEPT_KEY = 'config';

/** For the visit, so that the page opens with it where the server is out of reach later. */
function keepConfig(config: PageConfig): void {
  try {
    window.sessionStorage.setItem(KEPT_KEY, JSON.stringify(config));
  } catch {
    // A private window may refuse; then a page that is opened offline has none.
  }
}

function readKeptConfig(): PageConfig | undefined {
  try {
    const kept: unknown = JSON.parse(window.sessionStorage.getItem(KEPT_KEY) ?? 'null');
    return isPageConfig(kept) ? kept : undefined;
  } catch {
    return undefined;
  }
}

export const publicConfigQuery = queryOptions({
  queryKey: ['public-config'],
  queryFn: ({ signal }) => loadPageConfig(signal),
  initialData: readKeptConfig,
  // What was kept is asked anew, and what was said before the model had loaded; the rest is not.
  staleTime: ({ state }) => (state.dataUpdateCount > 0 && state.data?.model ? Number.POSITIVE_INFINITY : 0),
});

export function usePublicConfig() {
  return useQuery(publicConfigQuery);
}
