import { publicConfigSchema } from '@chiffchaff/contract';
import { screen } from '@testing-library/react';
import { createElement } from 'react';
import { describe, expect, it, vi } from 'vitest';
import { fakeConfig } from '../../testing/fake-data.ts';
import { renderPage } from '../../testing/render-page.tsx';
import { isPageConfig, usePublicConfig } from './public-config.ts';

const { limits, identity } = fakeConfig;
const bodies: readonly unknown[] = [
  fakeConfig,
  { ...fakeConfig, model: null },
  { ...fakeConfig, languages: [] },
  { ...fakeConfig, apiOrigin: 'https://api.example', openPrediction: false },
  null,
  'page',
  {},
  { ...fakeConfig, apiOrigin: null },
  { ...fakeConfig, openPrediction: 'true' },
  { ...fakeConfig, limits: { ...limits, maxUploadBytes: 0 } },
  { ...fakeConfig, limits: { ...limits, minRecordingSeconds: '0.5' } },
  { ...fakeConfig, limits: undefined },
  { ...fakeConfig, identity: { ...identity, mode: 'firebase', baseUrl: 'https://identity.example', mailAvailable: false } },
  { ...fakeConfig, identity: undefined },
  { ...fakeConfig, identity: { ...identity, mode: 'ours' } },
  { ...fakeConfig, identity: { ...identity, apiKey: undefined } },
  { ...fakeConfig, identity: { ...identity, signUp: undefined } },
  { ...fakeConfig, identity: { ...identity, signUp: 'invite' } },
  { ...fakeConfig, identity: { ...identity, signUp: 'ask' } },
  { ...fakeConfig, terms: { ...fakeConfig.terms, siteName: null } },
  { ...fakeConfig, terms: { ...fakeConfig.terms, siteName: 7 } },
  { ...fakeConfig, terms: null },
  { ...fakeConfig, retentionDays: 1.5 },
  { ...fakeConfig, defaultPlace: { latitude: 50.8, longitude: 12.9, name: 'Chemnitz' } },
  { ...fakeConfig, defaultPlace: undefined },
  { ...fakeConfig, defaultPlace: { latitude: 90.5, longitude: 12.9, name: 'Chemnitz' } },
  { ...fakeConfig, defaultPlace: { latitude: 50.8, longitude: 12.9 } },
  { ...fakeConfig, languages: 'de' },
  { ...fakeConfig, acceptedFormats: null },
  { ...fakeConfig, languages: ['de', 7] },
  { ...fakeConfig, termsFingerprint: 7 },
  { ...fakeConfig, termsFingerprint: null },
  { ...fakeConfig, defaultLanguage: undefined },
  { ...fakeConfig, defaultLanguage: 'de' },
  { ...fakeConfig, speciesPictures: 'wikimedia' },
  { ...fakeConfig, version: undefined },
  { ...fakeConfig, commit: null },
  { ...fakeConfig, commit: 7 },
  { ...fakeConfig, new: 'field' },
  { ...fakeConfig, model: undefined },
  { ...fakeConfig, model: {} },
];

describe('The page’s own check of /config.json', () => {
  it.each(bodies.map((body) => [body] as const))(
    'accepts and refuses the same responses as the server’s own schema: body %#',
    (body) => {
      expect(isPageConfig(body)).toBe(publicConfigSchema.safeParse(body).success);
    },
  );
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
