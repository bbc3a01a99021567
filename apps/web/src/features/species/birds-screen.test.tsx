import { type SpeciesAround, speciesAroundQuerySchema } from '@chiffchaff/contract';
import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import type { RequestedConditions } from '../../platform/sending/requested-conditions.ts';
import { fakeListedBird } from '../../testing/fake-data.ts';
import { answerEveryClient } from '../../testing/fake-identity-service.ts';
import { nextRequest } from '../../testing/fake-transport.ts';
import { renderPage } from '../../testing/render-page.tsx';
import { BirdsScreen } from './birds-screen.tsx';

answerEveryClient();

const bird = (commonName: string, scientificName: string, occurrence: number, parts = {}) => ({
  ...{ scientificName, commonName, occurrence, begins: false, ends: false },
  ...parts,
});
const around: SpeciesAround = {
  timeZone: null,
  week: 17,
  sparse: false,
  species: [
    bird('Eurasian Blackbird', 'Turdus merula', 0.9),
    bird('Common Swift', 'Apus apus', 0.3, { begins: true }),
    bird('Fieldfare', 'Turdus pilaris', 0.1, { ends: true }),
    ...Array.from({ length: 57 }, (_, n) => bird(`Bird ${n}`, `Avis ${n}`, 0.05)),
    bird('Garganey', 'Spatula querquedula', 0.04, { begins: true }),
  ],
};
const chemnitz: RequestedConditions = {
  place: { latitude: 50.83, longitude: 12.92 },
  ...{ placeSource: 'stated', timeZone: null, date: '2026-05-03' },
};

let asked: string[];
let answer: () => Response;
beforeEach(() => {
  asked = [];
  answer = () => Response.json(around);
  vi.stubGlobal('fetch', async (url: string) => {
    asked.push(url);
    return answer();
  });
});

const open = (conditions = chemnitz, at = '/birds') =>
  renderPage(
    <BirdsScreen
      PlaceSetting={({ onChange }) => (
        <button type="button" onClick={() => onChange(conditions)}>
          Here
        </button>
      )}
    />,
    { at },
  );
const choosePlace = ({ user }: ReturnType<typeof open>) => user.click(screen.getByRole('button', { name: 'Here' }));
const rows = () => within(screen.getByRole('list')).getAllByRole('listitem');

it('The page of birds lists the 60 likeliest at a rounded place in the week, and names those that are new or soon gone', async () => {
  const page = open();
  await choosePlace(page);
  await waitFor(() => expect(rows()).toHaveLength(60));
  const [, query] = asked[0]?.split('/v1/species/around?') ?? [];
  expect(speciesAroundQuerySchema.parse(Object.fromEntries(new URLSearchParams(query)))).toMatchObject({
    ...{ latitude: 51, longitude: 13, week: 17 },
  });
  expect(rows()[0]?.textContent).toBe('Eurasian BlackbirdTurdus merulavery often');
  expect(rows()[1]?.textContent).toBe('Common SwiftApus apusmore often from this monthoften');
  expect(rows()[2]?.textContent).toBe('FieldfareTurdus pilarisless often from next monthsometimes');
  expect(screen.getByRole('link', { name: 'Eurasian Blackbird' }).getAttribute('href')).toBe('/birds/Turdus_merula');
  expect(screen.getByText(/^More often from this month:/).textContent).toBe(
    'More often from this month: Common Swift and Garganey',
  );
  expect(screen.getByText(/^Less often from next month:/).textContent).toBe('Less often from next month: Fieldfare');
  expect(screen.queryByText(/life list/i)).toBeNull();
});

it('The page of birds marks those that are confirmed on the life list of the account, and links to it', async () => {
  const page = open();
  await page.signIn();
  await choosePlace(page);
  const species = ['Apus apus', 'Turdus merula', 'Rara avis'].map((scientificName) =>
    fakeListedBird({ scientificName, isConfirmed: scientificName !== 'Turdus merula' }),
  );
  const request = await nextRequest();
  expect(request.url).toContain('/v1/life-list');
  act(() => request.answer(200, { species, imported: 0 }));
  await screen.findByText('One of these 60 birds is on your life list.');
  expect(screen.getByRole('link', { name: 'Life list' }).getAttribute('href')).toBe('/life-list');
  const marked = screen.getAllByRole('img', { name: 'on your life list' }).map((mark) => mark.closest('li')?.textContent);
  expect(marked).toEqual([expect.stringContaining('Common Swift')]);
});

const sparse: SpeciesAround = { ...around, sparse: true, species: [] };
it.each([
  ['no place is used', { ...chemnitz, place: null }, null, 'Choose a place to see which birds are there.'],
  ['nothing is known of the place', chemnitz, null, 'Nothing is known about the birds of this place.'],
  ['few people report', chemnitz, sparse, 'Too few people report birds around there to say which ones to expect.'],
] as const)('The page of birds says in one sentence that %s', async (_, conditions, known, sentence) => {
  answer = () => (known ? Response.json(known) : new Response(null, { status: 404 }));
  await choosePlace(open(conditions));
  await screen.findByText(sentence);
  expect(screen.queryByRole('list')).toBeNull();
});

it('The page of birds offers to try again after a failure', async () => {
  answer = () => new Response(null, { status: 503 });
  const page = open();
  await choosePlace(page);
  await screen.findByText('The birds couldn’t be loaded');
  answer = () => Response.json(around);
  await page.user.click(screen.getByRole('button', { name: 'Try again' }));
  await waitFor(() => expect(rows()).toHaveLength(60));
});

it('The page of birds replaces its list by the birds found by a typed name, those of the rounded place first', async () => {
  const page = open();
  await choosePlace(page);
  await waitFor(() => expect(rows()).toHaveLength(60));
  await page.user.type(screen.getByRole('searchbox', { name: 'Find a bird' }), 'amsel');
  const request = await nextRequest();
  expect(request.url).toMatch(/\/v1\/species\/search\?q=amsel&language=en_us&latitude=51&longitude=13$/);
  act(() => request.answer(200, { species: [{ scientificName: 'Turdus merula', commonName: 'Eurasian Blackbird' }] }));
  await screen.findByText('One bird.');
  expect(rows().map(({ textContent }) => textContent)).toEqual(['Eurasian BlackbirdTurdus merula']);
  await page.user.clear(screen.getByRole('searchbox'));
  await waitFor(() => expect(rows()).toHaveLength(60));
});

it('The page of birds opens with the search in its address, and says that there may be more than 100 birds', async () => {
  open(chemnitz, '/birds?q=wren');
  expect(screen.getByRole('searchbox')).toHaveProperty('value', 'wren');
  const request = await nextRequest();
  expect(request.url).toMatch(/\/v1\/species\/search\?q=wren&language=en_us$/);
  const species = Array.from({ length: 100 }, (_, n) => ({ scientificName: `Avis ${n}`, commonName: `Wren ${n}` }));
  act(() => request.answer(200, { species }));
  expect(await screen.findByText('The first 100 birds.')).toBeTruthy();
});
