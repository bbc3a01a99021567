import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readConfig } from './config/config.ts';
import { rows } from './config/variables.ts';

const text = readFileSync(new URL('../../../deploy/compose.yaml', import.meta.url), 'utf8');
const service = z.object({
  image: z.string(),
  environment: z.record(z.string(), z.string()).default({}),
  depends_on: z.union([z.array(z.string()), z.record(z.string(), z.unknown())]).optional(),
  volumes: z.array(z.string()).default([]),
  configs: z.array(z.object({ source: z.string() })).default([]),
  deploy: z.object({ replicas: z.number() }).optional(),
});
const { services, volumes, configs } = z
  .object({
    services: z.record(z.string(), service),
    volumes: z.record(z.string(), z.null()),
    configs: z.record(z.string(), z.object({ content: z.string() })),
  })
  .parse(parse(text, { merge: true }));
const named = (name: string) => services[name]?.environment ?? {};
/** What the comment at the top of the file tells people to put into `.env`. */
const given: Record<string, string> = { POSTGRES_PASSWORD: 'abc', S3_SECRET: 'def', PUBLIC_URL: 'https://birds.example.org' };
const filled = (value: string): string => value.replaceAll(/\$\{(\w+):\?\}/g, (_all, name: string) => given[name] ?? '');

describe('deploy/compose.yaml', () => {
  it('starts two web machines and two workers, with variables that the server reads', () => {
    const known = rows.map(({ name }) => name);
    for (const role of ['web', 'worker']) {
      const environment = Object.fromEntries(Object.entries(named(role)).map(([name, value]) => [name, filled(value)]));
      expect(known).toEqual(expect.arrayContaining(Object.keys(environment)));
      expect(services[role]?.deploy?.replicas).toBe(2);
      const { config, secrets } = readConfig({ NODE_ENV: 'production', ...environment });
      expect(config).toMatchObject({ role, storageUrl: { bucket: 'chiffchaff', prefix: '' }, trustProxy: 1 });
      expect(secrets.databaseUrl).toBe('postgres://chiffchaff:abc@postgres/chiffchaff');
    }
    const { ROLE: _web, ...web } = named('web');
    const { ROLE: _worker, INFERENCE_WORKERS: _threads, ...worker } = named('worker');
    expect(worker).toEqual(web);
  });

  it('requires only variables explained at its top, and refers only to services and files that exist', () => {
    const asked = [...text.matchAll(/\$\{(\w+):\?\}/g)].map(([, name]) => name);
    expect(new Set(asked)).toEqual(new Set(Object.keys(given)));
    for (const { depends_on = [], volumes: mounted, configs: read } of Object.values(services)) {
      const dependencies = Array.isArray(depends_on) ? depends_on : Object.keys(depends_on);
      expect(Object.keys(services)).toEqual(expect.arrayContaining(dependencies));
      expect(Object.keys(volumes)).toEqual(expect.arrayContaining(mounted.map((volume) => volume.split(':')[0])));
      expect(Object.keys(configs)).toEqual(expect.arrayContaining(read.map(({ source }) => source)));
    }
    expect(() => JSON.parse(filled(configs.access?.content ?? ''))).not.toThrow();
  });
});
