import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestServer, type TestServer } from '../testing/test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await createTestServer();
});
afterAll(() => server.close());

const get = (url: string) => server.app.inject({ url });

describe('the page about the API', () => {
  it('fits phones, leads back to the page and to the tokens, and allows no script or font from elsewhere', async () => {
    for (const url of ['/docs/api', '/docs/api/']) {
      const { body, headers } = await get(url);
      expect(body).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
      for (const link of ['/', '/account', '/openapi.json']) expect(body).toContain(`href="${link}"`);
      expect(headers['content-security-policy']).toContain("font-src 'self';");
      expect(headers['content-security-policy']).toMatch(/script-src 'self'( 'wasm-unsafe-eval')?;/);
    }
  });

  it('has the fonts and colours of the page', async () => {
    const { body: look } = await get('/docs/api/static/look.css');
    const colours = (css: string) =>
      Object.fromEntries([...css.matchAll(/^ {2}--([\w-]+): (.*#.*);$/gm)].map(([, name, value]) => [name, value]));
    const ours = colours(readFileSync(new URL('../../../web/src/ui/look.css', import.meta.url), 'utf8'));
    const used = colours(look);
    expect(Object.keys(used).length).toBeGreaterThan(8);
    expect(ours).toMatchObject(used);
    for (const [, name = ''] of look.matchAll(/url\("([^"]+)"\)/g)) {
      const font = await get(`/docs/api/static/${name}`);
      expect(font.headers['content-type']).toBe('font/woff2');
      expect(font.rawPayload.subarray(0, 4).toString()).toBe('wOF2');
    }
    expect(look.match(/url\(/g)).toHaveLength(2);
  });

  it('puts routes under what they are about', async () => {
    const { paths, tags } = (await get('/openapi.json')).json();
    expect(tags[0].name).toBe('Predictions');
    expect(paths['/get_prediction'].post.tags).toEqual(['Predictions']);
    expect(paths['/v1/species/{scientificName}'].get.tags).toEqual(['Birds and places']);
    expect(paths['/v1/account/tokens'].get.tags).toEqual(['Accounts']);
    expect(paths['/readyz'].get.tags).toEqual(['Operation']);
    const named = new Set(tags.map(({ name }: { name: string }) => name));
    for (const methods of Object.values<Record<string, { tags: string[] }>>(paths)) {
      for (const {
        tags: [tag],
      } of Object.values(methods))
        expect(named).toContain(tag);
    }
  });
});
