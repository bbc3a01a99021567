import {
  type ConfidenceEvidence,
  rangeCellAt,
  rangeGrid,
  type SpeciesProfile,
  type SpeciesRange,
  type SpeciesSeason,
} from '@chiffchaff/contract';
import { act, screen, within } from '@testing-library/react';
import { Route, Routes } from 'react-router';
import { beforeEach, expect, it, vi } from 'vitest';
import { keepDevicePlace } from '../../platform/storage/device-place.ts';
import { fakeConfig, fakeEvidence } from '../../testing/fake-data.ts';
import { answerEveryClient } from '../../testing/fake-identity-service.ts';
import { nextRequest } from '../../testing/fake-transport.ts';
import { renderPage } from '../../testing/render-page.tsx';
import { SpeciesScreen } from './species-screen.tsx';

answerEveryClient();

const bird = (scientificName: string, commonName: string) => ({ scientificName, commonName });
const relatives = Array.from({ length: 9 }, (_, n) => bird(`Turdus ${n}`, `Thrush ${n}`));
const blackbird: SpeciesProfile = {
  ...bird('Turdus merula', 'Eurasian Blackbird'),
  ...{ names: [], otherNames: [], genus: relatives },
};
const noCells = btoa('\0'.repeat(rangeGrid.columns * rangeGrid.rows));
const range: SpeciesRange = { week: null, ...rangeGrid, cells: noCells, sparse: noCells, regions: ['150', '009'] };
const weeks = (months: readonly number[]) =>
  Array.from({ length: 48 }, (_, week) => (months.includes(Math.floor(week / 4)) ? 0.4 : 0.01));
const season: SpeciesSeason = { timeZone: null, weeks: weeks([0, 1, 10, 11, 5]), relatives: [], sparse: false };
const evidence = (recordings: number): ConfidenceEvidence => ({
  ...fakeEvidence,
  confusions: [{ named: 'Turdus merula', heard: 'Turdus philomelos', recordings }],
});

let answers: { [end: string]: unknown };
beforeEach(() => {
  keepDevicePlace({ kind: 'place', latitude: 50.83, longitude: 12.92, name: 'Chemnitz, Saxony' }, null);
  answers = {
    'Turdus%20merula?language=en_us': blackbird,
    'Turdus%20philomelos?language=en_us': { ...blackbird, ...bird('Turdus philomelos', 'Song Thrush') },
    '/range?period=year': range,
    '/season?latitude=51&longitude=13': season,
  };
  vi.stubGlobal('fetch', async (url: string) => {
    const [, answer] = Object.entries(answers).find(([end]) => url.endsWith(end)) ?? [];
    return answer === undefined ? new Response(null, { status: 404 }) : Response.json(answer);
  });
});

const open = (tests: ConfidenceEvidence | null = null, config = fakeConfig) =>
  renderPage(
    <Routes>
      <Route path="/birds/:scientificName" element={<SpeciesScreen />} />
    </Routes>,
    { at: '/birds/Turdus_merula', evidence: tests, config },
  );
const part = async (name: string) => within(await screen.findByRole('region', { name }));

it('The page of a bird says in which months it is there, and where it lives by the map', async () => {
  open();
  await (await part('When it’s there')).findByText('Most likely: June and November to February.');
  (await part('When it’s there')).getByRole('img');
  await (await part('Where it lives')).findByText('Lives in Europe and Oceania.');
});

it('The page of a bird lists recordings of the account by day and place, and each leads to the bird in its result', async () => {
  const page = open();
  await page.signIn();
  let request = await nextRequest();
  while (!request.url.startsWith('/v1/predictions?')) request = await nextRequest();
  const own = {
    ...{ id: 'a', createdAt: '2026-05-03T05:12:44.120Z', recordedOn: '2026-05-01', fileName: 'dawn.wav', durationSeconds: 12 },
    ...{ place: { latitude: 51.5, longitude: -0.13, town: 'London' }, species: [], keptAudio: null },
    verdict: { kind: 'several', tied: false, sentence: '', named: [] },
  };
  await act(async () => request.answer(200, { inWork: [], failed: [], predictions: [own], cursor: null }));
  const shown = await part('Your recordings');
  const link = shown.getByRole('link', { name: 'May 1, 2026, near London' });
  expect(link.getAttribute('href')).toBe('/history/a#Turdus_merula');
  shown.getByText('dawn.wav');
});

