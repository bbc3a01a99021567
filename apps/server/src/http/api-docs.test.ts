import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createTestServer, type TestServer } from '../testing/test-server.ts';
import { apiDocsPage } from './api-docs-page.ts';

let server: TestServer;
beforeAll(async () => {
  server = await createTestServer();
});
afterAll(() => server.close());

const get = (url: string) => server.app.inject({ url });

describe('The page about the API', () => {
  it('fits phones, links to the main page and to API tokens, and loads no script or font from other sites', async () => {
    for (const url of ['/docs/api', '/docs/api/']) {
      const { body, headers } = await get(url);
      expect(body).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
      for (const link of ['/', '/account', '/openapi.json']) expect(body).toContain(`href="${link}"`);
      expect(headers['content-security-policy']).toContain("font-src 'self';");
      expect(headers['content-security-policy']).toMatch(/script-src 'self'( 'wasm-unsafe-eval')?;/);
    }
  });

  it('shows every route once, under its topic, and loads only the style sheet and the theme', async () => {
    const { paths } = (await get('/openapi.json')).json();
    const { body } = await get('/docs/api');
    const described = Object.entries<Record<string, { summary: string; tags: string[] }>>(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { summary, tags }]) => [tags[0], method.toUpperCase(), path, summary].join(' ')),
    );
    const text = (html = '') => html.replaceAll(/<[^>]+>/g, '').trim();
    const written = body
      .split('<section>')
      .slice(1)
      .flatMap((section) =>
        [...section.matchAll(/<summary>(.+?)<\/summary>/g)].map(([, summary]) =>
          `${text(/<h2.+?<\/h2>/.exec(section)?.[0])} ${text(summary)}`.replaceAll('&#39;', "'"),
        ),
      );
    expect(written.length).toBeGreaterThan(60);
    expect(written.toSorted()).toEqual(described.toSorted());
    const ids = [...body.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect(ids).toContain('get-v1-predictions-id-export');
    expect(new Set(ids).size).toBe(ids.length);
    expect([...body.matchAll(/<(?:script|style|img|link rel="stylesheet")[^>]*>/g)].map(([element]) => element)).toEqual([
      '<link rel="stylesheet" href="/docs/api/static/look.css">',
      '<script src="/docs/api/static/theme.js">',
    ]);
  });

  it('is made from an OpenAPI document without references, which the page could not follow', async () => {
    expect((await get('/openapi.json')).body).not.toContain('"$ref"');
  });

  it('shows for a route its parameters, who can call it, and its responses', async () => {
    const route = async (id: string) => (await get('/docs/api')).body.split(`id="${id}">`)[1]?.split('</details>')[0] ?? '';
    const exported = await route('get-v1-predictions-id-export');
    expect(exported).toContain(
      '<p><a href="#credential-idtoken">ID token</a>, or <a href="#credential-apitoken">API token</a> with the scope <code>read</code>, or <a href="#credential-ticket">Ticket</a>.</p>',
    );
    const partsOf = (html: string) =>
      Object.fromEntries(
        [...html.matchAll(/<h4>([^<]+)<\/h4>\n<pre><code>(.+?)<\/code><\/pre>/gs)].map(([, name, text = '']) => [
          name,
          parse(text.replaceAll('&quot;', '"').replaceAll('&gt;', '>').replaceAll('&#39;', "'")),
        ]),
      );
    const { get: described } = (await get('/openapi.json')).json().paths['/v1/predictions/{id}/export'];
    expect(partsOf(exported)).toEqual({ Parameters: described.parameters, Responses: { 200: described.responses[200] } });
    expect(exported).toContain('<p><code>4XX</code>, <code>5XX</code>: a <a href="#problems">problem</a>.</p>');
    const identify = await route('post-get-prediction');
    expect(identify).toContain(', or none.</p>');
    expect(partsOf(identify)['Request body'].content['multipart/form-data'].schema.properties.latitude).toMatchObject({
      minimum: -90,
      maximum: 90,
    });
    expect(await route('get-healthz')).toContain('<h4>Credentials</h4>\n<p>None.</p>');
  });

  it('shows HTML in the description of the API as text', () => {
    const nasty = `<script>alert("it's")</script>&`;
    const schema = { type: nasty, description: nasty, format: nasty };
    const page = apiDocsPage(
      {
        info: { version: nasty, description: nasty },
        tags: [{ name: nasty }],
        components: { securitySchemes: { [nasty]: { description: nasty } } },
        paths: {
          [nasty]: {
            [nasty]: {
              summary: nasty,
              description: nasty,
              tags: [nasty],
              security: [{ [nasty]: [nasty] }],
              parameters: [
                { name: nasty, in: nasty, schema: { enum: [nasty] } },
                { name: 'b', in: 'query', description: nasty, schema: { pattern: nasty, default: nasty } },
              ],
              requestBody: { content: { [nasty]: { schema: { properties: { [nasty]: schema } } } } },
              responses: { [nasty]: { description: nasty, content: { [nasty]: { schema: { const: nasty } } } } },
            },
          },
        },
      },
      '/docs/api',
    );
    expect(page.match(/<\/?script/g)).toEqual(['<script', '</script']);
    expect(page).not.toContain("it's");
    expect(page.match(/alert/g)?.length).toBeGreaterThan(20);
  });

  it('has the fonts and colours of the rest of the site', async () => {
    const { body: look } = await get('/docs/api/static/look.css');
    // The first of each: those of paper come later.
    const colours = (css: string) =>
      Object.fromEntries([...css.matchAll(/^ +--([\w-]+): (.*#.*);$/gm)].toReversed().map(([, name, value]) => [name, value]));
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

  it('groups routes by their topics', async () => {
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
