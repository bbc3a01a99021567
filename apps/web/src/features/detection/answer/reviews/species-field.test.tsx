import type { FoundSpecies } from '@chiffchaff/contract';
import { act, screen } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import type { HeardAt } from '../../../../platform/api/bird-reviews.ts';
import { keepDevicePlace } from '../../../../platform/storage/device-place.ts';
import { answerEveryClient } from '../../../../testing/fake-identity-service.ts';
import { FakeRequest, nextRequest } from '../../../../testing/fake-transport.ts';
import { pasteInto } from '../../../../testing/paste-into.ts';
import { renderPage } from '../../../../testing/render-page.tsx';
import { SpeciesField } from './species-field.tsx';

answerEveryClient();

const GREAT_TIT = { scientificName: 'Parus major', commonName: 'Kohlmeise' };
const BLUE_TIT = { scientificName: 'Cyanistes caeruleus', commonName: 'Blaumeise' };
const WREN = { scientificName: 'Troglodytes troglodytes', commonName: 'Zaunkönig' };

let placeAsked: string | undefined;
const onChoose = vi.fn<(species: FoundSpecies) => void>();
beforeEach(() => {
  onChoose.mockClear();
  FakeRequest.sent.length = 0;
});
const field = () => screen.getByRole('combobox', { name: 'Which bird was it?' });
const highlighted = () => screen.getAllByRole('option').findIndex((option) => option.getAttribute('aria-selected') === 'true');

async function type(
  text: string,
  species: readonly FoundSpecies[],
  heardAt: HeardAt = { latitude: 50.8, longitude: 12.9, timeZone: null },
) {
  const { user } = renderPage(<SpeciesField heardAt={heardAt} onChoose={onChoose} onCancel={() => {}} />);
  await pasteInto(user, field(), text);
  const search = await nextRequest();
  placeAsked = search.url.split('&language=en_us')[1];
  await act(async () => search.answer(200, { species }));
  await screen.findAllByRole('option');
  return user;
}

it('A search for a bird takes no suggestion on Enter before the arrow keys led to it, and keeps the focus', async () => {
  const user = await type('meise', [GREAT_TIT, BLUE_TIT]);
  expect(highlighted()).toBe(-1);
  await user.keyboard('{Enter}');
  await user.hover(screen.getByRole('option', { name: /Blaumeise/ }));
  expect(highlighted()).toBe(-1);
  await user.keyboard('{Enter}');
  expect(onChoose).not.toHaveBeenCalled();
  expect(document.activeElement).toBe(field());
  await user.keyboard('{ArrowDown}{ArrowDown}');
  expect(highlighted()).toBe(1);
  await user.keyboard('{Enter}');
  expect(onChoose.mock.lastCall).toEqual([BLUE_TIT]);
});

it('A search for a bird forgets what the arrow keys led to when something else is typed', async () => {
  const user = await type('meise', [GREAT_TIT, BLUE_TIT]);
  await user.keyboard('{ArrowDown}');
  expect(highlighted()).toBe(0);
  await user.keyboard('n');
  expect(highlighted()).toBe(-1);
  await user.keyboard('{Enter}');
  expect(onChoose).not.toHaveBeenCalled();
});

it.each(['zaunkonig', 'ZAUNKÖNIG', 'troglodytes troglodytes'])(
  'A search for a bird highlights one that is named in full: %s',
  async (text) => {
    const user = await type(text, [GREAT_TIT, WREN]);
    expect(highlighted()).toBe(1);
    await user.keyboard('{Enter}');
    expect(onChoose.mock.lastCall).toEqual([WREN]);
  },
);

it('A search for a bird takes its only suggestion on Enter', async () => {
  const user = await type('zaunk', [WREN]);
  expect(highlighted()).toBe(-1);
  await user.keyboard('{Enter}');
  expect(onChoose.mock.lastCall).toEqual([WREN]);
});

const NOWHERE: HeardAt = { latitude: null, longitude: null, timeZone: null };
it.each([
  [
    'the place where it was heard',
    { latitude: 50.8, longitude: 12.9, timeZone: null },
    'anywhere',
    '&latitude=50.8&longitude=12.9',
  ],
  ['the time zone of the recording', { ...NOWHERE, timeZone: 'Asia/Tokyo' }, 'place', '&timeZone=Asia%2FTokyo'],
  ['the rounded place of this device', NOWHERE, 'place', '&latitude=52.5&longitude=13.5'],
  ['the time zone of this device', NOWHERE, 'clock', '&timeZone=Europe%2FBerlin'],
  ['no place, if the person wants none', NOWHERE, 'anywhere', ''],
] as const)('A search for a bird puts those first that live around %s', async (_, heardAt, kind, asked) => {
  const options = new Intl.DateTimeFormat().resolvedOptions();
  vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions').mockReturnValue({ ...options, timeZone: 'Europe/Berlin' });
  keepDevicePlace(kind === 'place' ? { kind, latitude: 52.52, longitude: 13.4, name: 'Berlin' } : { kind }, null);
  await type('meise', [GREAT_TIT], heardAt);
  expect(placeAsked).toBe(asked);
});
