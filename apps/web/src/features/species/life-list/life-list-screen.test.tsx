import type { ConfirmedBirds, LifeList } from '@chiffchaff/contract';
import { eventually } from '@chiffchaff/testing';
import { act, screen, within } from '@testing-library/react';
import { useLocation } from 'react-router';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { speak } from '../../../languages/i18n.ts';
import * as saving from '../../../platform/browser/save-file.ts';
import { fakeListedBird, fakeProblem } from '../../../testing/fake-data.ts';
import { answerEveryClient } from '../../../testing/fake-identity-service.ts';
import { nextRequest } from '../../../testing/fake-transport.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { LifeListScreen } from './life-list-screen.tsx';

answerEveryClient();

const YEAR = 2026;
beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: new Date(`${YEAR}-05-20T12:00:00Z`) }));
afterEach(async () => {
  vi.useRealTimers();
  await speak('en');
});

const place = { latitude: 50.83, longitude: 12.92 };
const wren = fakeListedBird({ scientificName: 'Troglodytes troglodytes', commonName: 'Wren', on: '2024-05-01', place });
const swift = fakeListedBird({
  ...{
    scientificName: 'Apus apus',
    commonName: 'Swift',
    on: '2025-05-01',
    thisYear: `${YEAR}-03-01`,
    predictionId: null,
    place: { ...place, town: 'Chemnitz' },
  },
});
const robin = fakeListedBird({ scientificName: 'Erithacus rubecula', commonName: 'Robin', thisYear: `${YEAR}-05-02` });
const hoopoe = fakeListedBird({
  scientificName: 'Upupa epops',
  commonName: 'Hoopoe',
  isConfirmed: false,
  sentAt: '2024-05-01T12:00:00Z',
});
const all = { species: [swift, wren, hoopoe, robin], imported: 1 };

const Where = () => <p data-testid="where">{useLocation().search}</p>;

async function open(list: LifeList = all, at = '/life-list') {
  const page = renderPage(
    <>
      <LifeListScreen />
      <Where />
    </>,
    { at },
  );
  await page.signIn();
  const request = await nextRequest();
  expect(request.url).toMatch(/^\/v1\/life-list\?year=2026&language=(en_us|de)$/);
  await act(async () => request.answer(200, list));
  await eventually(() => expect(headline()).toMatch(/\d|species/));
  return page;
}
const headline = () => screen.getByRole('heading', { level: 1 }).textContent;
const rows = (name = 'Your birds') =>
  within(screen.getByRole('list', { name }))
    .getAllByRole('link')
    .map(({ textContent }) => textContent);

it('The life list counts confirmed birds, sorts them by name, and has those to confirm below', async () => {
  await open();
  expect(headline()).toBe('3 species, 1 more to confirm');
  expect(rows()).toEqual([
    'Robin Erithacus rubeculaMay 1, 2024',
    'Swift Apus apusMay 1, 2025 · near Chemnitz · eBird',
    'Wren Troglodytes troglodytesMay 1, 2024 · near 50.8, 12.9',
  ]);
  expect(rows('One to confirm')).toEqual(['Hoopoe Upupa epopsLikely · date unknown, uploaded on May 1, 2024']);
  expect(screen.getByRole('link', { name: /Wren/ }).getAttribute('href')).toBe('/birds/Troglodytes_troglodytes');
  expect(screen.getByRole('img', { name: 'Map with the place of your first sightings' })).toBeTruthy();
});

it('The life list is sorted by date, and shows this year alone, as its address says', async () => {
  const { user } = await open();
  await user.selectOptions(screen.getByRole('combobox', { name: 'Sort by' }), 'Date');
  expect(rows().map((text) => text?.split(' ')[0])).toEqual(['Swift', 'Wren', 'Robin']);
  await user.selectOptions(screen.getByRole('combobox', { name: 'Show' }), String(YEAR));
  expect(screen.getByTestId('where').textContent).toBe('?sort=date&of=year');
  expect(headline()).toBe('2 species');
  expect(rows()).toEqual(['Robin Erithacus rubeculaMay 2, 2026', 'Swift Apus apusMar 1, 2026 · near Chemnitz · eBird']);
});

it('The life list says that it is empty, and how to fill it', async () => {
  await open({ species: [], imported: 0 });
  expect(headline()).toBe('No species yet');
  expect(screen.getByText(/^The birds that you confirm in your results appear here/)).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Choose file…' })).toBeTruthy();
});

it('The life list is available in German', async () => {
  await speak('de');
  await open();
  expect(headline()).toBe('3 Arten, 1 noch zu bestätigen');
});

