import { readFileSync } from 'node:fs';
import { problems } from '@chiffchaff/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestServer, type TestServer } from '../testing/test-server.ts';

const page = (name: string): string => readFileSync(new URL(`../../../../docs/${name}`, import.meta.url), 'utf8');

describe('docs/http-api.md', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await createTestServer();
  });
  afterAll(() => server.close());

  it('names every route of the OpenAPI description and every field of POST /get_prediction', async () => {
    const { paths } = (await server.app.inject('/openapi.json')).json();
    for (const [path, methods] of Object.entries<Record<string, unknown>>(paths)) {
      for (const method of Object.keys(methods)) expect(page('http-api.md')).toContain(`\`${method.toUpperCase()} ${path}`);
    }
    const form = paths['/get_prediction'].post.requestBody.content['multipart/form-data'].schema;
    for (const field of Object.keys(form.properties)) expect(page('http-api.md')).toContain(`\`${field}\``);
  });

  it('gives each problem code the HTTP status that the problem catalogue gives it', () => {
    const rows = [...page('http-api.md').matchAll(/^\|[^|]+\| (\d{3}) \| (.+) \|$/gm)];
    expect(rows.length).toBeGreaterThan(8);
    for (const [, status, codes = ''] of rows) {
      for (const [, code = ''] of codes.matchAll(/`(\w+)`/g)) {
        expect(problems, code).toHaveProperty(code, expect.objectContaining({ status: Number(status) }));
      }
    }
  });
});
