import { publicConfigSchema } from '@chiffchaff/contract';
import { describe, expect, it } from 'vitest';
import { madeUpConfig } from '../testing/made-up.ts';
import { isPageConfig } from './public-config.ts';

const schema = publicConfigSchema.pick({
  apiOrigin: true,
  openPrediction: true,
  identity: true,
  limits: true,
  acceptedFormats: true,
  languages: true,
  model: true,
  retentionDays: true,
  terms: true,
});
const { limits, identity } = madeUpConfig;
const bodies: readonly unknown[] = [
  madeUpConfig,
  { ...madeUpConfig, model: null },
  { ...madeUpConfig, languages: [] },
  { ...madeUpConfig, apiOrigin: 'https://api.example', openPrediction: false },
  null,
  'page',
  {},
  { ...madeUpConfig, apiOrigin: null },
  { ...madeUpConfig, openPrediction: 'true' },
  { ...madeUpConfig, limits: { ...limits, maxUploadBytes: 0 } },
  { ...madeUpConfig, limits: { ...limits, minRecordingSeconds: '0.5' } },
  { ...madeUpConfig, limits: undefined },
  { ...madeUpConfig, identity: { ...identity, mode: 'firebase', baseUrl: 'https://identity.example', mailAvailable: false } },
  { ...madeUpConfig, identity: undefined },
  { ...madeUpConfig, identity: { ...identity, mode: 'ours' } },
  { ...madeUpConfig, identity: { ...identity, apiKey: undefined } },
  { ...madeUpConfig, identity: { ...identity, signUpOpen: 'true' } },
  { ...madeUpConfig, terms: { ...madeUpConfig.terms, siteName: null } },
  { ...madeUpConfig, terms: { ...madeUpConfig.terms, siteName: 7 } },
  { ...madeUpConfig, terms: null },
  { ...madeUpConfig, retentionDays: 1.5 },
  { ...madeUpConfig, languages: 'de' },
  { ...madeUpConfig, acceptedFormats: null },
  { ...madeUpConfig, languages: ['de', 7] },
  { ...madeUpConfig, new: 'field' },
  { ...madeUpConfig, model: undefined },
  { ...madeUpConfig, model: {} },
];

describe('the page’s own check of /config.json', () => {
  it.each(bodies.map((body) => [body] as const))('accepts and refuses what the contract’s schema does: %j', (body) => {
    expect(isPageConfig(body)).toBe(schema.safeParse(body).success);
  });
});
