import { readSpeciesTable } from '@chiffchaff/recognizer';
import { expect, it } from 'vitest';
import type { AnalyzedRow } from '../../evaluate/analyze-rows.ts';
import { describedManifest, sampleEvidence } from '../testing/sample-evidence.ts';
import { countPlaces } from './count-places.ts';

const described = describedManifest();
const manifest = { ...described, labels: { ...described.labels, count: 2, nonEvents: [] } };
const species = readSpeciesTable({ labels: 'Avis a_Bird a\nAvis b_Bird b', nonBirds: '', manifest });

/** Clearly bird a. */
const recordingOf = (scientificName: string, file: string): AnalyzedRow => ({
  row: { file, split: 'test', scientificName, group: 'bird', label: '', source: '' },
  scientificName,
  evidence: sampleEvidence([[9, -9]]),
});

const zoneOf = (name: string, occurrence: readonly number[]) => {
  const place = { population: 1, occurrence: Float32Array.from(occurrence) };
  return { ...place, name, towns: [place] };
};

it('The test of words of confidence counts an answer at each place, but has intervals as wide as with one a recording', () => {
  const { rows } = countPlaces({
    model: { manifest, species },
    analysed: [recordingOf('Avis a', 'a.wav'), recordingOf('Avis b', 'b.wav')],
    zones: [zoneOf('Both', [0.5, 0.5]), zoneOf('Neither', [0, 0])],
    split: 'test',
  });
  const [surestWithout] = rows.find(({ place }) => place === 'none')?.words ?? [];
  expect(surestWithout).toMatchObject({ right: 3, of: 6, share: { value: 0.5, independent: 2 } });
  const [surestInTown] = rows.find(({ place }) => place === 'town')?.words ?? [];
  expect(surestInTown).toMatchObject({ right: 3, of: 6, share: { value: 0.5, independent: 2 } });
});
