import { publicConfigSchema } from '@chiffchaff/contract';
import { describe, expect, it } from 'vitest';
import { madeUpConfig } from '../testing/made-up.ts';
import { parsePublicConfig } from './public-config.ts';

const { limits } = madeUpConfig;
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
  { ...madeUpConfig, languages: 'de' },
  { ...madeUpConfig, acceptedFormats: null },
  { ...madeUpConfig, version: 1 },
  { ...madeUpConfig, model: undefined },
  { ...madeUpConfig, model: {} },
];

describe('the page’s own check of /config.json', () => {
  it.each(bodies.map((body) => [body] as const))('accepts and refuses what the contract’s schema does: %j', (body) => {
    const schema = publicConfigSchema.safeParse(body);
    if (schema.success) expect(parsePublicConfig(body)).toEqual(schema.data);
    else expect(() => parsePublicConfig(body)).toThrow('is not the configuration');
  });
});
