import { type PublicConfig, publicConfigSchema } from '@chiffchaff/contract';
import { screen } from '@testing-library/react';
import { createElement } from 'react';
import { describe, expect, it, vi } from 'vitest';
import { fakeConfig } from '../../testing/fake-data.ts';
import { renderPage } from '../../testing/render-page.tsx';
import { isPageConfig, usePublicConfig } from './public-config.ts';

/** With a value for everything that can be null. */
const full: PublicConfig = {
  ...fakeConfig,
  defaultLanguage: 'de',
  defaultPlace: { latitude: 50.8, longitude: 12.9, name: 'Chemnitz' },
};
const without = (value: object, name: string) => ({ ...value, [name]: undefined });
const lacking = Object.entries(full).flatMap(([name, value]) => [
  { what: name, body: without(full, name) },
  ...(typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : []).map((inner) => ({
    what: `${name}.${inner}`,
    body: { ...full, [name]: without(Object(value), inner) },
  })),
]);

describe('The page’s own check of /config.json', () => {
  it('accepts what the server sends', () => {
    expect(publicConfigSchema.safeParse(full).success).toBe(true);
    expect(isPageConfig(full)).toBe(true);
    expect(isPageConfig({ ...fakeConfig, model: null, new: 'field' })).toBe(true);
  });

  it.each(lacking)('refuses a response without $what, as does the server’s own schema', ({ body }) => {
    expect(publicConfigSchema.safeParse(body).success).toBe(false);
    expect(isPageConfig(body)).toBe(false);
  });

  it.each([null, 'page', 7, [], {}])('refuses a response that is no configuration: %j', (body) => {
    expect(isPageConfig(body)).toBe(false);
  });
});

function Site() {
  const { data, isError } = usePublicConfig();
  return createElement('p', null, `${data?.terms.siteName ?? 'unknown'}${isError ? ', not answered' : ''}`);
}

describe('The configuration of the page', () => {
  const answerWith = (siteName: string) =>
    vi.stubGlobal('fetch', async () => Response.json({ ...fakeConfig, terms: { ...fakeConfig.terms, siteName } }));
  const open = () => renderPage(createElement(Site), { config: null });

  it('is remembered during the visit if the server can no longer be reached', async () => {
    answerWith('birds.example');
    const { unmount } = open();
    await screen.findByText('birds.example');
    unmount();
    vi.stubGlobal('fetch', async () => {
      throw new TypeError('Failed to fetch');
    });
    open();
    expect(await screen.findByText('birds.example, not answered')).toBeTruthy();
  });

  it('is that of an earlier visit while the server cannot be reached', async () => {
    const kept = new Map<string, Response>();
    const cache = { put: async (address: string, response: Response) => kept.set(address, response) };
    vi.stubGlobal('caches', { open: async () => cache, match: async (address: string) => kept.get(address)?.clone() });
    answerWith('birds.example');
    const { unmount } = open();
    await screen.findByText('birds.example');
    unmount();
    window.sessionStorage.clear();
    vi.stubGlobal('fetch', async () => {
      throw new TypeError('Failed to fetch');
    });
    open();
    expect(await screen.findByText('birds.example, not answered')).toBeTruthy();
  });

  it('is loaded once each time the page is opened', async () => {
    window.sessionStorage.setItem('config', JSON.stringify(fakeConfig));
    answerWith('owls.example');
    open();
    expect(await screen.findByText('owls.example')).toBeTruthy();
    answerWith('wrens.example');
    expect(window.sessionStorage.getItem('config')).toContain('owls.example');
  });

  it('is loaded again if the stored copy is damaged', async () => {
    window.sessionStorage.setItem('config', '{"terms":7}');
    answerWith('birds.example');
    open();
    expect(screen.getByText('unknown')).toBeTruthy();
    expect(await screen.findByText('birds.example')).toBeTruthy();
  });
});
