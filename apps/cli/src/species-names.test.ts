import type { ModelNames } from '@chiffchaff/analysis';
import { expect, it } from 'vitest';
import { createSpeciesFinder } from './species-names.ts';

const names: ModelNames = {
  languages: ['en', 'de'],
  namesIn: async (language) =>
    new Map([
      ['Periparus ater', language === 'de' ? 'Tannenmeise' : 'Coal Tit'],
      ['Tyto alba', language === 'de' ? 'Schleiereule' : 'Barn Owl'],
      ['Luscinia svecica', language === 'de' ? 'Blaukehlchen' : 'Bluethroat'],
    ]),
  birdCalled: async (name) =>
    new Map([
      ['parus ater', 'Periparus ater'],
      ['astur gentilis', 'Accipiter gentilis'],
    ]).get(name) ?? null,
  otherSounds: [
    { index: 3, scientificName: 'Engine', labelName: 'Engine', kind: 'nonEvent' },
    { index: 4, scientificName: 'Anaxyrus americanus', labelName: 'American Toad', kind: 'nonBird' },
  ],
};

it('The other species in a label is found by any name that it has in the model or in today’s lists', async () => {
  const { species } = await createSpeciesFinder(names);
  for (const name of [
    'Periparus ater',
    'periparus  ATER',
    'Coal Tit',
    'coal-tit',
    'Tannenmeise',
    'Parus ater',
    'Periparus ater_Coal Tit',
  ])
    expect(await species(name), name).toBe('Periparus ater');
  expect(await species('American Toad')).toBe('Anaxyrus americanus');
  expect(await species('American Barn Owl')).toBe('Tyto furcata');
  expect(await species('Cyanecula svecica')).toBe('Luscinia svecica');
  // Parts of species that were split: of one that was moved, too, and of one with parts that only the list of changed names has.
  expect(await species('astur gentilis')).toBe('Astur gentilis');
  expect(await species('Anthus japonicus')).toBe('Anthus japonicus');
  for (const name of ['Periparus', 'tit', 'Engine', 'Abc def', '?']) expect(await species(name), name).toBeNull();
});

it('The nearest name to a misspelt one is scientific or common as that is; a shared word outweighs shared letters', async () => {
  const { nearest } = await createSpeciesFinder(names);
  expect(await nearest('Tyto albba')).toBe('Tyto alba');
  expect(await nearest('Tito alba')).toBe('Tyto alba');
  expect(await nearest('Australasian Barn Owl')).toBe('barn owl');
  expect(await nearest('Blue-throat')).toBe('bluethroat');
  expect(await nearest('Blaukelchen')).toBe('blaukehlchen');
});

it('The nearest name to a subspecies is its species', async () => {
  const { nearest } = await createSpeciesFinder(names);
  expect(await nearest('Tyto alba guttata')).toBe('Tyto alba');
  expect(await nearest('Parus ater ssp. britannicus')).toBe('Periparus ater');
});

it('There is no nearest name to that of a genus, family or hybrid, nor to one that resembles no name or several', async () => {
  const tits: ModelNames = {
    ...names,
    namesIn: async () => new Map([...(await names.namesIn('en')), ['Parus major', 'Blue Tit']]),
  };
  const { nearest } = await createSpeciesFinder(tits);
  for (const name of ['Tyto', 'Tyto sp.', 'Tyto spp', 'owl sp.', 'Tytonidae', 'Strigiformes', 'Tyto alba × Tyto furcata'])
    expect(await nearest(name), name).toBeNull();
  for (const name of ['Barn Owl x Coal Tit', 'Coal/Blue Tit', 'Tyto alba hybrid', 'Tyto tenebricosa', 'tit', 'Blaumeise'])
    expect(await nearest(name), name).toBeNull();
});