it('The life list offers to try again after a failure', async () => {
  const page = renderPage(<LifeListScreen />);
  await page.signIn();
  for (const _attempt of [1, 2]) {
    const request = await nextRequest();
    await act(async () => request.answer(500, fakeProblem('INTERNAL', { status: 500, detail: 'Something broke.' })));
  }
  expect((await screen.findByRole('alert')).textContent).toContain('Something broke.');
  await page.user.click(screen.getByRole('button', { name: 'Try again' }));
  const again = await nextRequest();
  await act(async () => again.answer(200, all));
  await eventually(() => expect(headline()).toBe('3 species, 1 more to confirm'));
});

const HEADER = 'Common Name,Scientific Name,Latitude,Longitude,Date\n';
const choose = ({ user }: Awaited<ReturnType<typeof open>>, content: string) =>
  user.upload(screen.getByLabelText('eBird file'), new File([content], 'MyEBirdData.csv'));

it('The life list imports eBird’s file, of which only species, days and places leave the device, and says what is left out', async () => {
  const page = await open();
  await choose(page, `${HEADER}Swift,Apus apus,50.83,12.92,2019-05-01\nGull,Larus sp.,1,2,2019-05-01\n`);
  const request = await nextRequest();
  expect([request.method, request.url]).toEqual(['PUT', '/v1/life-list/imported']);
  expect(JSON.parse(String(request.body))).toEqual({ birds: [{ scientificName: 'Apus apus', on: '2019-05-01', place }] });
  await act(async () => request.answer(200, { imported: 1, unknown: ['Rara avis'] }));
  const refreshed = await nextRequest();
  await act(async () => refreshed.answer(200, all));
  await screen.findByText('One species is from eBird now.');
  expect(screen.getByText('2 names were left out').nextElementSibling?.textContent).toBe('Larus sp., Rara avis');
  await page.user.click(screen.getByRole('button', { name: 'Remove the species from eBird' }));
  expect(JSON.parse(String((await nextRequest()).body))).toEqual({ birds: [] });
});

it.each([
  ['other columns', 'Begin,End\n1,2\n', /^This is not eBird’s file: its columns begin with “Begin, End”\./],
  [
    'a row that cannot be read',
    `${HEADER}Swift,Apus apus,1,2,soon\n`,
    /^This file couldn’t be read\. .*Line 2: "soon" is no Date/,
  ],
])('The life list says what is wrong with a file that has %s, and sends nothing', async (_what, content, sentence) => {
  const page = await open();
  await choose(page, content);
  expect((await screen.findByRole('alert')).textContent).toMatch(sentence);
});

it('The life list can be downloaded as a CSV table', async () => {
  const saved = vi.spyOn(saving, 'saveFile').mockImplementation(() => {});
  const { user } = await open({ ...all, species: [wren, swift, robin, hoopoe] });
  await user.click(screen.getByRole('button', { name: 'Download (CSV)' }));
  await eventually(() => expect(saved).toHaveBeenCalledTimes(1));
  expect(saved.mock.lastCall).toEqual([
    'life-list.csv',
    `\ufeff${[
      'Scientific name,Common name,First date,Latitude,Longitude,Confirmed,Imported,Results',
      'Troglodytes troglodytes,Wren,2024-05-01,50.83,12.92,true,false,1',
      'Apus apus,Swift,2025-05-01,50.83,12.92,true,true,1',
      'Erithacus rubecula,Robin,2024-05-01,,,true,false,1',
      'Upupa epops,Hoopoe,2024-05-01,,,false,false,1',
    ].join('\n')}\n`,
  ]);
});

it('The life list saves what was confirmed in each recording in eBird’s format and names, and says what it had to leave out', async () => {
  const saved = vi.spyOn(saving, 'saveFile').mockImplementation(() => {});
  const { user } = await open({ ...all, species: [{ ...wren, confirmedPredictions: 3 }] });
  const save = async (answer: ConfirmedBirds) => {
    await user.click(screen.getByRole('button', { name: 'Download for eBird' }));
    await act(async () => (await nextRequest()).answer(200, answer));
  };
  await save({ birds: [], leftOut: 1 });
  await screen.findByText(/^No confirmed bird has both .* One was left out,/);
  expect(saved).not.toHaveBeenCalled();
  const { scientificName, commonName } = wren;
  const again = { scientificName, commonName, place, on: '2026-05-03', predictionId: 'second' };
  await save({
    birds: [{ ...again, predictionId: 'first', on: '2024-05-01', ebirdNames: ['Nannus troglodytes'] }, again],
    leftOut: 0,
  });
  await screen.findByText(/^The file has 2 confirmed birds, recording by recording,/);
  expect(saved.mock.lastCall?.[0]).toBe('ebird.csv');
  expect(saved.mock.lastCall?.[1]).toMatch(
    /^,Nannus,troglodytes,X,.*,50\.83,12\.92,05\/01\/2024,,,,Incidental,.*\n,Nannus,.*,05\/03\/2026,,,,Incidental,/,
  );
});