it('The map of a bird shows its range and 10° around it, also across the date line', async () => {
  const cells = new Uint8Array(rangeGrid.columns * rangeGrid.rows);
  for (const longitude of [175, -177]) cells[rangeCellAt(-41, longitude)] = 255;
  answers['/range?period=year'] = { ...range, cells: btoa(String.fromCharCode(...cells)) };
  open();
  const map = await (await part('Where it lives')).findByRole('img', { name: /Europe/ });
  const [west, north, width, height] = map.getAttribute('viewBox')?.split(' ').map(Number) ?? [];
  // 174° E to 176° W and 40° to 42° S, in a frame that is twice as wide as high.
  expect([north, height]).toEqual([30, 22]);
  expect([(west ?? 0) / 0.81, width]).toEqual([expect.closeTo(179 - 22 / 0.81, 6), expect.closeTo(44, 6)]);
});

it('The page of a bird says that too few people report at the place, instead of a season', async () => {
  answers['/season?latitude=51&longitude=13'] = { ...season, sparse: true };
  open();
  const shown = await part('When it’s there');
  await shown.findByText(/^Too few people report birds around there/);
  expect(shown.queryByText(/^Most likely/)).toBeNull();
});

it('The page of a bird shows a sentence instead of the weeks if the bird is seldom reported in every week', async () => {
  answers['/season?latitude=51&longitude=13'] = { ...season, weeks: weeks([]) };
  open();
  const shown = await part('When it’s there');
  await shown.findByText('It’s seldom reported there, if at all.');
  expect(shown.queryByRole('img')).toBeNull();
});

it('The page of a bird names birds it was confused with in three tests or more, and otherwise its relatives at the place', async () => {
  answers['/season?latitude=51&longitude=13'] = { ...season, relatives: ['Turdus 7', 'Turdus 2'] };
  const named = async () => (await (await part('Similar birds')).findAllByRole('listitem')).map(({ textContent }) => textContent);
  const page = open(evidence(3));
  await screen.findByText(/recordings of Song Thrush/);
  expect(await named()).toEqual([expect.stringContaining('3 recordings of Song Thrush were identified as Eurasian Blackbird')]);
  page.unmount();
  open(evidence(2));
  await screen.findByText('Relatives at your place, of the genus Turdus:');
  expect(await named()).toEqual(['Thrush 7 Turdus 7', 'Thrush 2 Turdus 2']);
});

it('The page of a bird names at most six relatives if none of them is known from the place', async () => {
  open();
  await screen.findByText('Close relatives, of the genus Turdus:');
  expect((await (await part('Similar birds')).findAllByRole('listitem')).at(-1)?.textContent).toBe('Thrush 5 Turdus 5');
});

function addSong(species: string) {
  const path = `/v1/species/${species}/song`;
  const credits = {
    author: 'Jane',
    licence: 'CC BY 4.0',
    licenceUrl: null,
    sourceUrl: 'https://commons.wikimedia.org/wiki/File:X',
  };
  answers[path] = { path: `${path}/sound`, durationSeconds: 9, ...credits };
}

it('The page of a bird has a song with author, licence and changes, but only if the operator has turned songs on', async () => {
  const path = '/v1/species/Turdus%20merula/song';
  const credits = {
    author: 'Jane',
    licence: 'CC BY 4.0',
    licenceUrl: null,
    sourceUrl: 'https://commons.wikimedia.org/wiki/File:X',
  };
  answers[path] = { path: `${path}/sound`, durationSeconds: 9, ...credits };
  const page = open();
  await part('Where it lives');
  expect(screen.queryByRole('region', { name: 'Song' })).toBeNull();
  page.unmount();
  open(null, { ...fakeConfig, speciesPictures: true });
  const song = await part('Song');
  expect((await song.findByLabelText('Song of Eurasian Blackbird')).getAttribute('src')).toMatch(/Turdus%20merula\/song\/sound$/);
  expect(song.getByText(/^Jane · CC BY 4\.0/).textContent).toBe('Jane · CC BY 4.0 · Wikimedia Commons · converted to WAV');
});

it('The page of a bird compares its song with that of a similar bird on request, and says if that bird has none', async () => {
  answers['/season?latitude=51&longitude=13'] = { ...season, relatives: ['Turdus 7', 'Turdus 2'] };
  for (const species of ['Turdus%20merula', 'Turdus%207']) addSong(species);
  const { user } = open(null, { ...fakeConfig, speciesPictures: true });
  await user.click(await screen.findByRole('button', { name: 'Compare songs (Thrush 7)' }));
  const figure = await screen.findByRole('figure', { name: 'Compare Thrush 7' });
  await within(figure).findByText(/^Thrush 7: Jane/);
  within(figure).getByText(/^Eurasian Blackbird: Jane/);
  await user.click(screen.getByRole('button', { name: 'Compare songs (Thrush 2)' }));
  await screen.findByText('Thrush 2: No freely licensed song was found.');
});
