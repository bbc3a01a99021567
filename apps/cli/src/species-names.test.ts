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
  birdCalled: async (name) => (name === 'parus ater' ? 'Periparus ater' : null),
  otherSounds: [
    { index: 3, scientificName: 'Engine', labelName: 'Engine', kind: 'nonEvent' },
    { index: 4, scientificName: 'Anaxyrus americanus', labelName: 'American Toad', kind: 'nonBird' },
  ],
};

it('The other species of a label is a species that the model or today’s lists know, by any of its names', async () => {
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
  for (const name of ['Periparus', 'tit', 'Engine', 'Abc def', '?']) expect(await species(name), name).toBeNull();
});

it('The nearest name is of the same kind as the written one, and shares words with it before letters', async () => {
  const { nearest } = await createSpeciesFinder(names);
  expect(nearest('Tyto albba')).toBe('Tyto alba');
  expect(nearest('Australasian Barn Owl')).toBe('barn owl');
  expect(nearest('Blue-throat')).toBe('bluethroat');
});
