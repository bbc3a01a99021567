import { describe, expect, it } from 'vitest';
import { fakeModel } from '../testing/fake-model.ts';
import { genusOf, readSpeciesTable } from './labels.ts';

const { manifest } = fakeModel([
  ['Corvus corone', 'bird'],
  ['Engine', 'nonEvent'],
  ['Rana clamans', 'nonBird'],
]);
const labels = 'Corvus corone_Carrion Crow\nEngine_Engine\nRana clamans_Green Frog';

describe('The table of species', () => {
  it('tells birds, other animals and other sounds apart, in label order', () => {
    const table = readSpeciesTable({ labels, nonBirds: 'Engine\nRana clamans\n', manifest });
    expect(table.labels).toEqual([
      { index: 0, scientificName: 'Corvus corone', labelName: 'Carrion Crow', kind: 'bird' },
      { index: 1, scientificName: 'Engine', labelName: 'Engine', kind: 'nonEvent' },
      { index: 2, scientificName: 'Rana clamans', labelName: 'Green Frog', kind: 'nonBird' },
    ]);
    expect([...table.isBird]).toEqual([1, 0, 0]);
    expect(table.birdCount).toBe(1);
  });

  it('reads a label file with a last line end and with Windows line ends', () => {
    const table = readSpeciesTable({ labels: `${labels.replaceAll('\n', '\r\n')}\r\n`, nonBirds: 'Engine', manifest });
    expect(table.labels.map((label) => label.labelName)).toEqual(['Carrion Crow', 'Engine', 'Green Frog']);
  });

  it('refuses a label file of another length than the model', () => {
    expect(() => readSpeciesTable({ labels: 'Corvus corone_Carrion Crow', nonBirds: '', manifest })).toThrow(
      expect.objectContaining({ code: 'MODEL_MISMATCH', details: { found: '1 labels', expected: '3 labels' } }),
    );
  });

  it('refuses a list of labels that are no birds if it does not match the model’s labels', () => {
    expect(() => readSpeciesTable({ labels, nonBirds: 'Hyla arborea', manifest })).toThrow(
      expect.objectContaining({ code: 'MODEL_MISMATCH' }),
    );
  });

  it('takes the genus from the first word of a scientific name', () => {
    expect(genusOf('Corvus corone')).toBe('Corvus');
    expect(genusOf('Engine')).toBe('Engine');
  });
});
