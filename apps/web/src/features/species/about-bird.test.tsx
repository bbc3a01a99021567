import { screen } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { fakeConfig, fakeEvidence } from '../../testing/fake-data.ts';
import { renderPage } from '../../testing/render-page.tsx';
import { AboutBird } from './about-bird.tsx';

const blackbird = { scientificName: 'Turdus merula', commonName: 'Eurasian Blackbird' };
const songPath = '/v1/species/Turdus%20merula/song';
const credits = { author: 'Jane', licence: 'CC0', licenceUrl: null, sourceUrl: 'https://commons.wikimedia.org/wiki/File:X' };
let answers: { [end: string]: object };
beforeEach(() => {
  answers = {
    'Turdus%20merula?language=en_us': {
      ...{ ...blackbird, names: [], otherNames: [] },
      genus: [{ scientificName: 'Turdus pilaris', commonName: 'Fieldfare' }],
    },
    '/song': { path: `${songPath}/sound`, durationSeconds: 9, ...credits },
    '/sound': {},
  };
  vi.stubGlobal('fetch', async (url: string) => {
    const [, answer] = Object.entries(answers).find(([end]) => url.endsWith(end)) ?? [];
    if (answer === undefined) throw new TypeError('Failed to fetch');
    return Response.json(answer);
  });
});
const show = (speciesPictures: boolean, evidence = fakeEvidence) =>
  renderPage(<AboutBird bird={blackbird} moment={new Blob(['RIFF'])} durationSeconds={3} />, {
    config: { ...fakeConfig, speciesPictures },
    evidence,
  });

it('The sheet about a bird just heard can play it in turn with its song, and opens look-alikes in a new tab', async () => {
  show(true);
  await screen.findByText(/^Eurasian Blackbird: Jane/);
  expect(screen.getByRole('figure', { name: 'Compare Eurasian Blackbird' }).textContent).toMatch(
    /^This recording.*Play in turn$/,
  );
  expect((await screen.findByRole('link', { name: /^Fieldfare/ })).getAttribute('target')).toBe('_blank');
});

it('The sheet about a bird just heard names a relative it was confused with in the user’s language, even if requesting that fails', async () => {
  show(false, { ...fakeEvidence, confusions: [{ named: 'Turdus merula', heard: 'Turdus pilaris', recordings: 3 }] });
  await screen.findByText('3 recordings of Fieldfare were identified as Eurasian Blackbird');
  expect(screen.getByRole('link').textContent).toBe('Fieldfare Turdus pilaris');
});

it('The sheet about a bird just heard can play it without a song to compare if the operator has turned songs off', async () => {
  show(false);
  await screen.findByRole('link', { name: /^Fieldfare/ });
  expect(screen.getByRole('figure').textContent).toMatch(/^This recordingPlay$/);
});

it('The sheet about a bird just heard can play it without a song to compare if there is no connection', async () => {
  answers = {};
  show(true);
  expect((await screen.findByRole('figure')).textContent).toMatch(/^This recordingPlay$/);
  expect(screen.queryByRole('link')).toBeNull();
});
